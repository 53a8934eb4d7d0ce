"""Secrets in text, told by what stands around them: names, commands, sentences, blocks. No files here.

A training script is full of words that only look like secrets (``pad_token``, ``sort_key``, ``x@self.weight``, ``a[1::2]``):
so names are split into their words, and values must have the form of what the name promises.
"""

import re
from typing import NamedTuple

from msprec.bundle.code import find_in_code, strings_and_comments
from msprec.bundle.formats import find_formats
from msprec.bundle.names import (
    SecretSpan,
    in_container,
    is_container,
    is_placeholder,
    looks_random,
    looks_secret,
    sort_of_name,
    words,
)

_URL_LOGIN = re.compile(
    r"\b[a-zA-Z][a-zA-Z0-9+.-]{0,20}://([^\s/?#'\"<>\\@]{1,200}(?:@[^\s/?#'\"<>\\@]{1,200}){0,3})@(?=[^\s@])"
)
# bounded, as are the gaps below: a file of one endless line must not take for ever
_NAME = r"(?<!\w)(?:[A-Za-z_][\w.-]{0,80}|[\u4e00-\u9fff]{0,8}(?:密码|口令|密钥|秘钥|令牌|凭证))"


class _Pair(NamedTuple):
    """A name of a secret (group ``name``) and, where it ends, what its value is (group ``value``)."""

    head: re.Pattern
    value: re.Pattern


_QUOTED = _Pair(
    re.compile(
        rf"(?P<name>{_NAME})\\{{0,8}}[\"']?\]?\s{{0,40}}(?::[ \t]{{0,9}}[A-Za-z_][\w.\[\], ]{{0,60}}=|=>|:=|[!=]?=|:|,)\s{{0,40}}\(?"
        rf"[rbfuRBFU]{{0,2}}(?=\\{{0,8}}[\"'])"
    ),
    re.compile(r"(?P<q>\\{0,8}[\"'])(?P<value>(?:\\.|(?!(?P=q)).)*?)(?P=q)"),
)
_DEFAULT = _Pair(
    re.compile(rf"[\"']--?(?P<name>{_NAME})[\"'][^()]{{0,300}}?\bdefault\s{{0,9}}=\s{{0,9}}"),
    re.compile(r"(?P<q>[\"'])(?P<value>[^\"'\n]*)(?P=q)"),
)
_BARE = _Pair(
    re.compile(rf"(?P<name>{_NAME})\*{{0,2}}[ \t]{{0,40}}(?:=>|:=|=|:|：)\*{{0,2}}[ \t]{{0,40}}(?![\"'])"),
    re.compile(r"(?P<value>(?:(?i:bearer|basic|token)[ \t]+)?[^\s\"',;&#(){}\[\]<>，。；]+)(?![(\[])"),
)
# a password in a line of its own may have spaces, and any sign
_LINE = _Pair(
    re.compile(
        rf"^[ \t-]{{0,80}}(?:export[ \t]+)?(?P<name>{_NAME})[ \t]{{0,40}}[:=][ \t]{{0,40}}(?![\"'|>])", re.MULTILINE
    ),
    re.compile(r"(?P<value>[^\"'\n]+)$", re.MULTILINE),
)
_ELEMENT = _Pair(re.compile(rf"<(?P<name>{_NAME})>"), re.compile(r"(?P<value>[^<>]+)</"))
_OPTION = _Pair(
    re.compile(rf"(?<![\w-])--?(?P<name>{_NAME})[ \t]{{1,40}}"),
    re.compile(r"(?P<q>[\"']?)(?P<value>[^\s\"'-][^\s\"']*)(?P=q)"),
)
# `ENV NAME value`, `aws configure set NAME value`
_SET = _Pair(
    re.compile(rf"\b(?:ENV|ARG|setx|set|config|setenv)[ \t]+(?P<name>{_NAME})[ \t]+"),
    re.compile(r"[\"']?(?P<value>[^\s\"'=]+)"),
)
# two entries, one named `name`, one named `value`
_ENTRY = _Pair(
    re.compile(
        rf"\b(?:name|key)[\"']?\s{{0,9}}[=:]\s{{0,9}}[\"']?(?P<name>{_NAME})[\"']?[\s,]{{1,40}}[\"']?value[\"']?\s{{0,9}}[=:]\s{{0,9}}"
    ),
    re.compile(r"[\"']?(?P<value>[^\s\"'<>]+)"),
)
# a row of a table in Markdown
_ROW = _Pair(
    re.compile(rf"\|[ \t*`]{{0,9}}(?P<name>{_NAME})[ \t*`]{{0,9}}\|[ \t]{{0,9}}`?"),
    re.compile(r"(?P<value>[^|\n`]+?)[ \t`]*\|"),
)
_PAIRS = (_ROW, _QUOTED, _DEFAULT, _OPTION, _ELEMENT, _SET, _ENTRY, _BARE)
_PROXY = re.compile(r"(?i)\b(?:https?|ftp|all|no|socks5?)_proxy[ \t]*[=:][ \t]*[\"']?([^\s\"';]+)")
_A = r"[\"']?([^\s\"'|;&]+)"
_ARGS = r"[^\n|;&]{0,200}?\s"
# what takes a password without naming it
_COMMANDS = tuple(
    re.compile(pattern)
    for pattern in (
        r"\b(?:wandb|swanlab|huggingface-cli|hf|modelscope|comet|openxlab)\s+(?:auth\s+)?login\s+(?:--?[\w-]{1,40}[ =]){0,5}"
        r"([^\s'\"-][^\s'\"]{5,})",
        rf"\b(?:mysql|mysqldump|mysqladmin|mariadb|mysqlimport){_ARGS}-p(?=\S){_A}",
        rf"\b(?:docker|podman|nerdctl|helm|oc|az|skopeo|crane|buildah|cloudctl)\b[^\n|;&]{{0,60}}\blogin{_ARGS}-p[ =]?{_A}",
        rf"\b(?:mongo|mongosh|mongodump|sqlcmd|tsql|ldapsearch|smbmap|isql){_ARGS}-[pPw][ =]?(?=\S){_A}",
        rf"\bredis-cli{_ARGS}-a[ =]?{_A}",
        rf"\bsshpass\s+-p\s{{0,9}}{_A}",
        rf"\b(?:zip|unzip){_ARGS}-P[ =]?{_A}",
        rf"\b(?:7za?|7zr|rar|unrar){_ARGS}-(?:p|hp)(?=[^\s-]){_A}",
        r"\bcurl\b[^\n]{0,300}?\s(?:-u|--user|-U|--proxy-user)[ =]?[\"']?([^\s\"']+:[^\s\"']+)",
        rf"\b(?:obsutil|ossutil\d*|coscmd|cos|coscli|obsftp)\s+config\b{_ARGS}-(?:i|a|k|s|e)[ =]{_A}",
        rf"\b(?:obsutil|ossutil\d*|coscmd|coscli)\s+config\b[^\n]{{0,300}}?\s-(?:k|s)[ =]{_A}",
        rf"\bopenssl\b{_ARGS}(?:-pass(?:in|out)?\s+pass:|-k\s+){_A}",
        r"\bpass:([^\s\"']{4,})",
        r"\becho\s+[\"']?([^\s\"'|]{4,})[\"']?\s*\|\s*(?:sudo\s+(?:\S+\s+){0,3}-S|docker\s+login|passwd|kinit|su\b)",
        r"\becho\s+[\"']?[\w.-]+:([^\s\"'|]{4,})[\"']?\s*\|\s*(?:sudo\s+)?chpasswd",
        rf"\bhtpasswd\s+-\w*b\w*\s+\S+\s+\S+\s+{_A}",
        r"\bsmbclient\b[^\n]{0,200}?-U\s*[\"']?[^\s%\"']+%([^\s\"']+)",
        rf"\bmachine\s+\S+\s+login\s+\S+\s+password\s+{_A}",
        rf"(?i)\bnet\s+use\s+[^\n]{{0,200}}?/user:\S+\s+{_A}",
        r"(?i)\b(?:identified\s+by|(?:with\s+)?(?:encrypted\s+)?password)\s+'([^'\n]+)'",
        r"^[\w.*-]+:(?:\d{2,5}|\*):[\w*-]+:[\w*-]+:(\S+)$",  # .pgpass
        r"(?i)\b(?:set-)?cookie\s{0,9}:\s{0,9}([^\n\"']{4,}=[^\n\"']{4,})",
        r"(?i)\bauthorization\s{0,9}[\"']?\s{0,9}[:=]\s{0,9}[\"']?(?:bearer|basic|token|digest|aws4-hmac-sha256|apikey)?\s{1,9}([^\s\"',]{6,})",
        r"(?i)[?&;](?:x-amz-signature|x-amz-security-token|x-amz-credential|x-obs-security-token|signature|sig|accesskeyid|ossaccesskeyid"
        r"|awsaccesskeyid|q-signature|q-ak|sign)=([\w%+/=.~-]{6,})",
        r"(?i)\b(?:account|sharedaccess)key=([A-Za-z0-9+/=]{16,})",
        rf"\bssh-keygen\b{_ARGS}-[NP]\s{{0,9}}{_A}",
        r"\bauth\s{0,3}=\s{0,3}\([^\s,()\"']{1,60},\s{0,3}([^\s,()\"']{4,})\)",
        r"(?i)\b(?:password|passphrase|passcode)\s(?:is|was|to|=)\s{0,3}[\"“`]([^\"”`\n]{4,60})[\"”`]",
        r"(?i)\bw(?:i-?)?fi\b[^\n]{0,40}\b(?:password|key|psk)\s*[:=]?\s*([^\s\"',]{6,})",
    )
)
# sentences: `password is X`, `with the password X`, 密码是X; the value is judged by what it looks like
_PROSE = re.compile(
    r"(?i)\b(?:password|passphrase|passwd|passcode|pwd|pass\s?word|pw|pass|api[ -]?key|access[ -]?key|secret[ -]?key|secret|token|pin(?: code)?)"
    r"(?:\s+(?:for|of|to|on|at)\s+(?:(?:the|our|my|this)\s+)?[\w./-]{1,40}){0,2}"
    r"\s{1,9}(?:(?:is|was|are|to|=|->|=>|remains|still|now|will be)\s{1,9}){0,3}[:=]?\s{0,9}[\"'`“‘]?([^\s\"'`”’,;()<>\[\]{}]{4,})"
)
_USER_AND = re.compile(
    r"(?i)(?:user(?:name)?|login|account|账号|帐号|用户名?)\s{0,3}[/、和及&|,+-]\s{0,3}(?:password|passwd|pwd|pass|pw|密码|口令)\s{0,5}[:：=是为]\s{0,5}"
    r"[^\s/|,，:]{1,64}\s{0,3}[/|,，:]\s{0,3}([^\s，。；,;\"']{3,})"
)
_CHINESE = re.compile(
    r"(?:密码|口令|密钥|秘钥|令牌|授权码|验证码|密匙|通行码)(?:[^\s\n：:=是为]{0,6})?\s{0,5}(?:(?:仍?然?还?是|改?为|改成|设成|->|=>|[：:=])\s{0,5}){0,2}"
    r"[\"'`“‘「『【]?([\x21\x23-\x26\x28-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x5f\x61-\x7e]{4,})"
)
# a sentence about passwords goes on with one of these
_GOES_ON = words(
    """
    required incorrect wrong invalid not empty missing too hidden stored hashed encrypted read set used never always
    optional correct authentication based protected prompt field manager policy reset change login from that this
    which when where with your their must should cannot will been being have does expired needed given unset none null
    true false then only also same valid classification embedding embeddings sequence count counts limit length type
    types vocabulary mixing dropout merging shuffle level wise file files name names string strings id ids here there
    below above hash hashes store over through into before after one number numbers and are was for
    """
)


def find_secrets(text: str, code: bool) -> list:
    """Keys, passwords, logins in URLs, proxies. ``code``: outside of strings and comments an unquoted value is an expression."""
    if not code:
        return [*_in_text(text), *_in_blocks(text)]
    found = [SecretSpan(*span, "secret") for span in find_formats(text)]
    of_the_tree = find_in_code(text)
    if of_the_tree is None:  # a piece that does not parse
        return (
            found
            + _in_text(text, bare=False)
            + [f for piece in strings_and_comments(text) for f in _piece(text, piece)]
        )
    return found + of_the_tree + [f for piece in strings_and_comments(text) for f in _piece(text, piece)]


def _piece(text: str, span: tuple) -> list:
    return [SecretSpan(f.start + span[0], f.end + span[0], f.kind) for f in _in_text(text[span[0] : span[1]])]


def _in_text(text: str, bare: bool = True) -> list:
    found = [SecretSpan(*span, "secret") for span in find_formats(text)]
    found += [SecretSpan(*m.span(1), "secret") for m in _URL_LOGIN.finditer(text) if not _no_login(m[1])]
    for pattern in _COMMANDS:
        found += [
            SecretSpan(*m.span(1), "secret") for m in pattern.finditer(text) if not is_placeholder(m[1].strip("\"'"))
        ]
    found += [SecretSpan(*m.span(1), "proxy") for m in _PROXY.finditer(text)]
    for pair in _PAIRS if bare else _PAIRS[:-1]:
        found += _values(pair, text)
    if bare:
        found += [*_values(_LINE, text), *_in_prose(text)]
    return found


def _no_login(login: str) -> bool:
    name, _, password = login.partition(":")
    return (not password and name in ("git", "anonymous", "hg")) or all(is_placeholder(p) for p in (name, password))


def _values(pair: _Pair, text: str) -> list:
    found, position = [], 0
    while (head := pair.head.search(text, position)) is not None:
        # the next name may begin within what is no secret: `a: password=x`
        position = head.end("name")
        sort = sort_of_name(head["name"])
        if sort is None or (pair is _LINE and sort != "password"):
            continue
        match = pair.value.match(text, head.end())
        if (
            not match
            or not looks_secret(match["value"], sort)
            or (pair in (_LINE, _BARE, _ROW, _OPTION) and _goes_on(match["value"]))
        ):
            continue
        before = text[text.rfind("\n", 0, head.start()) + 1 : head.start()]
        if sort == "pass" and pair is _BARE and match["value"].isalpha() and before.strip(" \t-#"):
            continue  # `First pass: determine the length`
        found.append(SecretSpan(*match.span("value"), sort if sort in ("proxy", "phone") else "secret"))
        position = match.end()
    return found


def _goes_on(value: str) -> bool:
    """Whether what follows a name and a colon is a description or a variable: `password: the one of the database`."""
    words = value.lower().split()
    if len(words) > 1:
        little = {
            "the",
            "a",
            "an",
            "of",
            "for",
            "to",
            "is",
            "be",
            "must",
            "your",
            "in",
            "on",
            "if",
            "or",
            "used",
            "with",
            "from",
        }
        return (
            bool(little & set(words))
            or words[0].strip(".,;") in _GOES_ON - {"correct"}
            or bool(re.search(r"[)(=]", value))
        )
    plain = value.strip(".,;:!?")
    if re.fullmatch(
        r"(?:self|cls|args|opts?|config|cfg|settings|os|env|kwargs|flags|conf|params?|options)(?:\.\w+)+", plain
    ):
        return True
    return plain.lower() in _GOES_ON | {"the", "a", "an", "and"} or bool(
        sort_of_name(plain) == "password" and plain.isidentifier()
    )


def _in_prose(text: str) -> list:
    found = []
    for match in _PROSE.finditer(text):
        value = match[1].rstrip(".!?:")
        said = re.search(r"(?i)\s(?:is|was|=|->|remains|still|now|will be)\s", text[match.start() : match.start(1)])
        if value.lower() in _GOES_ON or len(value) < 4 or is_placeholder(value):
            continue
        mixed = bool(re.search(r"\d", value) and re.search(r"[A-Za-z]", value)) or bool(
            re.search(r"\w[!@#$%^&*+~]\w*", value)
        )
        word_of_its_own = (
            said and value.isalpha() and not value.endswith(("ed", "ing", "ly")) and _ends(text, match.end(1))
        )
        token = re.match(r"(?i)(?:token|pin|secret\b|pass\b)", match.group())
        if (mixed and (not token or looks_random(value) or (said and len(value) >= 6))) or (
            word_of_its_own and not token
        ):
            found.append(SecretSpan(match.start(1), match.start(1) + len(value), "secret"))
    for pattern in (_USER_AND, _CHINESE):
        for match in pattern.finditer(text):
            value = match[1].rstrip(".!?")
            variable = re.fullmatch(r"[a-z_]+(?:\.\w+)*(?:\(.*)?", value) and (
                sort_of_name(value) or "." in value or "(" in value
            )
            if len(value) >= 3 and not is_placeholder(value) and not variable:
                found.append(SecretSpan(match.start(1), match.start(1) + len(value), "secret"))
    return found


def _ends(text: str, position: int) -> bool:
    return bool(re.match(r"[\"'`”’]?\s*(?:[.,;!?)]|$|\n)", text[position : position + 8])) or text[position - 1] == "."


# --- blocks: what is indented below a name -------------------------------------------------------------------------------
_BLOCK = re.compile(
    rf"^(?P<indent>[ \t]{{0,80}})(?:- )?[\"']?(?P<name>{_NAME})[\"']?[ \t]*[:=][ \t]*(?P<sign>[|>][+-]?\d?|\[[^\]\n]*\]?|\{{[^}}\n]*\}}?)?[ \t]*$",
    re.MULTILINE,
)
_ITEM = re.compile(r"[ \t]*(?:- )?(?:[\"']?(?P<key>[\w.-]+)[\"']?[ \t]*[:=][ \t]*)?[\"']?(?P<value>[^\"'\n\],]+)[\"']?")


_SECTION = re.compile(
    rf"^[ \t]{{0,20}}\[(?P<name>{_NAME})\][ \t]*$(?P<body>(?:\n(?![ \t]*\[)[^\n]*){{1,100}})", re.MULTILINE
)


def _in_blocks(text: str) -> list:
    found = []
    for section in _SECTION.finditer(text):
        if is_container(section["name"]):
            for line in re.finditer(r"[^\n]+", section["body"]):
                start = section.start("body")
                found += _items(
                    text, start + line.start(), start + line.end(), sort_of_name(section["name"]) or "password"
                )
    for head in _BLOCK.finditer(text):
        if not is_container(head["name"]):
            continue
        sort, sign = sort_of_name(head["name"]) or "password", head["sign"] or ""
        if sign[:1] in ("[", "{"):
            found += _items(text, head.start("sign") + 1, head.end("sign"), sort)
            if sign.endswith(("]", "}")):
                continue
        position = head.end() + 1
        while position < len(text):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            line = text[position:end]
            deep = len(line) - len(line.lstrip())
            inside = (
                deep > len(head["indent"])
                or (deep == len(head["indent"]) and line.lstrip().startswith("- "))
                or sign[:1] in ("[", "{")
            )
            if not line.strip() or not inside:
                break
            if sign[:1] in ("|", ">"):
                if not is_placeholder(line):
                    found.append(SecretSpan(position + deep, position + len(line.rstrip()), "secret"))
            else:
                found += _items(text, position, end, sort)
            if line.strip()[:1] in ("]", "}"):
                break
            position = end + 1
    return found


def _items(text: str, start: int, end: int, sort: str) -> list:
    found = []
    for part in re.finditer(r"[^,\n]+", text[start:end]):
        match = _ITEM.match(part.group())
        if not match:
            continue
        value = match["value"].strip()
        if in_container(value, sort, match["key"] or "") and not re.fullmatch(r"[\d.]+", value):
            at = start + part.start() + match.start("value")
            found.append(SecretSpan(at, at + len(match["value"].rstrip()), "secret"))
    return found
