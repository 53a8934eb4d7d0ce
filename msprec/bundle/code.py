"""Secrets in Python source, read as a syntax tree: what is bound to a name of a secret, however the literal is put together."""

import ast
import io
import re
import tokenize
import warnings
from bisect import bisect_right
from typing import Optional

from msprec.bundle.formats import find_formats
from msprec.bundle.names import SecretSpan, in_container, looks_secret, sort_of_name

_PIECES = re.compile(
    r"\"\"\"(?:\\.|.)*?(?:\"\"\"|\Z)|'''(?:\\.|.)*?(?:'''|\Z)|\"(?:\\.|[^\"\\\n])*(?:\"|$)|'(?:\\.|[^'\\\n])*(?:'|$)|#[^\n]*",
    re.DOTALL | re.MULTILINE,
)
# calls whose argument is the value itself, only written otherwise
_WRITTEN_OTHERWISE = {
    "SecretStr",
    "bytes",
    "str",
    "bytearray",
    "fromhex",
    "unhexlify",
    "b64decode",
    "a2b_hex",
    "encode",
    "join",
    "strip",
}
# calls whose arguments are a user and a password
_LOGINS = re.compile(
    r"(?i)(?:http)?(?:basic|digest|proxy)_?auth$|^(?:log_?in|set_?password|set_?proxy_?auth|auth(?:enticate)?|set_?token)$"
)

_PAIRS = re.compile(r"(?i)(?:^|_)(?:auth|login|authorization)$")
_CIPHERS = re.compile(r"^(?:AES|DES3?|ARC[24]|Blowfish|ChaCha20|Salsa20|Fernet|MultiFernet|hmac|HMAC|SM4)$")
_ACCOUNTS = re.compile(r"(?i)(?:^|_)(?:users|accounts|logins)$")
_DEFAULTS = {"getenv", "get", "setdefault", "setenv", "putenv"}


def _lines(code: str) -> list:
    starts = [0]
    for line in code.splitlines(keepends=True) if "\f" not in code and "\v" not in code else re.split(r"(?<=\n)", code):
        starts.append(starts[-1] + len(line))
    return starts


def strings_and_comments(code: str) -> list:
    """The spans (start, end) of a Python text's strings and comments; of a piece that does not tokenize, as far as they show."""
    strings = _tokens(code)
    return [m.span() for m in _PIECES.finditer(code)] if strings is None else strings[0] + strings[1]


def _tokens(code: str) -> Optional[tuple]:
    """The spans of strings (an f-string as one) and of comments; None where the text does not tokenize."""
    lines, strings, comments, open_at = _lines(code), [], [], []
    begin, end = (getattr(tokenize, f"FSTRING_{part}", -1) for part in ("START", "END"))
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            span = (lines[token.start[0] - 1] + token.start[1], lines[token.end[0] - 1] + token.end[1])
            if token.type == begin:
                open_at.append(span[0])
            elif token.type == end:
                start = open_at.pop()
                if not open_at:
                    strings.append((start, span[1]))
            elif token.type == tokenize.STRING and not open_at:
                strings.append(span)
            elif token.type == tokenize.COMMENT:
                comments.append(span)
    except (tokenize.TokenError, SyntaxError, ValueError, IndexError):
        return None
    return strings, comments


def find_in_code(code: str) -> Optional[list]:
    """The contents of the string literals that are secret by what they are bound to; None where the text does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    tokens = _tokens(code)
    try:
        return None if tokens is None else _Reader(code, tokens[0]).read(tree)
    except RecursionError:  # an expression of thousands of parts
        return None


class _Reader:
    """Collects the spans of literals, going once over the tree."""

    def __init__(self, code: str, strings: list) -> None:
        self.strings, self.starts = strings, [start for start, _ in strings]
        self.code, self.lines = code, _lines(code)
        self.found = []

    def read(self, tree: ast.AST) -> list:
        for node in ast.walk(tree):
            method = getattr(self, f"_{type(node).__name__}", None)
            if method:
                method(node)
        return self.found

    # --- where a name meets a value -------------------------------------------------------------------------------------
    def _Assign(self, node) -> None:
        for target in node.targets:
            self._bound(target, node.value)

    def _AnnAssign(self, node) -> None:
        if node.value is not None:
            self._bound(node.target, node.value)

    _AugAssign = _NamedExpr = _AnnAssign

    def _bound(self, target, value) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
                for one, other in zip(target.elts, value.elts):
                    self._bound(one, other)
            return
        self._named(_name(target), value)

    def _keyword(self, node) -> None:
        self._named(node.arg or "", node.value)

    def _Dict(self, node) -> None:
        for key, value in zip(node.keys, node.values):
            self._named(_name(key), value)

    def _Compare(self, node) -> None:
        sides = [node.left, *node.comparators]
        for one, other in zip(sides, sides[1:]):
            self._named(_name(one), other)
            self._named(_name(other), one)

    def _arguments(self, node) -> None:
        given = [*node.posonlyargs, *node.args]
        for argument, default in zip(given[len(given) - len(node.defaults) :], node.defaults):
            self._named(argument.arg, default)
        for argument, default in zip(node.kwonlyargs, node.kw_defaults):
            if default is not None:
                self._named(argument.arg, default)

    def _Tuple(self, node) -> None:
        if len(node.elts) == 2:
            self._neighbours(node.elts)

    def _Call(self, node) -> None:
        called = _name(node.func).split(".")[-1]
        self._neighbours(node.args, called in _DEFAULTS)
        if _LOGINS.search(called):
            for argument in node.args:
                self._hide(argument, "password" if len(node.args) > 1 else "token")
        elif called == "connect" and len(node.args) > 2:  # host, user, password
            self._hide(node.args[2], "password")
        elif node.args and _CIPHERS.search(called if called != "new" else _name(getattr(node.func, "value", None))):
            self._hide(node.args[0], "password")
        defaults = [k.value for k in node.keywords if k.arg == "default"]
        if defaults and node.args:
            for argument in node.args:
                self._named(_name(argument).lstrip("-"), defaults[0])
        self._whole(node)

    def _neighbours(self, nodes: list, sure: bool = False) -> None:
        # ("password", "x"), getenv("TOKEN", "x"): a name, then a value, which must be no name itself
        for one, other in zip(nodes, nodes[1:]):
            value = _text(other)
            if (
                isinstance(one, ast.Constant)
                and value
                and (sure or not re.fullmatch(r"-{0,2}[A-Za-z]*(?:[_. -][A-Za-z]+)*", value))
            ):
                self._named(_name(one).lstrip("-"), other)

    def _named(self, name: str, value) -> None:
        sort = sort_of_name(name)
        if isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == 2 and _PAIRS.search(name):
            self._hide(value, "password")
        elif sort:
            self._hide(value, sort)
        elif isinstance(value, (ast.Tuple, ast.List)) and _ACCOUNTS.search(name):
            for pair in [e for e in value.elts if isinstance(e, ast.Tuple) and len(e.elts) == 2]:
                self._hide(pair.elts[1], "token")

    # --- literals that are put together -----------------------------------------------------------------------------------
    def _BinOp(self, node) -> None:
        self._whole(node)

    def _Constant(self, node) -> None:
        if isinstance(node.value, (str, bytes)) and len(self._pieces(node)) > 1:
            self._whole(node)

    def _whole(self, node) -> None:
        """A key that only shows when the pieces are put together."""
        text = _text(node)
        if text and find_formats(text):
            self._replace(node)

    # --- values -----------------------------------------------------------------------------------------------------------
    def _hide(self, node, sort: str) -> None:
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            for element in node.elts:
                self._hide(element, "tokens" if sort == "token" else sort)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values):
                text = _text(value)
                if (text and in_container(text, sort, _name(key))) or not text:
                    self._hide(value, sort)
        elif isinstance(node, ast.IfExp):
            self._hide(node.body, sort)
            self._hide(node.orelse, sort)
        elif isinstance(node, ast.BoolOp):
            for value in node.values:
                self._hide(value, sort)
        elif isinstance(node, ast.Constant) and isinstance(node.value, int) and not isinstance(node.value, bool):
            if (sort == "password" and abs(node.value) > 999) or (
                sort in ("token", "phone") and abs(node.value) > 10**9
            ):
                self._replace(node, sort)
        else:
            text = _text(node)
            if text and looks_secret(text, sort):
                self._replace(node, sort)

    def _replace(self, node, sort: str = "") -> None:
        kind = sort if sort in ("proxy", "phone") else "secret"
        for literal in _literals(node):
            if isinstance(literal, ast.Constant) and isinstance(literal.value, int):
                self.found.append(SecretSpan(*self._span(literal), "number"))
            else:
                self.found += [SecretSpan(*_inner(self.code, *span), kind) for span in self._pieces(literal)]

    def _pieces(self, node) -> list:
        start, end = self._span(node)
        first = max(0, bisect_right(self.starts, start) - 1)
        pieces = []
        for span in self.strings[first:]:
            if span[0] >= end:
                break
            if span[0] >= start and span[1] <= end:
                pieces.append(span)
        return pieces

    def _span(self, node) -> tuple:
        return self._position(node.lineno, node.col_offset), self._position(node.end_lineno, node.end_col_offset)

    def _position(self, line: int, column: int) -> int:
        start = self.lines[line - 1]
        # the tree counts bytes of UTF-8
        return start + len(
            self.code[start : start + column].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore")
        )


def _inner(code: str, start: int, end: int) -> tuple:
    """The contents of a literal, without prefix and quotes."""
    match = re.match(r"[A-Za-z]{0,3}(\"\"\"|'''|\"|')", code[start:end])
    return (start + match.end(), end - len(match[1])) if match else (start, end)


def _name(node) -> str:
    """The last name of a target, or the text of a literal that names."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript):
        return _name(node.slice)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= 80:
        return node.value if re.fullmatch(r"[\w.-]+", node.value) else ""
    return ""


def _literals(node) -> list:
    """The literals that an expression puts together, as far as they can be known."""
    if isinstance(node, (ast.Constant, ast.JoinedStr)):
        return [node]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _literals(node.left) + _literals(node.right)
    if isinstance(node, ast.Call) and _name(node.func) in _WRITTEN_OTHERWISE:
        parts = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        if _name(node.func) not in ("encode", "strip"):
            for argument in node.args[:1]:
                parts += argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]
        return [literal for part in parts for literal in _literals(part)]
    return []


def _text(node) -> str:
    """The text of an expression of literals; empty for anything else."""
    return "".join(_text_of(literal) for literal in _literals(node))


def _text_of(literal) -> str:
    if isinstance(literal, ast.JoinedStr):
        return "".join(v.value for v in literal.values if isinstance(v, ast.Constant))
    if isinstance(literal.value, bytes):
        return literal.value.decode("latin-1")
    return literal.value if isinstance(literal.value, str) else ""
