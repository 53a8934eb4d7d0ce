"""What counts as a secret or as a mark of a person or a machine, as patterns over text. No files here.

A training script is full of words that only look like secrets (``pad_token``, ``sort_key``, ``x@self.weight``, ``a[1::2]``):
so names are split into their words, and in code only strings and comments are searched for addresses.
"""

import io
import ipaddress
import re
import tokenize
from functools import lru_cache
from typing import NamedTuple, Optional

KINDS = ("secret", "proxy", "email", "user", "host", "home", "ip")


class Found(NamedTuple):
    """A piece of a text to be replaced: ``text[start:end]``."""

    start: int
    end: int
    kind: str


# --- names of secrets ---------------------------------------------------------------------------------------------------
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_PASSWORDS = {
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "pwd",
    "passcode",
    "secret",
    "secrets",
    "credential",
    "credentials",
}
_TOKENS = {"token", "apikey", "authorization", "auth", "cookie", "bearer", "signature", "sig", "ak", "sk"}
# what makes a key one of a lock rather than of a dictionary
_LOCKS = {
    "api",
    "access",
    "private",
    "auth",
    "encryption",
    "signing",
    "ssh",
    "account",
    "subscription",
    "license",
    "wandb",
    "swanlab",
    "aws",
    "obs",
    "oss",
    "cos",
    "azure",
    "openai",
    "client",
    "deploy",
    "user",
    "master",
}
# with one of these beside it, a token or a key is a matter of language models or of sorting, a pass one of training
_HARMLESS = {
    "num",
    "max",
    "min",
    "n",
    "pad",
    "eos",
    "bos",
    "unk",
    "cls",
    "sep",
    "mask",
    "special",
    "per",
    "count",
    "id",
    "ids",
    "type",
    "len",
    "length",
    "size",
    "tokens",
    "tokenizer",
    "tokenize",
    "embedding",
    "embed",
    "vocab",
    "dim",
    "padding",
    "start",
    "end",
    "seq",
    "sequence",
    "image",
    "text",
    "prefix",
    "index",
    "shape",
    "weight",
    "bias",
    "file",
    "path",
    "name",
    "word",
    "position",
    "head",
    "query",
    "value",
    "table",
    "class",
}
_ONE_WORD = re.compile(
    r"passw(or)?d|passphrase|(api|access|secret|private|auth)_?key|(auth|access|secret)_?token", re.IGNORECASE
)


@lru_cache(maxsize=10_000)
def sort_of_name(name: str) -> Optional[str]:
    """What a value under this name is; None for a harmless name.

    ``password``: secret whatever it is; ``pass``, ``token``, ``key``: secret when it looks like one; ``proxy``: an address.
    """
    words = [word.lower() for word in _WORDS.findall(name)]
    found = set(words)
    if words[-1:] == ["proxy"] and len(words) <= 3:
        return "proxy"
    if found & {"file", "path"}:
        return None
    if found & _PASSWORDS or _ONE_WORD.search(name):
        return "password"
    if words[-1:] == ["pass"] and found <= {"pass", "user", "db", "smtp", "ftp", "mail", "ssh", "my"}:
        return "pass"
    if found & _HARMLESS:
        return None
    if found & _TOKENS or ("key" in found and found & _LOCKS):
        return "token"
    return "key" if words == ["key"] else None


def looks_secret(value: str, sort: str) -> bool:
    """Whether the value under a name of that sort is to go."""
    value = value.strip()
    if (
        not value
        or value.lower() in ("none", "null", "true", "false", "nan", "...", "***")
        or value.startswith("REMOVED_")
    ):
        return False
    if sort in ("password", "proxy"):
        return True
    if sort == "pass":  # a pass over the data has a number
        return not re.fullmatch(r"[\d.]+", value)
    if re.match(r"(?i)(bearer|basic|token|digest)\s+\S", value):
        return True
    if sort == "key":  # a dictionary's key is a word; that of a lock is long, with letters and digits
        return bool(re.fullmatch(r"(?=.*\d)(?=.*[A-Za-z])[\w+/=.-]{20,}", value))
    # eight characters or more without spaces; no number, <pad>, [MASK], {placeholder}, $VARIABLE
    return (
        len(value) >= 8
        and not re.search(r"\s", value)
        and not re.fullmatch(r"[\d.]+|[<\[{|].*[>\]}|]|\$\{?\w+\}?", value)
    )


# --- patterns -----------------------------------------------------------------------------------------------------------
# formats that providers give their keys, and the blocks of private keys
_KNOWN_SECRETS = re.compile(
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\Z)"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?"
    r"|\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bhf_[A-Za-z0-9]{16,}"
    r"|\bsk-[\w-]{16,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bxox[abposr]-[\w-]{10,}|\bAIza[\w-]{30,}|\bnpm_[A-Za-z0-9]{30,}"
    r"|\bpypi-[\w-]{30,}|\bms-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b",
    re.DOTALL,
)
_BEARER = re.compile(r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9+/=._~-]{8,})")
_URL_LOGIN = re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{0,20}://([^\s/?#'\"<>\\]{1,400})@(?=[^\s@])")
# bounded, as are the gaps below: a file of one endless line must not take for ever
_NAME = r"(?<!\w)[A-Za-z_][\w.-]{0,80}"


class _Pair(NamedTuple):
    """A name of a secret (group ``name``) and, where it ends, what its value is (group ``value``)."""

    head: re.Pattern
    value: re.Pattern


_QUOTED = _Pair(
    re.compile(
        rf"(?P<name>{_NAME})\\{{0,8}}[\"']?\]?\s{{0,40}}(?:=>|=|:|,)\s{{0,40}}[rbfuRBFU]{{0,2}}(?=\\{{0,8}}[\"'])"
    ),
    re.compile(r"(?P<q>\\{0,8}[\"'])(?P<value>(?:\\.|(?!(?P=q)).)*?)(?P=q)"),
)
_DEFAULT = _Pair(
    re.compile(rf"[\"']--?(?P<name>{_NAME})[\"'][^()]{{0,300}}?\bdefault\s{{0,9}}=\s{{0,9}}"),
    re.compile(r"(?P<q>[\"'])(?P<value>[^\"'\n]*)(?P=q)"),
)
_BARE = _Pair(
    re.compile(rf"(?P<name>{_NAME})[ \t]{{0,40}}(?:=|:)[ \t]{{0,40}}(?![\"'])"),
    re.compile(r"(?P<value>(?:(?i:bearer|basic)[ \t]+)?[^\s\"',;&#(){}\[\]<>]+)"),
)
# a password in a line of its own may have spaces
_LINE = _Pair(
    re.compile(rf"^[ \t-]{{0,80}}(?:export[ \t]+)?(?P<name>{_NAME})[ \t]{{0,40}}[:=][ \t]{{0,40}}", re.MULTILINE),
    re.compile(r"(?P<value>[^\"'\n]+)$", re.MULTILINE),
)
_ELEMENT = _Pair(re.compile(rf"<(?P<name>{_NAME})>"), re.compile(r"(?P<value>[^<>]+)</"))
_OPTION = _Pair(
    re.compile(rf"--?(?P<name>{_NAME})[ \t]{{1,40}}"), re.compile(r"(?P<q>[\"']?)(?P<value>[^\s\"'-][^\s\"']*)(?P=q)")
)
_PROXY = re.compile(r"(?i)\b(?:https?|ftp|all|no|socks5?)_proxy[ \t]*[=:][ \t]*[\"']?([^\s\"';]+)")
_LOGIN = re.compile(
    r"\b(?:wandb|swanlab|huggingface-cli|modelscope|docker)\s+login\s+(?:--?[\w-]{1,40}[ =]){0,5}([^\s'\"-][^\s'\"]{5,})"
)
# a short option of a tool that takes user:password or a password right after it
_CURL_LOGIN = re.compile(r"\bcurl\b[^\n]{0,300}?\s-u\s*[\"']?([^\s\"']+:[^\s\"']+)")
_SSHPASS = re.compile(r"\bsshpass\s+-p\s*[\"']?([^\s\"']+)")
_EMAIL = re.compile(
    r"(?<![\w.!#$%&'*+/=?^`{|}~-])[\w.!#$%&'*+/=?^`{|}~-]+@(?:[^\W_](?:[\w-]*[^\W_])?\.)+(?:xn--[\w-]+|[^\W\d_][\w-]*)(?![\w@])"
)
_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6 = re.compile(
    r"(?<![\w:.])(?:[0-9a-fA-F]{0,4}:){2,7}(?:[0-9a-fA-F]{0,4}|(?:\d{1,3}\.){3}\d{1,3})(?:%\w+)?(?![\w:])"
)
_VERSIONED = re.compile(r"(?i)(?:==|[<>~!]=|\bversions?\b\W{0,6}|\bv|[a-z_]-)\s*$")
_AT_HOST = re.compile(
    r"(?<![\w.@-])([a-z_][\w.-]{0,31})@([A-Za-z](?:[A-Za-z0-9.-]*[A-Za-z0-9])?)(?=:[~/\w]|\.?[\s'\"),;\]$#:]|\.?$)"
)
_REMOTE = re.compile(r"\b(?:ssh|scp|sftp|rsync|mosh)\b[^\n]*$")
_INNER_HOST = re.compile(
    r"(?<![\w.-])(?:[A-Za-z0-9](?:[\w-]*[A-Za-z0-9])?\.)+(?:local|lan|internal|intranet|corp|intra|localdomain)\b(?![\w-])(?!\.\w)"
)
_SEP = r"(?:\\\\|[\\/])"
_HOME = re.compile(
    rf"(?<![\w.~-])(?:/home/|/Users/|(?:\b[A-Za-z]:)?{_SEP}(?:Users|Documents and Settings){_SEP}"
    rf"|/data\d*/home/|/mnt/home/|/share/home/)"
    r"(?P<user>[^\s/\\\"'<>|:*?,;()\[\]{}]+)"
)
_ROOT_HOME = re.compile(r"(?<![\w.~/-])/root(?=/|[\s'\":,;)\]]|$)")
_SHARED = {"public", "shared", "default", "all users"}


def find_secrets(text: str, code: bool) -> list:
    """Keys, passwords, logins in URLs, proxies. ``code``: outside of strings and comments an unquoted value is an expression."""
    found = [Found(m.start(), m.end(), "secret") for m in _KNOWN_SECRETS.finditer(text)]
    for pattern in (_BEARER, _LOGIN, _CURL_LOGIN, _SSHPASS, _URL_LOGIN):
        found += [Found(m.start(1), m.end(1), "secret") for m in pattern.finditer(text)]
    found += [Found(m.start(1), m.end(1), "proxy") for m in _PROXY.finditer(text)]
    for pattern in (_QUOTED, _DEFAULT, _OPTION, _ELEMENT):
        found += _values(pattern, text)
    pieces = strings_and_comments(text) if code else [(0, len(text))]
    for start, end in pieces:
        for pattern in (_BARE, *(() if code else (_LINE,))):
            found += [Found(f.start + start, f.end + start, f.kind) for f in _values(pattern, text[start:end])]
    return found


def _values(pair: _Pair, text: str) -> list:
    found, position = [], 0
    while (head := pair.head.search(text, position)) is not None:
        # the next name may begin within what is no secret: `a: password=x`
        position = head.end("name")
        sort = sort_of_name(head["name"])
        if sort is None or (pair is _LINE and sort != "password"):
            continue
        match = pair.value.match(text, head.end())
        if match and looks_secret(match["value"], sort):
            found.append(Found(*match.span("value"), "proxy" if sort == "proxy" else "secret"))
            position = match.end()
    return found


def find_addresses(text: str) -> list:
    """E-mail addresses, ``user@host``, hosts of inner networks, IP addresses."""
    found = [Found(m.start(), m.end(), "email") for m in _EMAIL.finditer(text)]
    for match in _AT_HOST.finditer(text):
        host = match.group(2)
        # `x@w` may be a product of matrices: a host has a digit, a dot or a dash, or a path or a command with it
        if (
            re.search(r"[\d.-]", host)
            or text[match.end() : match.end() + 1] == ":"
            or _REMOTE.search(text[max(0, match.start() - 200) : match.start()])
        ):
            found += [Found(*match.span(1), "user"), Found(*match.span(2), "host")]
    found += [Found(m.start(), m.end(), "host") for m in _INNER_HOST.finditer(text)]
    for match in _IPV4.finditer(text):
        before, after = text[max(0, match.start() - 24) : match.start()], text[match.end() : match.end() + 1]
        if _is_ip(match.group()) and (after == ":" or _is_private(match.group()) or not _VERSIONED.search(before)):
            found.append(Found(match.start(), match.end(), "ip"))
    found += [Found(m.start(), m.end(), "ip") for m in _IPV6.finditer(text) if _is_ip6(m.group())]
    return found


def find_homes(text: str) -> list:
    """The beginnings of paths that lie in somebody's home."""
    found = [Found(m.start(), m.end(), "home") for m in _HOME.finditer(text) if m["user"].lower() not in _SHARED]
    return found + [Found(m.start(), m.end(), "home") for m in _ROOT_HOME.finditer(text)]


def users_in(text: str) -> set:
    """The user names in the paths of homes."""
    return {m["user"] for m in _HOME.finditer(text)} - _SHARED


def hosts_in(text: str) -> set:
    """The host names of ``user@host`` that look like a machine's rather than a service's: without a dot."""
    return {m.group(2) for m in _AT_HOST.finditer(text) if re.search(r"[\d-]", m.group(2)) and "." not in m.group(2)}


# names of people that are words of the trade: as a name only in the very case that the account has
_OF_THE_TRADE = {
    "adam",
    "lars",
    "lion",
    "max",
    "min",
    "dora",
    "lora",
    "bert",
    "elmo",
    "gus",
    "ada",
    "rob",
    "mark",
    "norm",
    "momentum",
}


def find_names(text: str, names: dict, code: bool = False) -> list:
    """Known names as whole words, ``names`` by kind; an underscore bounds a word too.

    ``code``: among names in code the case counts, and what follows a dot belongs to a library.
    """
    found, lower, before = [], text.lower(), r"(?<![^\W_])(?<!\.)" if code else r"(?<![^\W_])"
    for kind, known in names.items():
        for name in (name for name in known if name.lower() in lower):
            flags = 0 if code or name.lower() in _OF_THE_TRADE else re.IGNORECASE
            pattern = f"{before}{re.escape(name)}(?![^\\W_])"
            found += [Found(m.start(), m.end(), kind) for m in re.finditer(pattern, text, flags)]
    return found


def _is_ip(text: str) -> bool:
    """An address that tells something of a machine: not the loopback, not a mask, not a wildcard."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_unspecified or text.startswith("255."))


def _is_private(text: str) -> bool:
    return ipaddress.ip_address(text).is_private


def _is_ip6(text: str) -> bool:
    groups = [group for group in text.split("%")[0].split(":") if group]
    # `1::2` is a slice and `std::a` a name: an address of fewer than three groups counts only with a known beginning
    if len(groups) < 3 and not re.match(
        r"(?i)f[cde][0-9a-f]{2}$|(?:2[0-9a-f]{3}|3[0-9a-f]{3})$", groups[0] if groups else ""
    ):
        return False
    return _is_ip(text.split("%")[0])


# --- code ---------------------------------------------------------------------------------------------------------------
_PIECES = re.compile(
    r"\"\"\"(?:\\.|.)*?(?:\"\"\"|\Z)|'''(?:\\.|.)*?(?:'''|\Z)|\"(?:\\.|[^\"\\\n])*(?:\"|$)|'(?:\\.|[^'\\\n])*(?:'|$)|#[^\n]*",
    re.DOTALL | re.MULTILINE,
)


def strings_and_comments(code: str) -> list:
    """The spans (start, end) of a Python text's strings and comments; of a piece that does not tokenize, as far as they show."""
    lines = [0]
    for line in code.splitlines(keepends=True):
        lines.append(lines[-1] + len(line))
    wanted = {
        tokenize.STRING,
        tokenize.COMMENT,
        *(getattr(tokenize, name) for name in ("FSTRING_MIDDLE",) if hasattr(tokenize, name)),
    }
    spans = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type in wanted:
                spans.append((lines[token.start[0] - 1] + token.start[1], lines[token.end[0] - 1] + token.end[1]))
    except (tokenize.TokenError, SyntaxError, ValueError, IndexError):
        return [m.span() for m in _PIECES.finditer(code)]
    return spans
