"""Marks of persons and machines in text: addresses, homes, telephone and identity-card numbers, names known from elsewhere."""

import ipaddress
import re
from datetime import date

from msprec.bundle.names import SecretSpan, words

_EMAIL = re.compile(
    r"(?<![\w.!#$%&'*+/=?^`{|}~-])[\w.!#$%&'*+/=?^`{|}~-]+@(?:[^\W_](?:[\w-]*[^\W_])?\.)+(?:xn--[\w-]+|[^\W\d_][\w-]*)(?![\w@])"
)
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6 = re.compile(
    r"(?<![\w:.])(?:[0-9a-fA-F]{0,4}:){2,7}(?:[0-9a-fA-F]{0,4}|(?:\d{1,3}\.){3}\d{1,3})(?:%\w+)?(?![\w:])"
)
_MAC = re.compile(r"(?<![\w:-])[0-9a-fA-F]{2}(?:([:-])[0-9a-fA-F]{2})(?:\1[0-9a-fA-F]{2}){4}(?![\w:-])")
# a number of four parts is a version after one of these, an address after one of those
_VERSIONED = re.compile(
    r"(?i)(?:==|[<>~!]=|\b(?:versions?|ver|release|build|driver|firmware|toolkit|cann|cuda|cudnn|section|sect?|chapter|table|figure|fig"
    r"|appendix|clause|eq|step|opset|api|sdk|package|tag)\b[\"']?\W{0,9}|\bv|[a-z_]-|_v?|§\s?|第\s?|章节?\s?|版本号?\W{0,4})\s*$"
)
_ADDRESSED = re.compile(
    r"(?i)(?:\b(?:ip|ips|host|hosts|hostname|addr|address|server|ping|ssh|scp|telnet|connect|connected|connecting|endpoint|gateway|node|nodes"
    r"|master|worker|peer|client|remote|listen|bind|dns|from|at|to|url|proxy|inet|rank\w*|scheduler|nameserver|machine)\b|://|@|地址|主机|服务器|节点)"
    r"[^\n\d]{0,24}$"
)
_AT_HOST = re.compile(
    r"(?<![\w.@-])([a-z_][\w.-]{0,31})@([A-Za-z](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?=:[~/\w]|\.?[\s'\"),;\]$#:]|\.?$)"
)
# `model@v2`, `recall@top5`, `checkout@main`: a version or a measure, no machine
_AT_VERSION = re.compile(
    r"(?i)(?:v|r|top|top-?k|k|epoch|step|iou|rank|rc|fp|bf|int|ep|layer|stage|block|level|sha)-?[\d.]*(?:[.-]\w+)*|latest|main|master|dev|nightly|stable"
    r"|beta|alpha|head|sha256|md5|[0-9a-f]{7,64}|release\S*"
)
_AT_MEASURE = re.compile(
    r"(?i)(?:.*[_.-])?(?:acc|accuracy|precision|recall|map|hits?|ndcg|mrr|pass|ap|ar|f1|auc|hr|top|success|p|r|error|iou)"
)
_REMOTE = re.compile(r"\b(?:ssh|scp|sftp|rsync|mosh)\b[^\n]*$")
_INNER_HOST = re.compile(
    r"(?<![\w.-])(?:[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?\.)+(?:local|lan|internal|intranet|corp|intra|localdomain)\b(?![\w-])(?!\.\w|\()"
)
_SEP = r"(?:\\\\|[\\/])"
_HOME = re.compile(
    rf"(?<![\w.~-])(?:(?:/(?:mnt|share|data\d*|nfs\d*|gpfs\d*|lustre|export|storage|cluster|vol\d*|net|work|public|cfs|cpfs|beegfs|usr|var|import|afs))?"
    rf"(?:/[\w-]{{1,20}})?/home\d*/|/Users/|/users/|(?:/mnt)?/[a-z]/Users/|(?:\b[A-Za-z]:)?{_SEP}(?:Users|Documents and Settings){_SEP})"
    r"(?P<user>[^\s/\\\"'<>|:*?,;()\[\]{}$]+)"
)
_ROOT_HOME = re.compile(r"(?<![\w.~/-])/root(?=/|[\s'\":,;)\]]|$)")
_SHARED = {"public", "shared", "default", "all users"}
# eleven digits as mobile numbers of China have them, alone or in groups
_MOBILE = re.compile(
    r"(?<![\w.+-])(?:(?:\+|00)?86[ -]?)?1(?:3\d|4[5-9]|5[0-35-9]|6[2567]|7[0-8]|8\d|9[0-35-9])([ -]?)\d{4}\1\d{4}(?![\w]|[.-]\d)"
)
# a count of that many digits has a name in front
_COUNTED = re.compile(
    r"(?i)(?:param\w*|num\w*|count\w*|flops?|macs?|bytes?|size|total|samples?|steps?|tokens?|elements?|seed|time\w*|stamp|id|offset|length|memory|mem"
    r"|参数\w?|数量|字节|大小|总数|共)[\"']?\s*[:=：]?\s*$"
)
_COUNT_AFTER = re.compile(r"(?i)\s*(?:param|flop|mac\b|byte|sample|step|token|element|个|字节|ns|us|ms\b|B\b)")
_ID_CARD = re.compile(r"(?<![\w.])[1-8]\d{5}(?:18|19|20)\d{2}[01]\d[0-3]\d\d{3}[\dXx](?![\w]|\.\d)")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def find_marks(text: str) -> list:
    """All marks that need no knowledge of the machine."""
    return [*find_homes(text), *find_addresses(text), *find_numbers(text)]


def find_addresses(text: str) -> list:
    """E-mail addresses, ``user@host``, hosts of inner networks, IP and MAC addresses."""
    found = [
        SecretSpan(m.start(), m.end(), "email")
        for m in _EMAIL.finditer(text)
        if not re.match(r"(?:git|hg)@(?:git|hg|bitbucket)", m.group())
    ]
    for match in _AT_HOST.finditer(text):
        name, host = match.groups()
        if (
            _AT_VERSION.fullmatch(host)
            or _AT_MEASURE.fullmatch(name)
            or re.search(r"\b[a-z]+/$", text[: match.start()][-20:])
        ):
            continue
        # `x@w` may be a product of matrices: a host has a digit, a dot or a dash, or a path or a command with it
        if (
            (re.search(r"[\d.-]", host) and (len(name) > 2 or len(host) > 3))
            or text[match.end() : match.end() + 1] == ":"
            or _REMOTE.search(text[max(0, match.start() - 200) : match.start()])
        ):
            found += [SecretSpan(*match.span(1), "user"), SecretSpan(*match.span(2), "host")]
    found += [
        SecretSpan(m.start(), m.end(), "host")
        for m in _INNER_HOST.finditer(text)
        if not m.group().startswith(("self.", "threading."))
    ]
    found += [
        SecretSpan(m.start(), m.end(), "ip")
        for m in _IPV4.finditer(text)
        if _is_ip(m.group()) and not _is_version(text, m)
    ]
    found += [SecretSpan(m.start(), m.end(), "mac") for m in _MAC.finditer(text) if _is_mac(m)]
    found += [SecretSpan(m.start(), m.end(), "ip") for m in _IPV6.finditer(text) if _is_ip6(m.group())]
    return found


def _is_version(text: str, match: re.Match) -> bool:
    before, after = text[max(0, match.start() - 40) : match.start()], text[match.end() : match.end() + 1]
    if after == ":" and re.match(r":\d", text[match.end() : match.end() + 2]):
        return False
    if _VERSIONED.search(before):
        return True
    address, parts = ipaddress.ip_address(match.group()), [int(part) for part in match.group().split(".")]
    if address.is_private or _ADDRESSED.search(before):
        return False
    # without a word that tells: parts of versions and of sections are small
    return parts[0] < 20 and max(parts) < 100


def _is_ip(text: str) -> bool:
    """An address that tells something of a machine: not the loopback, not a mask, not a wildcard."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified or text.startswith("255."))


def _is_ip6(text: str) -> bool:
    groups = [group for group in text.split("%")[0].split(":") if group]
    # `1::2` is a slice and `std::a` a name: an address of fewer than three groups counts only with a known beginning
    if len(groups) < 3 and not re.match(
        r"(?i)f[cde][0-9a-f]{2}$|(?:2[0-9a-f]{3}|3[0-9a-f]{3})$", groups[0] if groups else ""
    ):
        return False
    return _is_ip(text.split("%")[0])


def _is_mac(match: re.Match) -> bool:
    digits = re.sub("[:-]", "", match.group()).lower()
    # 20-11-22-10-15-00 is a time
    return len(set(digits)) > 2 and (match[1] == ":" or bool(re.search("[a-f]", digits)))


# --- homes and names -------------------------------------------------------------------------------------------------------
def find_homes(text: str) -> list:
    """The beginnings of paths that lie in somebody's home."""
    found = [SecretSpan(m.start(), m.end(), "home") for m in _HOME.finditer(text) if m["user"].lower() not in _SHARED]
    return found + [SecretSpan(m.start(), m.end(), "home") for m in _ROOT_HOME.finditer(text)]


def users_in(text: str) -> set:
    """The user names in the paths of homes."""
    return {m["user"] for m in _HOME.finditer(text)} - _SHARED


def hosts_in(text: str) -> set:
    """The host names of ``user@host`` that look like a machine's rather than a service's: without a dot."""
    found = {m.groups() for m in _AT_HOST.finditer(text)}
    return {
        host
        for name, host in found
        if re.search(r"[\d-]", host)
        and "." not in host
        and len(host) > 3
        and not (_AT_VERSION.fullmatch(host) or _AT_MEASURE.fullmatch(name))
    }


_AUTHOR = re.compile(
    r"(?:__author__|@author|\b[Aa]uthors?|\b[Mm]aintainer|\b[Cc]reated by|\b[Ww]ritten by|作者|姓名|联系人|负责人)\s{0,4}[\"']?\s{0,4}[:：=]?\s{0,4}[\"'\[]{0,2}"
    r"([A-Z][a-z]{1,15}(?: [A-Z][a-z]{1,15}){1,2}|[\u4e00-\u9fff]{2,4})(?=[\"'\s,;<(\]，。]|$)"
)
_BODIES = re.compile(
    r"(?i)\b(?:team|inc|ltd|co|huawei|technolog\w+|mindspore|google|authors|research|labs?|universit\w+|group|contributors|the|all)\b"
)


def persons_in(text: str) -> set:
    """The names of people that a text gives as its authors."""
    return {m[1] for m in _AUTHOR.finditer(text) if not _BODIES.search(m[1])}


# names of people that are words of the trade: as a name only in the very case that the account has
_OF_THE_TRADE = words(
    """
    adam lars lion max min dora lora bert elmo gus ada rob mark norm momentum
    """
)


def find_names(text: str, names: dict, code: bool = False) -> list:
    """Known names as whole words, ``names`` by kind; an underscore bounds a word too, and so does a digit after a longer name.

    ``code``: among names in code the case counts, and what follows a dot belongs to a library.
    """
    found, lower, before = [], text.lower(), r"(?<![^\W_])(?<!\.)" if code else r"(?<![^\W_])"
    for kind, known in names.items():
        for name in known:
            if kind == "person":
                found += [SecretSpan(m.start(), m.end(), kind) for m in _person(name).finditer(text)]
            elif name.lower() in lower:
                flags = 0 if code or name.lower() in _OF_THE_TRADE else re.IGNORECASE
                after = r"(?![^\W\d_])" if len(name) > 4 and not name[-1].isdigit() else r"(?![^\W_])"
                pattern = f"{before}{re.escape(name)}{after}"
                found += [SecretSpan(m.start(), m.end(), kind) for m in re.finditer(pattern, text, flags)]
    return found


def _person(name: str) -> re.Pattern:
    """`Zhang Wei` also as zhangwei, Wei.Zhang, zhang_wei; a name in Chinese as it stands."""
    words = [re.escape(word) for word in re.split(r"[\s._-]+", name) if word]
    if not words[0].isascii():
        return re.compile(r"\s?".join(words))
    orders = [words, words[::-1]] if len(words) > 1 else [words]
    either = "|".join(r"[\s._-]{0,2}".join(order) for order in orders)
    return re.compile(rf"(?<![^\W_])(?:{either})(?![^\W\d_])", re.IGNORECASE)


# --- numbers of persons ------------------------------------------------------------------------------------------------------
def find_numbers(text: str) -> list:
    """Mobile numbers and identity-card numbers as China gives them; the latter carry a date and a check digit (GB 11643-1999)."""
    found = [
        SecretSpan(m.start(), m.end(), "phone")
        for m in _MOBILE.finditer(text)
        if not _COUNTED.search(text[max(0, m.start() - 24) : m.start()])
        and not _COUNT_AFTER.match(text[m.end() : m.end() + 12])
    ]
    return found + [SecretSpan(m.start(), m.end(), "idcard") for m in _ID_CARD.finditer(text) if _is_id_card(m.group())]


def _is_id_card(text: str) -> bool:
    try:
        date(int(text[6:10]), int(text[10:12]), int(text[12:14]))
    except ValueError:
        return False
    return "10X98765432"[sum(w * int(d) for w, d in zip(_WEIGHTS, text)) % 11] == text[17].upper()
