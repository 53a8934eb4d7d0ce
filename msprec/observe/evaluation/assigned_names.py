"""Which variables and printed expressions hold what a script computes of a network's output, by the script's source."""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Callable, NamedTuple, Optional

from msprec.observe.evaluation.returned_names import own_statements, scope_of
from msprec.record.metric_names import is_metric_name, metric_in

_GROWS = ("append", "extend", "add", "update", "insert")
_TRAINING = re.compile(r"train", re.IGNORECASE)


class Score(NamedTuple):
    """The name of a metric and the expression that has its value."""

    name: str
    expression: ast.expr


@lru_cache(maxsize=512)
def scores_after(file: str, first_line: int, function: str, line: int) -> tuple:
    """The scores that a function (``<module>``: the script itself) computes of what the statement in ``line`` gives.

    Only what is computed from it, in later lines: a mean of training losses that is taken after an evaluation is none.
    """
    scores: dict = {}
    for node, derived in computed(file, first_line, function, line):
        if not isinstance(node, ast.Return):
            _note(scores, node, _targets(node))
        if isinstance(node, ast.Expr):
            _note_printed(scores, node.value, derived)
    return tuple(Score(name, expression) for name, expression in scores.items() if expression is not None)


def computed(file: str, first_line: int, function: str, line: int) -> Iterator[tuple]:
    """``(statement, names so far)``: the statements of a function from that in ``line`` on that read what it gives, and the names
    that hold what was made of it."""
    scope = scope_of(file, first_line, function)
    if scope is None:
        return
    found = sorted(own_statements(scope), key=lambda node: getattr(node, "lineno", 0))
    kinds = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.For, ast.Expr, ast.Return)
    statements = [node for node in found if isinstance(node, kinds)]
    start = next(
        (
            node
            for node in reversed(statements)
            if not isinstance(node, ast.For) and node.lineno <= line <= (node.end_lineno or node.lineno)
        ),
        None,
    )
    if start is None:
        return
    derived: set = set()
    for node in statements:
        if node is not start and node.lineno <= start.lineno:
            continue
        if node is start or _read(node) & derived:
            derived |= set(_targets(node))
            yield node, derived


def value_read(node: ast.stmt) -> Optional[ast.AST]:
    return node.iter if isinstance(node, ast.For) else node.value


def _read(node: ast.stmt) -> set:
    """The names that a statement reads."""
    read = names_in(value_read(node))
    return read | names_in(node.target) if isinstance(node, ast.AugAssign) else read


def names_in(node: Optional[ast.AST]) -> set:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} if node is not None else set()


def _targets(node: ast.stmt) -> list:
    """The names that a statement binds or lets grow."""
    if isinstance(node, ast.Return):
        return []
    if isinstance(node, ast.Expr):
        call = node.value
        grows = isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _GROWS
        return [call.func.value.id] if grows and isinstance(call.func.value, ast.Name) else []
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)]


def _note(scores: dict, node: ast.stmt, targets: list) -> None:
    """A metric has its value where it is assigned; a sum that still grows is none."""
    if isinstance(node, (ast.For, ast.Expr)):
        return
    grows = isinstance(node, ast.AugAssign) and not isinstance(node.op, (ast.Div, ast.Mult))
    for name in targets:
        if is_metric_name(name) and not _TRAINING.search(name):
            scores[name] = None if grows else ast.Name(name, ast.Load())


def _note_printed(scores: dict, call: ast.expr, derived: set) -> None:
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "print"):
        return
    label = ""
    for part in _printed_parts(call.args):
        if isinstance(part, str):
            label = part
            continue
        words = re.split(r"[,;|]", label)[-1]
        name = metric_in(" ".join(re.findall(r"[A-Za-z_]\w*", words)))
        whole = part.id if isinstance(part, ast.Name) else None
        told = any(isinstance(other, ast.Name) and other.id in names_in(part) for other in scores.values())
        if name and names_in(part) & derived and not _TRAINING.search(label) and whole not in scores and not told:
            scores[name] = part
        label = ""


def _printed_parts(values: list) -> list:
    """Texts and expressions, in the order in which they are printed."""
    parts = []
    for value in values:
        if isinstance(value, ast.JoinedStr):
            parts += [one.value for one in value.values]  # of a text, and of an expression
        elif isinstance(value, ast.Constant) and isinstance(value.value, str):
            parts.append(value.value)
        else:
            parts.append(value)
    return parts


def value_of(expression: ast.expr, names: dict, number: Callable[[Any], Optional[float]]) -> Optional[float]:
    """What an expression of numbers gives: names, ``+ - * /``, ``float``, ``round``, ``sum``, ``len``, ``np.mean``.

    Nothing of the script's runs for it. None where it holds anything else.

    Args:
        expression: Of the script's source.
        names: What its names mean.
        number: Gives the number that a value is, or None.
    """
    try:
        return _worked_out(expression, names, number)
    except (KeyError, TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None


def _worked_out(node: ast.expr, names: dict, number: Callable) -> float:
    def again(part: ast.expr) -> float:
        return _worked_out(part, names, number)

    if isinstance(node, ast.Constant):
        return float(_known(number(node.value)))
    if isinstance(node, ast.Name):
        return _known(number(names[node.id]))
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -again(node.operand)
    if isinstance(node, ast.BinOp):
        left, right = again(node.left), again(node.right)
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Sub):
            return left - right
        if isinstance(node.op, ast.Mult):
            return left * right
        if isinstance(node.op, ast.Div):
            return left / right
    if isinstance(node, ast.Call) and not node.keywords:
        return _of_call(node, names, number, again)
    raise ValueError


def _of_call(node: ast.Call, names: dict, number: Callable, again: Callable) -> float:
    called = ast.unparse(node.func)
    if called in ("float", "round", "int") and node.args:
        return again(node.args[0])
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("item", "asnumpy") and not node.args:
        return again(node.func.value)
    if called in ("sum", "len", "np.mean", "numpy.mean", "np.sum", "mean") and len(node.args) == 1:
        if called == "len" and isinstance(node.args[0], ast.Name):
            return float(len(names[node.args[0].id]))
        listed = names[node.args[0].id] if isinstance(node.args[0], ast.Name) else None
        if not isinstance(listed, (list, tuple)) or not listed or len(listed) > 10000:
            raise ValueError
        values = [_known(number(one)) for one in listed]
        return sum(values) if called.endswith("sum") else sum(values) / len(values)
    raise ValueError


def _known(value: Optional[float]) -> float:
    if value is None:
        raise ValueError
    return value
