"""The source of a program: finding the places of mutations with LibCST, and editing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider


class NotFoundError(Exception):
    """The place that an operator looks for does not exist in the program."""


@dataclass(frozen=True)
class Span:
    """A piece of a file: lines from 1, columns from 0, the end column excluded."""

    file: str
    start: tuple[int, int]
    end: tuple[int, int]

    def lines(self) -> tuple[str, int, int]:
        """The file with the first and the last line."""
        return self.file, self.start[0], self.end[0]


@dataclass(frozen=True)
class Edit:
    """A piece of a file and the text that takes its place."""

    span: Span
    text: str
    #: Whether the fault stands here; an import that it needs does not.
    place: bool = True


@dataclass
class Module:
    """One parsed file."""

    name: str
    text: str
    wrapper: MetadataWrapper = field(init=False)

    def __post_init__(self) -> None:
        self.wrapper = MetadataWrapper(cst.parse_module(self.text))
        self._positions = self.wrapper.resolve(PositionProvider)
        self._parents = self.wrapper.resolve(ParentNodeProvider)

    def nodes(self, kind: type, inside: cst.CSTNode | None = None) -> Iterator:
        """All nodes of a kind in the order of the source."""
        root = inside if inside is not None else self.wrapper.module
        found = [node for node in _walk(root) if isinstance(node, kind)]
        return iter(sorted(found, key=lambda node: self.span(node).start))

    def span(self, node: cst.CSTNode) -> Span:
        """Where the node stands."""
        place = self._positions[node]
        return Span(self.name, (place.start.line, place.start.column), (place.end.line, place.end.column))

    def code(self, node: cst.CSTNode) -> str:
        """The source text of the node."""
        return self.wrapper.module.code_for_node(node)

    def parent(self, node: cst.CSTNode, kind: type) -> cst.CSTNode:
        """The nearest node of a kind around this one."""
        while not isinstance(node, kind):
            node = self._parents[node]
        return node

    def statement(self, node: cst.CSTNode) -> Span:
        """The simple statement around a node; the node itself where it stands in a compound statement's header."""
        while not isinstance(node, (cst.SimpleStatementLine, cst.BaseCompoundStatement, cst.Module)):
            previous, node = node, self._parents[node]
            if isinstance(node, cst.BaseCompoundStatement):
                return self.span(previous)
        return self.span(node)

    def statement_at(self, line: int) -> Span:
        """The smallest simple statement that holds a line; the line itself where there is none."""
        spans = [self.span(node) for node in self.nodes(cst.SimpleStatementLine)]
        around = [span for span in spans if span.start[0] <= line <= span.end[0]]
        return around[0] if around else Span(self.name, (line, 0), (line, 0))

    def find(self, text: str) -> Span:
        """The only place where a text stands."""
        if self.text.count(text) != 1:
            raise NotFoundError(f"{self.name}: {self.text.count(text)} times {text!r}")
        before, here = self.text[: self.text.index(text)], text
        start = (before.count("\n") + 1, len(before) - (before.rfind("\n") + 1))
        last = here.rsplit("\n", 1)[-1]
        end = (start[0] + here.count("\n"), len(last) + (start[1] if "\n" not in here else 0))
        return Span(self.name, start, end)


def _walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    yield node
    for child in node.children:
        yield from _walk(child)


class Program:
    """The Python files of a program."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts = {
            path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir()) if path.is_file()
        }
        self.modules = [Module(name, text) for name, text in self.texts.items() if name.endswith(".py")]
        self.modules.sort(key=lambda module: module.name != "train.py")

    def module(self, name: str) -> Module:
        """The file of that name."""
        return next(module for module in self.modules if module.name == name)

    def calls(self, wanted: Callable[[str], bool]) -> Iterator[tuple[Module, cst.Call]]:
        """The calls of functions whose name, as it is written, is wanted."""
        for module in self.modules:
            for call in module.nodes(cst.Call):
                if wanted(module.code(call.func)):
                    yield module, call

    def class_named(self, name: str) -> tuple[Module, cst.ClassDef]:
        """The class of that name."""
        for module in self.modules:
            for node in module.nodes(cst.ClassDef):
                if node.name.value == name:
                    return module, node
        raise NotFoundError(f"class {name}")


def apply(texts: dict[str, str], edits: list[Edit]) -> tuple[dict[str, str], list[tuple[str, int, int]]]:
    """The files after the edits, and the lines (file, first, last) that each edit has become, in the edits' order."""
    texts, places = dict(texts), {}
    ordered = sorted(edits, key=lambda edit: (edit.span.file, edit.span.start))
    shift: dict[str, int] = {}
    for edit in ordered:
        moved, grown = shift.get(edit.span.file, 0), edit.text.count("\n") - (edit.span.end[0] - edit.span.start[0])
        first = edit.span.start[0] + moved
        places[edit] = (edit.span.file, first, first + edit.text.rstrip("\n").count("\n"))
        shift[edit.span.file] = moved + grown
    for edit in reversed(ordered):
        lines = texts[edit.span.file].splitlines(keepends=True)
        (row, column), (end_row, end_column) = edit.span.start, edit.span.end
        before = "".join(lines[: row - 1]) + (lines[row - 1][:column] if row <= len(lines) else "")
        after = (lines[end_row - 1][end_column:] if end_row <= len(lines) else "") + "".join(lines[end_row:])
        texts[edit.span.file] = before + edit.text + after
    return texts, [places[edit] for edit in edits if edit.place]
