"""Edits of the user's files on their syntax trees (LibCST): what is not edited stays as it was written, to the blank."""

from collections import defaultdict
from difflib import SequenceMatcher
from pathlib import Path
from typing import Callable, Optional

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider


class NoPlace(Exception):
    """The place that an edit needs is not there, or not the only one; the message says which."""


class SourceFile:
    """One file and the edits that were asked for; `text` makes them all at once, so that they may lie within each other."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with open(path, encoding="utf-8", newline="") as file:
            self.before = file.read()
        self._wrapper = MetadataWrapper(cst.parse_module(self.before))
        self.module = self._wrapper.module
        self._positions = self._wrapper.resolve(PositionProvider)
        self._parents = self._wrapper.resolve(ParentNodeProvider)
        self._changes, self._above, self._below, self._dropped = (
            defaultdict(list),
            defaultdict(list),
            defaultdict(list),
            set(),
        )

    # --- finding ------------------------------------------------------------------------------------------------
    def nodes(self, kind, inside: Optional[cst.CSTNode] = None) -> list:
        """All nodes of a kind in the order of the source."""
        found = [node for node in _walk(inside or self.module) if isinstance(node, kind)]
        return sorted(found, key=lambda node: self.start(node))

    def at(self, line: int, kind) -> list:
        """The nodes of a kind that hold a line, the smallest first."""
        held = [node for node in self.nodes(kind) if self.start(node)[0] <= line <= self.end(node)[0]]
        return sorted(held, key=lambda node: self.end(node)[0] - self.start(node)[0])

    def start(self, node) -> tuple:
        place = self._positions[node].start
        return place.line, place.column

    def end(self, node) -> tuple:
        place = self._positions[node].end
        return place.line, place.column

    def parent(self, node, kind) -> Optional[cst.CSTNode]:
        """The nearest node of a kind around this one."""
        while node is not None and not isinstance(node, kind):
            node = self._parents.get(node)
        return node

    def holder(self, node) -> Optional[cst.CSTNode]:
        """The node that holds this one."""
        return self._parents.get(node)

    def code(self, node) -> str:
        return self.module.code_for_node(node)

    def call_at(self, line: int, name: str) -> cst.Call:
        """The call of a function of that last name that holds a line.

        Raises:
            NoPlace: There is none, or more than one.
        """
        found = [call for call in self.at(line, cst.Call) if last_name(call.func) == name]
        return only(found, f"a call of {name}", self.path, line)

    # --- editing ------------------------------------------------------------------------------------------------
    def change(self, node, make: Callable) -> None:
        """Puts ``make(node)`` in the place of a node; ``make`` is given the node with the edits inside it."""
        self._changes[node].append(make)

    def replace(self, node, code: str) -> None:
        """Puts an expression in the place of another."""
        self.change(node, lambda _: cst.parse_expression(code))

    def put_above(self, node, code: str) -> None:
        """Puts a statement in front of the one that holds ``node``."""
        self._above[self._statement(node)].append(code)

    def put_below(self, node, code: str) -> None:
        self._below[self._statement(node)].append(code)

    def drop(self, node) -> None:
        """Takes out the statement that holds ``node``."""
        self._dropped.add(self._statement(node))

    def _statement(self, node):
        return self.parent(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement))

    def text(self) -> str:
        """The file after all edits."""
        return self._wrapper.module.visit(_Apply(self._changes, self._above, self._below, self._dropped)).code


class Project:
    """The user's files that edits are made in."""

    def __init__(self, case) -> None:
        self._case, self._files = case, {}

    def file(self, name: str) -> SourceFile:
        """The file of a place.

        Raises:
            NoPlace: It is not the user's, or cannot be parsed.
        """
        path = self._case.path(name)
        if path not in self._files:
            if not self._case.patchable(path):
                raise NoPlace(f"{name} is not among the files of the script")
            try:
                self._files[path] = SourceFile(path)
            except (OSError, UnicodeDecodeError, cst.ParserSyntaxError) as error:
                raise NoPlace(f"{name} cannot be parsed: {str(error).splitlines()[0]}") from None
        return self._files[path]

    def changed(self) -> dict:
        """``{path: (before, after)}`` of the files that the edits change."""
        texts = {path: (file.before, file.text()) for path, file in self._files.items()}
        return {path: pair for path, pair in texts.items() if pair[0] != pair[1]}


def line_after(before: str, after: str, line: int) -> int:
    """The line of a file after edits that a line of it was before."""
    lines = SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    for _, start, end, new, new_end in lines.get_opcodes():
        if start <= line - 1 < end:
            return min(new + (line - 1 - start), max(new, new_end - 1)) + 1
    return line


class _Apply(cst.CSTTransformer):
    def __init__(self, changes: dict, above: dict, below: dict, dropped: set) -> None:
        super().__init__()
        self._changes, self._above, self._below, self._dropped = changes, above, below, dropped

    def on_leave(self, original_node, updated_node):
        updated_node = super().on_leave(original_node, updated_node)
        for make in self._changes.get(original_node, ()):
            updated_node = make(updated_node)
        if original_node in self._dropped:
            updated_node = cst.RemovalSentinel.REMOVE
        above, below = self._above.get(original_node, ()), self._below.get(original_node, ())
        if not above and not below:
            return updated_node
        kept = [] if updated_node is cst.RemovalSentinel.REMOVE else [updated_node]
        made = [cst.parse_statement(code) for code in above], [cst.parse_statement(code) for code in below]
        return cst.FlattenSentinel([*made[0], *kept, *made[1]])


def _walk(node):
    yield node
    for child in node.children:
        yield from _walk(child)


def only(found: list, what: str, path: Path, line: Optional[int] = None):
    """The only one of ``found``.

    Raises:
        NoPlace: There is none, or more than one.
    """
    if len(found) != 1:
        where = f"{path.name}:{line}" if line else path.name
        raise NoPlace(f"{len(found) or 'no'} places for {what} at {where}")
    return found[0]


def last_name(node) -> Optional[str]:
    """``Adam`` of ``nn.Adam`` and of ``Adam``."""
    if isinstance(node, cst.Attribute):
        return node.attr.value
    return node.value if isinstance(node, cst.Name) else None


def argument(call: cst.Call, keyword: str, position: Optional[int] = None) -> Optional[cst.Arg]:
    """The argument of a call by its keyword, or by its position where none of the arguments before it is starred."""
    for number, arg in enumerate(call.args):
        if arg.star:
            return None
        if (arg.keyword is not None and arg.keyword.value == keyword) or (arg.keyword is None and number == position):
            return arg
    return None


def with_argument(call: cst.Call, keyword: str, code: str) -> cst.Call:
    """The call with a further keyword argument."""
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    return call.with_changes(args=[*call.args, cst.Arg(cst.parse_expression(code), cst.Name(keyword), equal=equal)])


def module_alias(file: SourceFile, module: str) -> Optional[str]:
    """The name under which a file has imported a module: ``ms`` of ``import mindspore as ms``, ``nn`` of ``from mindspore
    import nn``; None where it has not."""
    package, _, name = module.rpartition(".")
    for node in file.nodes((cst.Import, cst.ImportFrom)):
        if isinstance(node.names, cst.ImportStar):
            continue
        whole = isinstance(node, cst.Import)
        if not whole and (node.module is None or file.code(node.module) != package):
            continue
        for alias in node.names:
            if file.code(alias.name) == (module if whole else name):
                return file.code(alias.asname.name) if alias.asname else file.code(alias.name)
    return None
