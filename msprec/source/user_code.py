"""The user's own files as syntax trees: just enough to tell what the code around a fact does."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import Optional

GRADIENTS = {"value_and_grad", "grad", "GradOperation", "vjp", "get_vjp"}
_FORWARD_NAMES = re.compile(r"forward|train_?step|net_with_loss|loss_fn|criterion|compute_loss")
_ITERATORS = re.compile(r"create_(tuple|dict)_iterator|data_?set|data_?loader|loader|train|batch", re.IGNORECASE)


class Scope:
    """A piece of code that the delivered data run through: its node, its file, and the names that hold the data."""

    def __init__(self, file: str, node: ast.AST, inputs: list, kind: str):
        self.file, self.node, self.inputs, self.kind = file, node, inputs, kind


class Code:
    """The user's files by the names that places use. A file that does not parse is left out."""

    def __init__(self, texts: dict):
        self.texts = texts
        self.trees = {}
        for name, text in sorted(texts.items()):
            tree = _parse(text)
            if tree is not None:
                self.trees[name] = tree

    def grep(self, pattern) -> Iterator[tuple]:
        """(file, line) of every line that matches, with comments and docstrings left out."""
        for name, number, _ in self.matches(pattern):
            yield name, number

    def matches(self, pattern) -> Iterator[tuple]:
        """(file, line, first match) of every line that matches, as for `grep`."""
        for name, text in sorted(self.texts.items()):
            for number, line in _code_lines(text):
                found = pattern.search(line)
                if found:
                    yield name, number, found

    def class_around(self, file: str, line: int) -> Optional[ast.ClassDef]:
        """The innermost class around a line."""
        around = [node for node in self.enclosing(file, line) if isinstance(node, ast.ClassDef)]
        return around[-1] if around else None

    def related(self, one: ast.ClassDef, other: ast.ClassDef) -> bool:
        """Whether they are one class, or one of them comes, over any number of classes, from one of the other's name."""
        return one is other or other.name in self._ancestors(one) or one.name in self._ancestors(other)

    def _ancestors(self, node: ast.ClassDef) -> set:
        found, waiting = set(), [node]
        while waiting:
            bases = {ast.unparse(base).rpartition(".")[2] for base in waiting.pop().bases} - found
            found |= bases
            waiting += [inner for name in bases for _, inner in self.classes(name)]
        return found

    def classes(self, name: str) -> list:
        """(file, ClassDef) of the classes of that name."""
        return [
            (file, node)
            for file, tree in self.trees.items()
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef) and node.name == name
        ]

    def enclosing(self, file: str, line: int) -> list:
        """The functions, loops and other statements around a line, outermost first."""
        tree = self.trees.get(file)
        found = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and _spans(node, line)] if tree else []
        return sorted(found, key=lambda node: (node.lineno, -(node.end_lineno or 0)))

    def delivered_scopes(self) -> list:
        """Where delivered data are handled: construct methods, functions under a gradient, loops over data sets."""
        return [scope for file, tree in self.trees.items() for scope in _scopes(file, tree)]

    def calls(self, scope_node: ast.AST) -> Iterator[tuple]:
        """(call, chain of parents inside the scope, nearest first)."""
        yield from _calls(scope_node, ())


def construct_of(node: ast.ClassDef) -> Optional[ast.FunctionDef]:
    return next((part for part in node.body if isinstance(part, ast.FunctionDef) and part.name == "construct"), None)


def argument_names(function: ast.AST) -> list:
    names = [arg.arg for arg in function.args.posonlyargs + function.args.args]
    return names[1:] if names[:1] == ["self"] else names


def target_names(target: ast.AST) -> list:
    """The names that a loop binds: ``i, (x, y)`` gives i, x, y."""
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]


def called_name(call: ast.Call) -> str:
    """The last part of what is called: ``ops.isnan(x)`` gives isnan."""
    function = call.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def root_name(node: ast.AST) -> str:
    """The leftmost name of a dotted expression: ``np.linalg.norm`` gives np."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def is_data_loop(node: ast.AST) -> bool:
    """A ``for`` over something that looks like a data set or its iterator."""
    return isinstance(node, ast.For) and bool(_ITERATORS.search(ast.unparse(node.iter)))


def _parse(text: str) -> Optional[ast.Module]:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _code_lines(text: str) -> list:
    lines = text.splitlines()
    for number, first, last in _silent(text):
        if 0 < number <= len(lines):
            line = lines[number - 1]
            lines[number - 1] = line[:first] + line[last:] if last is not None else line[:first]
    return list(enumerate(lines, 1))


def _silent(text: str) -> list:
    """Comments and strings of several lines, as (line, from column, to column)."""
    pieces = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            (start, column), (end, end_column) = token.start, token.end
            if token.type == tokenize.COMMENT:
                pieces.append((start, column, None))
            elif token.type == tokenize.STRING and end > start:
                pieces += [(line, 0, end_column if line == end else None) for line in range(start + 1, end + 1)]
    except (tokenize.TokenError, SyntaxError, ValueError):
        pass
    return pieces


def _spans(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _scopes(file: str, tree: ast.Module) -> Iterator[Scope]:
    under_gradient = _under_gradient(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.name == "construct":
                yield Scope(file, node, argument_names(node), "construct")
            elif node.name in under_gradient or _FORWARD_NAMES.search(node.name):
                yield Scope(file, node, argument_names(node), "function")
        elif is_data_loop(node):
            yield Scope(file, node, target_names(node.target), "loop")


def _under_gradient(tree: ast.Module) -> set:
    """Names handed to value_and_grad and its kin."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called_name(node) in GRADIENTS:
            names |= {root_name(argument) for argument in node.args[:1]}
    return names - {""}


def _calls(node: ast.AST, parents: tuple) -> Iterator[tuple]:
    stack = [(node, parents)]
    while stack:
        current, chain = stack.pop()
        if isinstance(current, ast.Call):
            yield current, chain
        stack += [(child, (current, *chain)) for child in ast.iter_child_nodes(current)]
