"""Replaces secrets and marks of persons and machines in text, JSON, CSV and Word, and keeps account of what was replaced where.

The same value has the same replacement everywhere (``REMOVED_USER_1``), so that what belonged together still does; a
replacement is a word that is valid inside a string, a name and a path. Home paths become ``~``.
"""

import builtins
import csv
import io
import json
import keyword
import re
from collections import Counter
from typing import NamedTuple, Optional

from msprec.bundle.patterns import (
    KINDS,
    Found,
    find_addresses,
    find_homes,
    find_names,
    find_secrets,
    hosts_in,
    looks_secret,
    sort_of_name,
    strings_and_comments,
    users_in,
)
from msprec.record.schema.vocabulary import vocabulary

# accounts that many machines have: they identify nobody
_COMMON_TEXT = """
    root user users admin ubuntu centos debian ma-user hwhiaiuser jovyan vscode runner guest nobody localhost localdomain docker
    container home work data test dev model models train python mindspore ascend numpy torch pandas self nn ops public share
    shared build tmp main base run epoch batch step
"""
_COMMON = frozenset(_COMMON_TEXT.split())


class Replaced(NamedTuple):
    """How often something was replaced in a file."""

    file: str
    kind: str
    by: str
    count: int


class Scrubber:
    """Scrubs the files of one bundle.

    Args:
        users: User names known from the system; more are learnt from paths by `learn`.
        hosts: Host names of this machine.
        homes: Home folders in unusual places.
        keep: Kinds (of `patterns.KINDS`) or exact texts that stay.
    """

    def __init__(self, users=(), hosts=(), homes=(), keep=()) -> None:
        self.keep = {k.lower() for k in keep}
        self.names = {"user": set(), "host": set()}
        self.homes = sorted(
            {h.rstrip("/\\") for h in homes if len(h) > 3 and h not in ("/root", "/home")}, key=len, reverse=True
        )
        self._numbers, self._counts = {}, Counter()
        self.add_names("user", users)
        self.add_names("host", hosts)

    def add_names(self, kind: str, names) -> None:
        """Names to be replaced wherever they stand as a word; common ones and those of fewer than three letters are not."""
        # the words of the run folder's schema are msprec's, even where a user is called so
        words = vocabulary() | set(keyword.kwlist) | set(dir(builtins))
        self.names[kind] |= {
            name for name in names if len(name) >= 3 and name.lower() not in words | _COMMON and not name.isdigit()
        }

    def learn(self, text: str) -> None:
        """Takes the names of users and hosts out of paths and logins; call it for every file before the first is scrubbed."""
        self.add_names("user", users_in(text))
        self.add_names("host", hosts_in(text))

    # --- text ---------------------------------------------------------------------------------------------------------
    def spans(self, text: str, code: bool = False) -> list:
        """What is to be replaced in a text, in order and without overlaps."""
        found = find_secrets(text, code)
        inside = strings_and_comments(text) if code else [(0, len(text))]
        for start, end in inside:
            piece = text[start:end]
            found += [Found(f.start + start, f.end + start, f.kind) for f in self._marks(piece)]
        if code:
            found += find_names(text, self.names, code=True)
        found = [f for f in found if not _REPLACED.fullmatch(text, f.start, f.end)]
        kept = [f for f in found if self._kept(f, text)]
        inside_kept = {f for f in found for k in kept if k.start <= f.start and f.end <= k.end}
        return _without_overlaps([f for f in found if f not in inside_kept])

    def _marks(self, text: str) -> list:
        found = [*find_homes(text), *find_addresses(text), *find_names(text, self.names)]
        for home in self.homes:
            found += [Found(m.start(), m.end(), "home") for m in re.finditer(re.escape(home) + r"(?![\w-])", text)]
        return found

    def _kept(self, found: Found, text: str) -> bool:
        return found.kind in self.keep or text[found.start : found.end].lower() in self.keep

    def replacement(self, kind: str, value: str) -> str:
        """The word that stands for a value: the same one for the same value."""
        if kind == "home":
            return "~"
        key = (kind, value if kind in ("secret", "proxy") else value.lower())
        if key not in self._numbers:
            self._numbers[key] = 1 + sum(known == kind for known, _ in self._numbers)
        return f"REMOVED_{kind.upper()}_{self._numbers[key]}"

    def text(self, text: str, where: str, code: bool = False) -> str:
        """The text with what must not leave the machine replaced."""
        out, position = [], 0
        for found in self.spans(text, code):
            by = self.take(found.kind, text[found.start : found.end], where)
            out += [text[position : found.start], by]
            position = found.end
        return "".join(out) + text[position:]

    def take(self, kind: str, value: str, where: str) -> str:
        """The replacement of a value, entered into the account."""
        by = self.replacement(kind, value)
        self._counts[where, kind, by] += 1
        return by

    def name_of_file(self, name: str) -> str:
        """A path within the bundle, scrubbed."""
        return self.text(name, "names of files").replace("~", "_")

    # --- JSON ---------------------------------------------------------------------------------------------------------
    def json(self, text: str, where: str) -> str:
        """A JSON document; what is none is taken as text. Unchanged where there was nothing to replace."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return self.text(text, where)
        clean = self.value(value, where)
        return text if clean == value else json.dumps(clean, ensure_ascii=False, indent=1, sort_keys=False) + "\n"

    def json_lines(self, text: str, where: str) -> str:
        """A JSON object a line."""
        return "".join(self._line(line, where) for line in text.splitlines(keepends=True))

    def _line(self, line: str, where: str) -> str:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            return self.text(line, where)
        clean = self.value(value, where)
        return line if clean == value else json.dumps(clean, ensure_ascii=False) + "\n"

    def value(self, value, where: str, key: str = ""):
        """A JSON value under a key."""
        if isinstance(value, dict):
            if key in ("versions", "packages"):  # 4.10.0.84 is a version here, not an address
                return {
                    name: v if _VERSION.fullmatch(str(v)) else self.value(v, where, name) for name, v in value.items()
                }
            return {self._key(name, where): self.value(item, where, name) for name, item in value.items()}
        if isinstance(value, list):
            return self._list(value, where, key)
        sort = sort_of_name(key)
        if isinstance(value, str):
            if self.hides(value, sort):
                return self.take("proxy" if sort == "proxy" else "secret", value, where)
            return self.text(value, where, code=key in ("code", "expression"))
        if (
            sort == "password"
            and isinstance(value, (int, float))
            and not isinstance(value, bool)
            and "secret" not in self.keep
        ):
            return self.take("secret", str(value), where)
        return value

    def _key(self, name: str, where: str) -> str:
        # the names of the schema stay what they are; the user's own (parameters, files, classes) are texts
        return name if name in vocabulary() else self.text(name, where)

    def hides(self, value: str, sort: Optional[str]) -> bool:
        """Whether a value under a name of that sort goes whole."""
        return bool(sort) and looks_secret(value, sort) and not {"secret", value.lower()} & self.keep

    def _list(self, value: list, where: str, key: str) -> list:
        """A list; in a command line, the value after an option named like a secret goes too."""
        out, option = [], None
        for item in value:
            if isinstance(item, str) and not item.startswith("-") and self.hides(item, option):
                out.append(self.take("proxy" if option == "proxy" else "secret", item, where))
            else:
                out.append(self.value(item, where, key))
            named = isinstance(item, str) and re.fullmatch(r"--?([A-Za-z][\w.-]*)", item)
            option = sort_of_name(named.group(1)) if named else None
        return out

    # --- CSV ----------------------------------------------------------------------------------------------------------
    def csv(self, text: str, where: str) -> str:
        """A table; the column of a secret's name goes whole."""
        try:
            rows = list(csv.reader(io.StringIO(text, newline="")))
        except csv.Error:
            return self.text(text, where)
        if not rows:
            return text
        sorts = [sort_of_name(name) for name in rows[0]]
        clean = [[self._key(name, where) for name in rows[0]]]
        for row in rows[1:]:
            clean.append(
                [self._cell(cell, sorts[i] if i < len(sorts) else None, row, i, where) for i, cell in enumerate(row)]
            )
        if clean == rows:
            return text
        out = io.StringIO(newline="")
        csv.writer(out, lineterminator="\r\n" if "\r\n" in text else "\n").writerows(clean)
        return out.getvalue()

    def _cell(self, cell: str, sort: Optional[str], row: list, column: int, where: str) -> str:
        for known in (sort, self.beside(row, column)):
            if known and self.hides(cell, known) and (known == "password" or not _NUMBER.fullmatch(cell)):
                return self.take("proxy" if known == "proxy" else "secret", cell, where)
        return cell if _NUMBER.fullmatch(cell) else self.text(cell, where)

    @staticmethod
    def beside(row: list, column: int) -> Optional[str]:
        """The sort of the name in the cell before, in a table of names and values."""
        named = column and len(row) <= 3 and re.fullmatch(r"[\w.-]+", row[column - 1].strip())
        return sort_of_name(row[column - 1]) if named else None

    # --- account ------------------------------------------------------------------------------------------------------
    def replaced(self) -> list:
        """What was replaced, by file; the values themselves are nowhere."""
        return [Replaced(*key, count) for key, count in sorted(self._counts.items())]


_REPLACED = re.compile(r"(?:\w+\s+)?REMOVED_[A-Z]+_\d+")
_VERSION = re.compile(r"[\w.+-]{1,40}")
_NUMBER = re.compile(r"\s*[-+]?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|nan|inf)?\s*", re.IGNORECASE)


def _without_overlaps(found: list) -> list:
    """Of pieces that overlap, the longest; of equal ones, the kind that stands first in KINDS."""
    kept, end = [], -1
    for piece in sorted(found, key=lambda f: (f.start, -f.end, KINDS.index(f.kind))):
        if piece.start >= end:
            kept.append(piece)
            end = piece.end
        elif piece.end > end:
            # reaches further than the one before: both go as one
            last = kept.pop()
            kind = min(last.kind, piece.kind, key=KINDS.index)
            kept.append(Found(last.start, piece.end, kind))
            end = piece.end
    return kept
