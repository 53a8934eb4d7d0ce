"""A step between reading a sample and preparing it that one of two functions has, and the other leaves out (dp.02)."""

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import FunctionNode, called_name

#: Steps that have no chance in them and change what a sample means: by a function or method of that name.
_STEPS = {
    "cvtColor",
    "transpose",
    "swapaxes",
    "moveaxis",
    "log",
    "log1p",
    "log10",
    "sqrt",
    "lower",
    "strip",
    "casefold",
}
#: How the names of methods begin that read a sample.
_READS = re.compile(r"(im)?(read|open|load|decode)|fetch")
#: Functions that read something else than the inputs.
_OTHERS = re.compile(r"mask|label|target|depth|(^|_)(gt|seg)(_|$)", re.IGNORECASE)
#: What may hold what was read: constants do not.
_VALUES = (ast.Name, ast.Subscript, ast.BinOp, ast.Call)
_TURNED = "·"


class _Path(NamedTuple):
    """From the call that reads a sample to the one that prepares it: the ``function`` around by name and place, the names of both
    with the constants that the first is given, the ``steps`` in between as the code has them, and the places of the preparing
    call and of the steps."""

    function: str
    read: str
    given: tuple
    prepared: str
    steps: tuple
    at: Fact
    lines: tuple


def left_out_step(run_data: RunData) -> Optional[Finding]:
    """A problem where two functions hand what one method reads to one function that prepares it, and only one of them turns its
    channels round, transposes it, takes a logarithm or multiplies it by a number in between; None elsewhere. What is done under a
    condition is no such step, and masks and labels are read otherwise than pictures."""
    paths = [one for one in _paths(run_data) if _is_known(run_data, one)]
    for whole in paths:
        for other in paths:
            same = (whole.read, whole.given, whole.prepared) == (other.read, other.given, other.prepared)
            missing = [one for one in whole.steps if one not in other.steps]
            if same and missing and set(other.steps) <= set(whole.steps) and whole.function != other.function:
                lines = [line for step, line in zip(whole.steps, whole.lines) if step in missing]
                return _finding(whole, other, missing[0], place(whole.at.file, lines[0]))
    return None


def _is_known(run_data: RunData, path: _Path) -> bool:
    """Whether the preparing function is the script's own, the other one reads by its name, and what it reads are inputs."""
    reads = _READS.match(path.read) is not None and not _OTHERS.search(path.function.split()[0])
    return reads and bool(run_data.source.functions(path.prepared))


def _paths(run_data: RunData) -> Iterator[_Path]:
    """The paths in functions that call one of the script's own which another place calls too."""
    calls: dict = {}
    reading = {file for name, files in run_data.source.names_called().items() if _READS.match(name) for file in files}
    for file in sorted(reading):
        for call in run_data.source.nodes(file, ast.Call):
            if isinstance(call.func, ast.Name) and call.args and isinstance(call.args[0], _VALUES):
                calls.setdefault(call.func.id, []).append((file, call.lineno))
    several = (found for name, found in calls.items() if found[1:] and run_data.source.functions(name))
    around = {(file, run_data.source.function_around(file, line)) for found in several for file, line in found}
    inside = [(file, function) for file, function in around if function is not None]
    for file, function in sorted(inside, key=lambda pair: (pair[0], pair[1].lineno)):
        for block in _blocks(function):
            yield from _of_block(file, f"{function.name} {file}:{function.lineno}", block)


def _blocks(function: FunctionNode) -> Iterator[list]:
    """The body of a function, and those of its loops."""
    yield function.body
    for one in ast.walk(function):
        if isinstance(one, ast.For) and one is not function:
            yield one.body


def _of_block(file: str, function: str, block: list) -> Iterator[_Path]:
    held: dict = {}
    for statement in block:
        if not isinstance(statement, (ast.Assign, ast.Expr, ast.Return)) or statement.value is None:
            continue
        calls = [one for one in ast.walk(statement.value) if isinstance(one, ast.Call) and one.args]
        for call in (one for one in calls if isinstance(one.func, ast.Name)):
            chain = _chain(call.args[0], held)
            if chain is not None:
                read, given, steps = chain
                texts, lines = tuple(text for text, _ in steps), tuple(line for _, line in steps)
                yield _Path(function, read, given, called_name(call), texts, place(file, call.lineno), lines)
        targets = statement.targets if isinstance(statement, ast.Assign) else []
        if len(targets) == 1 and isinstance(targets[0], ast.Name):
            held[targets[0].id] = _chain(statement.value, held)


def _chain(node: ast.expr, held: dict) -> Optional[tuple]:
    """``(method, constants that it is given, steps)`` of a value that a method read, each step ``(code, line)``; None of any
    other."""
    if isinstance(node, ast.Name):
        return held.get(node.id)
    inner = _inner(node)
    if inner is not None:
        before = _chain(inner, held)
        return None if before is None else (*before[:2], [*before[2], (_code(node, inner), node.lineno)])
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    given = [*node.args[1:], *(word.value for word in node.keywords)]
    return called_name(node), tuple(ast.unparse(one) for one in given), []


def _inner(node: ast.expr) -> Optional[ast.expr]:
    """What a step is taken of; None of what is no such step."""
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return node.value if any(isinstance(one, ast.Slice) and one.step is not None for one in parts) else None
    if (
        isinstance(node, ast.BinOp)
        and isinstance(node.op, (ast.Mult, ast.Div))
        and isinstance(node.right, ast.Constant)
    ):
        return node.left
    if isinstance(node, ast.Call) and called_name(node) in _STEPS:
        module = (
            isinstance(node.func, ast.Attribute)
            and node.args
            and ast.unparse(node.func.value) in ("np", "cv2", "numpy")
        )
        if module:
            return node.args[0]
        return node.func.value if isinstance(node.func, ast.Attribute) else None
    return None


def _code(node: ast.expr, inner: ast.expr) -> str:
    return ast.unparse(node).replace(ast.unparse(inner), _TURNED, 1)


def _finding(whole: _Path, other: _Path, step: str, where: Fact) -> Finding:
    return problem(
        Text(
            "{where} 对 {read} 读入的样本先做 {step}，再交给 {prepared}；{other} 却直接交给 {prepared}，少了这一步："
            "两处的网络输入不同。",
            "{where} takes {step} of what {read} reads before {prepared}, and {other} hands it to {prepared} without that: the "
            "network is given other inputs in one of the two.",
            where=at(where),
            other=at(other.at),
            read=whole.read,
            prepared=whole.prepared,
            step=step.replace(_TURNED, "x"),
        ),
        Text("把这一步移进两处共用的函数。", "Move the step into the function that both use."),
        [],
        [other.at, where],
    )
