"""Does the network, or the loop around it, scale the data before the first layer? Read from the source (dp.01)."""

import ast
import re
from typing import Any, NamedTuple, Optional, Union

from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.names import words
from msprec.source.user_code import argument_names, called_name, construct_of, root_name, target_names

_NORMS = re.compile(r"norm", re.IGNORECASE)
_SCALING_CALL = re.compile(
    r"normali[sz]e|standardi[sz]e|rescale|preprocess|layer_norm|batch_norm|instance_norm", re.IGNORECASE
)
_KEEPS = words(
    """
    astype cast float half to reshape view transpose permute swapaxes expand_dims squeeze unsqueeze flatten Tensor
    tensor copy contiguous asnumpy from_numpy array asarray narrow
    """
)


class Scaling(NamedTuple):
    """One scaling of the input: ``factor`` when it is a plain multiplication by a known number."""

    kind: str  # "factor", "standardise", "norm", "call", "unknown"
    factor: Optional[float]
    place: Fact


def input_scaling(run_data: RunData, index: int, name: str) -> list:
    """Every scaling applied to input ``index`` (column ``name``) between its delivery and the first layer."""
    found = _norm_first(run_data)
    for scope in run_data.source.delivered_scopes():
        if scope.kind == "construct" and not _is_entry(run_data, scope):
            continue
        found += _Trace(run_data, scope.file, scope.node, _raw_names(scope, index), (index, name)).found
    return found


def _is_entry(run_data: RunData, scope) -> bool:
    """Is this the construct of a whole network, or of a cell that wraps one?"""
    roots = {network.class_ for network in run_data.networks}
    for file, node in ((file, node) for root in roots if root for file, node in run_data.source.classes(root)):
        if file == scope.file and construct_of(node) is scope.node:
            return True
    return False


def _raw_names(scope, index: int) -> set:
    if scope.kind == "loop":
        return _loop_names(scope.node.target, index)
    return set(scope.inputs[index : index + 1] or scope.inputs[:1])


def _loop_names(target: ast.AST, index: int) -> set:
    """``x, y`` by position; ``i, (x, y)`` by position inside; a single name stands for the whole batch."""
    while isinstance(target, ast.Tuple):
        inner = [part for part in target.elts if isinstance(part, ast.Tuple)]
        if inner:
            target = inner[0]
            continue
        parts = target.elts
        if (
            len(parts) == 2
            and isinstance(parts[0], ast.Name)
            and parts[0].id in ("i", "step", "idx", "_", "batch_idx", "batch_id", "it")
        ):
            return set(target_names(parts[1]))
        return set(target_names(parts[index] if index < len(parts) else parts[0]))
    return set(target_names(target))


class _Trace:
    """Follows the raw input through one function or loop body, statement by statement."""

    def __init__(self, run_data: RunData, file: str, node: Any, raw: set, column: tuple, depth: int = 0):
        self.run_data, self.file, self.raw, self.column, self.depth = run_data, file, set(raw), column, depth
        self.owner = self._owner(node)
        self.found: list = []
        for statement in node.body:
            self._statement(statement)

    def _owner(self, node: Any) -> Optional[ast.ClassDef]:
        classes = [
            outer for outer in self.run_data.source.enclosing(self.file, node.lineno) if isinstance(outer, ast.ClassDef)
        ]
        return classes[-1] if classes else None

    def _statement(self, statement: ast.stmt) -> None:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            return
        for block in ("body", "orelse", "finalbody"):
            for inner in getattr(statement, block, []):
                self._statement(inner)
        for value in ast.iter_child_nodes(statement):
            if isinstance(value, ast.expr):
                self._expression(value)
        if isinstance(statement, ast.AugAssign) and self._is_raw(statement.target):
            self._scaled(statement, statement.op, statement.target, statement.value)
        if isinstance(statement, ast.Assign):
            self._assign(statement)

    def _assign(self, statement: ast.Assign) -> None:
        target, value = statement.targets[0], statement.value
        if isinstance(target, ast.Tuple) and not isinstance(value, ast.Tuple) and self._is_raw(value):
            self.raw |= _loop_names(target, self.column[0])
            return
        pairs = (
            zip(target.elts, value.elts)
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
            else [(target, value)]
        )
        for name, part in list(pairs):
            if isinstance(name, ast.Name):
                (self.raw.add if self._is_raw(part) else self.raw.discard)(name.id)

    def _expression(self, expression: ast.expr) -> None:
        for node in ast.walk(expression):
            if isinstance(node, ast.BinOp):
                self._scaled(node, node.op, node.left, node.right)
            elif isinstance(node, ast.Call):
                self._call(node)

    def _scaled(self, node: Union[ast.expr, ast.stmt], operator: ast.operator, left: ast.expr, right: ast.expr) -> None:
        if isinstance(operator, ast.Mult) and self._is_raw(right) and not self._is_raw(left):
            left, right = right, left
        if not isinstance(operator, (ast.Div, ast.Mult)) or not self._is_raw(left) or self._is_raw(right):
            return
        self._note(node, isinstance(operator, ast.Div), left, right)

    def _note(self, node: Union[ast.expr, ast.stmt], divides: bool, left: ast.expr, right: ast.expr) -> None:
        here = place(self.file, node.lineno)
        number = self._number(right)
        shifted = isinstance(left, ast.BinOp) and isinstance(left.op, ast.Sub)
        if number:
            self.found.append(Scaling("factor", 1 / number if divides else number, here))
        elif shifted:
            self.found.append(Scaling("standardise", None, here))
        else:
            self.found.append(Scaling("unknown", None, here))

    def _call(self, node: ast.Call) -> None:
        arguments = [argument for argument in node.args if self._is_raw(argument)]
        name = called_name(node)
        here = place(self.file, node.lineno)
        if name in ("div", "true_divide", "mul", "multiply") and len(node.args) == 2 and self._is_raw(node.args[0]):
            self._note(node, name in ("div", "true_divide"), *node.args)
        elif (
            name in ("div", "mul")
            and len(node.args) == 1
            and isinstance(node.func, ast.Attribute)
            and self._is_raw(node.func.value)
        ):
            self._note(node, name == "div", node.func.value, node.args[0])
        elif arguments and root_name(node.func) == "self":
            self._own_cell(name, here)
        elif arguments and _SCALING_CALL.search(name):
            self.found.append(Scaling("call", None, here))

    def _own_cell(self, name: str, here: Fact) -> None:
        """``self.name(x)`` on the raw input: a normalising layer, or a cell of the user's that may scale inside."""
        cells = [cell for network in self.run_data.networks for cell in network.cells if cell.path == name]
        if any(_NORMS.search(cell.class_ or "") for cell in cells) or (not cells and _SCALING_CALL.search(name)):
            self.found.append(Scaling("norm", None, here))
            return
        if self.depth >= 3:
            return
        for cell in cells[:1]:
            for file, node in self.run_data.source.classes(cell.class_) if not cell.builtin else []:
                construct = construct_of(node)
                if construct is not None and argument_names(construct):
                    inner = _Trace(
                        self.run_data, file, construct, {argument_names(construct)[0]}, self.column, self.depth + 1
                    )
                    self.found += inner.found

    def _is_raw(self, node: ast.AST) -> bool:
        """Does the expression still hold the delivered values, at most cast, reshaped, shifted or scaled?"""
        if isinstance(node, ast.Name):
            return node.id in self.raw
        if isinstance(node, ast.Subscript):
            return self._is_raw(node.value) and self._is_own_part(node.slice)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Div, ast.Mult, ast.Sub, ast.Add)):
            return self._is_raw(node.left) != self._is_raw(node.right)
        if isinstance(node, ast.Call) and called_name(node) in _KEEPS:
            inner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            return any(self._is_raw(part) for part in inner + node.args[:1])
        return False

    def _is_own_part(self, part: ast.AST) -> bool:
        index, name = self.column
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            return part.value == name
        if isinstance(part, ast.Constant) and isinstance(part.value, int):
            return part.value == index
        return True

    def _number(self, node: ast.AST) -> Optional[float]:
        """The value of a constant expression, a module's or a class's constant; None when it is not known."""
        if isinstance(node, ast.Constant):
            return float(node.value) if isinstance(node.value, (int, float)) and abs(node.value) < 1e300 else None
        if isinstance(node, ast.BinOp):
            left, right = self._number(node.left), self._number(node.right)
            return _calculate(node.op, left, right)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self._number(node.operand)
            return None if value is None else -value
        if (
            isinstance(node, ast.Call)
            and len(node.args) >= 1
            and called_name(node) in ("Tensor", "float", "float32", "tensor")
        ):
            return self._number(node.args[0])
        return self._named(node)

    def _named(self, node: ast.AST) -> Optional[float]:
        """The constant that a name was given, wherever in the file it was given only once."""
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        code = ast.unparse(node)
        home = (
            self.owner
            if isinstance(node, ast.Attribute) and self.owner is not None
            else self.run_data.source.trees[self.file]
        )
        given = [
            entry.value
            for entry in ast.walk(home)
            if isinstance(entry, ast.Assign) and any(ast.unparse(target) == code for target in entry.targets)
        ]
        return (
            self._number(given[0])
            if len(given) == 1 and ast.unparse(given[0]) != code and self._is_plain(given[0])
            else None
        )

    @staticmethod
    def _is_plain(node: ast.AST) -> bool:
        """A constant, or an expression of constants: nothing that could name itself again."""
        return not any(
            isinstance(part, ast.Attribute) for part in ast.walk(node) if not isinstance(node, ast.Call)
        ) and not any(
            isinstance(part, ast.Name) and part.id not in ("Tensor", "float", "ms", "mindspore", "mstype")
            for part in ast.walk(node)
        )


def _calculate(operator: ast.operator, left: Optional[float], right: Optional[float]) -> Optional[float]:
    if left is None or right is None:
        return None
    if isinstance(operator, ast.Div):
        return left / right if right else None
    return left * right if isinstance(operator, ast.Mult) else None


def _norm_first(run_data: RunData) -> list:
    """Without its source at hand: the first cell of a training network that holds parameters is a normalising one."""
    for network in run_data.networks:
        holding = [cell for cell in network.cells if cell.parameters]
        known = bool(network.class_) and bool(run_data.source.classes(network.class_))
        if network.role == "train" and holding and not known and _NORMS.search(holding[0].class_ or ""):
            return [Scaling("norm", None, network.place)]
    return []
