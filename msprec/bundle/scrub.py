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
from bisect import bisect_right
from collections import Counter
from typing import NamedTuple, Optional

from msprec.bundle.code import strings_and_comments
from msprec.bundle.marks import find_marks, find_names, hosts_in, persons_in, users_in
from msprec.bundle.names import (
    KINDS,
    SecretSpan,
    in_container,
    is_container,
    is_distinctive,
    looks_secret,
    sort_of_name,
)
from msprec.bundle.patterns import find_secrets
from msprec.record.schema.vocabulary import vocabulary

# accounts that many machines have: they identify nobody
_COMMON_TEXT = """
    root user users admin ubuntu centos debian ma-user hwhiaiuser jovyan vscode runner guest nobody localhost localdomain docker
    container home work data test dev model models train python mindspore ascend numpy torch pandas self nn ops public share
    shared build tmp main base run epoch batch step mindspore-ai mindspore-lab huawei modelarts github gitlab git unknown none
    null default system administrator nvidia slurm worker master host server client local owner author name team actions bot gpu
    npu cpu
"""
_COMMON = frozenset(_COMMON_TEXT.split())


class Replaced(NamedTuple):
    """How often something was replaced in a file."""

    file: str
    kind: str
    by: str
    count: int


class ShownReplacement(NamedTuple):
    """One replacement as a person reviews it: where, what stood there, what stands there now, and the text around."""

    file: str
    line: int
    kind: str
    value: str
    by: str
    around: str


class Scrubber:
    """Scrubs the files of one bundle.

    Args:
        users: User names known from the system; more are learnt from paths by `learn`.
        hosts: Host names of this machine.
        homes: Home folders in unusual places.
        keep: Kinds (of `names.KINDS`) or exact texts that stay.
        persons: Names of people, replaced in every order and way of writing.
    """

    def __init__(self, users=(), hosts=(), homes=(), keep=(), persons=()) -> None:
        self.keep = {k.lower() for k in keep}
        self.names = {"user": set(), "host": set(), "person": set()}
        self.shown: list[ShownReplacement] = []
        self.known: set[str] = set()
        self.homes = sorted(
            {h.rstrip("/\\") for h in homes if len(h) > 3 and h not in ("/root", "/home")}, key=len, reverse=True
        )
        self._numbers, self._counts = {}, Counter()
        self.add_names("user", users)
        self.add_names("host", hosts)
        self.add_persons(persons)

    def add_names(self, kind: str, names) -> None:
        """Names to be replaced wherever they stand as a word; common ones and those of fewer than three letters are not."""
        # the words of the run folder's schema are msprec's, even where a user is called so
        words = vocabulary() | set(keyword.kwlist) | set(dir(builtins))
        self.names[kind] |= {
            name for name in names if len(name) >= 3 and name.lower() not in words | _COMMON and not name.isdigit()
        }

    def add_persons(self, names) -> None:
        """Names of people; one of a single word is taken as that of an account."""
        for name in (name.strip() for name in names):
            if len(name.split()) > 1 or not name.isascii():
                self.names["person"] |= (
                    {name} if 2 <= len(name) <= 60 and name.split()[0].lower() not in _COMMON else set()
                )
            else:
                self.add_names("user", [name])

    def learn(self, text: str) -> None:
        """Takes the names of people, users and hosts out of texts; call it for every file before the first is scrubbed."""
        self.add_persons(persons_in(text))
        self.add_names("user", users_in(text))
        self.add_names("host", hosts_in(text))

    # --- text ---------------------------------------------------------------------------------------------------------
    def spans(self, text: str, code: bool = False) -> list:
        """What is to be replaced in a text, in order and without overlaps."""
        found = find_secrets(text, code)
        marks = self._marks(text)
        if code:  # x@w and 1::2 outside of strings and comments are expressions
            inside = strings_and_comments(text)
            starts = [start for start, _ in inside]
            marks = [f for f in marks if (i := bisect_right(starts, f.start)) and f.end <= inside[i - 1][1]]
        found += marks
        for value in self.known:
            found += (
                [SecretSpan(m.start(), m.end(), "secret") for m in re.finditer(re.escape(value), text)]
                if value in text
                else []
            )
        if code:
            found += find_names(text, self.names, code=True)
        found = [f for f in found if not _REPLACED.fullmatch(text, f.start, f.end)]
        kept = [f for f in found if self._kept(f, text)]
        inside_kept = {f for f in found for k in kept if k.start <= f.start and f.end <= k.end}
        return _without_overlaps([f for f in found if f not in inside_kept])

    def known_in(self, data: bytes) -> bool:
        """Whether a secret that was told elsewhere stands in the bytes of a text."""
        return any(value.encode("utf-8", "replace") in data for value in self.known)

    def _marks(self, text: str) -> list:
        found = [*find_marks(text), *find_names(text, self.names)]
        for home in self.homes:
            found += [SecretSpan(m.start(), m.end(), "home") for m in re.finditer(re.escape(home) + r"(?![\w-])", text)]
        return found

    def _kept(self, found: SecretSpan, text: str) -> bool:
        kind = "secret" if found.kind == "number" else found.kind
        return kind in self.keep or text[found.start : found.end].lower() in self.keep

    def replacement(self, kind: str, value: str) -> str:
        """The word that stands for a value: the same one for the same value."""
        if kind == "home":
            return "~"
        if kind == "number":  # where an expression stands in code
            return f'"{self.replacement("secret", value)}"'
        key = (kind, value if kind in ("secret", "proxy") else value.lower())
        if key not in self._numbers:
            self._numbers[key] = 1 + sum(known == kind for known, _ in self._numbers)
        return f"REMOVED_{kind.upper()}_{self._numbers[key]}"

    def text(self, text: str, where: str, code: bool = False) -> str:
        """The text with what must not leave the machine replaced."""
        out, position = [], 0
        for found in self.spans(text, code):
            out += [
                text[position : found.start],
                self.take(found.kind, text[found.start : found.end], where, text, found.start),
            ]
            position = found.end
        return "".join(out) + text[position:]

    def take(self, kind: str, value: str, where: str, text: str = "", start: int = 0) -> str:
        """The replacement of a value, entered into the account; ``text`` and ``start``: where it stood."""
        by = self.replacement(kind, value)
        self._counts[where, "secret" if kind == "number" else kind, by.strip('"')] += 1
        if kind == "secret" and is_distinctive(value):
            self.known.add(value)
        if len(self.shown) < _MOST_SHOWN:
            begin, end = text.rfind("\n", 0, start) + 1, text.find("\n", start + len(value))
            line = text[max(begin, start - 40) : min(end if end >= 0 else len(text), start + len(value) + 20)]
            self.shown.append(
                ShownReplacement(
                    where, text.count("\n", 0, start) + 1 if text else 0, kind, value, by, line.strip() or value
                )
            )
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
        if where.endswith(".ipynb") and isinstance(value, dict):
            value = {**value, "cells": [self._notebook_cell(cell, where) for cell in value.get("cells") or []]}
        clean = self.value(value, where)
        return (
            text
            if clean == json.loads(text)
            else json.dumps(clean, ensure_ascii=False, indent=1, sort_keys=False) + "\n"
        )

    def _notebook_cell(self, cell, where: str):
        """A cell whose source is scrubbed as what it is; its outputs are texts."""
        if not isinstance(cell, dict):
            return cell
        source, code = cell.get("source", ""), cell.get("cell_type") == "code"
        whole = "".join(map(str, source)) if isinstance(source, list) else str(source)
        clean = self.text(whole, where, code)
        cell = {**cell, "source": clean.splitlines(keepends=True) if isinstance(source, list) else clean}
        for output in [o for o in cell.get("outputs") or [] if isinstance(o, dict)]:
            # lines of one text: a secret may stand on several
            for part, key in ((output, "text"), *((output.get("data") or {}, k) for k in ("text/plain", "text/html"))):
                if isinstance(part, dict) and isinstance(part.get(key), list):
                    part[key] = self.text("".join(map(str, part[key])), where).splitlines(keepends=True)
        return cell

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

    def value(self, value, where: str, key: str = "", inside: str = ""):
        """A JSON value under a key; ``inside``: the sort of a container of secrets in which it lies."""
        if isinstance(value, dict):
            if key in ("versions", "packages"):  # 4.10.0.84 is a version here, not an address
                return {
                    name: v if _VERSION.fullmatch(str(v)) else self.value(v, where, name) for name, v in value.items()
                }
            deeper = (sort_of_name(key) or "password") if is_container(key) else inside
            named = value.get("name") or value.get("key")  # {"name": "DB_PASSWORD", "value": …}
            named = named if isinstance(named, str) and sort_of_name(named) else ""
            return {
                self._key(name, where): self.value(item, where, named if named and name == "value" else name, deeper)
                for name, item in value.items()
            }
        if isinstance(value, list):
            return self._list(value, where, key, (sort_of_name(key) or "password") if is_container(key) else inside)
        sort = sort_of_name(key)
        if isinstance(value, str):
            if self.hides(value, sort) or (inside and in_container(value, inside, key) and "secret" not in self.keep):
                return self.take(sort if sort in ("proxy", "phone") else "secret", value, where)
            return self.text(value, where, code=key in ("code", "expression"))
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and "secret" not in self.keep
        if number and (sort == "password" or (sort == "phone" and value > 10**6)):
            return self.take("phone" if sort == "phone" else "secret", str(value), where)
        return value

    def _key(self, name: str, where: str) -> str:
        # the names of the schema stay what they are; the user's own (parameters, files, classes) are texts
        return name if name in vocabulary() else self.text(name, where)

    def hides(self, value: str, sort: Optional[str]) -> bool:
        """Whether a value under a name of that sort goes whole."""
        return bool(sort) and looks_secret(value, sort) and not {"secret", value.lower()} & self.keep

    def _list(self, value: list, where: str, key: str, inside: str = "") -> list:
        """A list; in a command line, the value after an option named like a secret goes too."""
        out, option = [], None
        of_mysql = any(isinstance(item, str) and re.search(r"(?:mysql|mariadb)\w*$", item) for item in value)
        for item in value:
            if of_mysql and isinstance(item, str) and re.match(r"-p[^\s]", item) and "secret" not in self.keep:
                out.append("-p" + self.take("secret", item[2:], where))
            elif isinstance(item, str) and not item.startswith("-") and self.hides(item, option):
                out.append(self.take("proxy" if option == "proxy" else "secret", item, where))
            elif isinstance(item, str) and inside and in_container(item, inside) and "secret" not in self.keep:
                out.append(self.take("secret", item, where))
            else:
                out.append(self.value(item, where, key, inside))
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
            if known and self.hides(cell, known) and (known in ("password", "phone") or not _NUMBER.fullmatch(cell)):
                return self.take(known if known in ("proxy", "phone") else "secret", cell, where)
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


_ORDER = {kind: i for i, kind in enumerate(("number", *KINDS))}
_MOST_SHOWN = 20_000
_REPLACED = re.compile(r"(?:\w+\s+)?REMOVED_[A-Z]+_\d+")
_VERSION = re.compile(r"[\w.+-]{1,40}")
_NUMBER = re.compile(r"\s*[-+]?(?:\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|nan|inf)?\s*", re.IGNORECASE)


def _without_overlaps(found: list) -> list:
    """Of pieces that overlap, the longest; of equal ones, the kind that stands first in KINDS."""
    kept, end = [], -1
    for piece in sorted(found, key=lambda f: (f.start, -f.end, _ORDER[f.kind])):
        if piece.start >= end:
            kept.append(piece)
            end = piece.end
        elif piece.end > end:
            # reaches further than the one before: both go as one
            last = kept.pop()
            kind = min(last.kind, piece.kind, key=_ORDER.__getitem__)
            kept.append(SecretSpan(last.start, piece.end, kind))
            end = piece.end
    return kept
