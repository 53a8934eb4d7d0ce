"""Second derivatives by the inputs of a network whose activations have none (cg.03)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.own_classes import own_class_names
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import GRADIENTS, called_name, construct_of, differentiated_by

#: Activations made of straight lines, as cells and functions.
_STRAIGHT = {"ReLU", "LeakyReLU", "ReLU6", "PReLU", "relu", "leaky_relu", "relu6", "prelu"}
#: What a network computes that bends, so that its second derivative is not 0 everywhere.
_BENDS = {
    *("Tanh", "Sigmoid", "GELU", "SiLU", "Softplus", "ELU", "SeLU", "Mish", "HSwish", "HSigmoid", "CELU", "LogSigmoid"),
    *("Softmax", "LayerNorm", "RMSNorm", "BatchNorm1d", "tanh", "sigmoid", "gelu", "silu", "softplus", "elu", "selu"),
    *("mish", "softmax", "sin", "cos", "exp", "log", "square", "pow", "sqrt", "rsqrt", "erf", "norm", "div", "mul"),
}
_DEEPEST = 4


def judge_second_derivative(run_data: RunData) -> Optional[Finding]:
    """A problem where the script takes the gradient by an input of what holds a gradient by an input already, and all activations
    of the trained network are made of straight lines: that derivative is 0 wherever it exists."""
    cells = [cell for network in run_data.networks if network.role == "train" for cell in network.cells]
    straight = [cell for cell in cells if cell.builtin and cell.class_ in _STRAIGHT]
    if {cell.class_ for cell in cells} & _BENDS:
        return None
    called = _called_in_constructs(run_data)
    if called & _BENDS or not (straight or called & _STRAIGHT):
        return None
    for file in run_data.source.trees:
        line = _second(run_data, file)
        if line is not None:
            lines = run_data.find_lines(r"\b(ops|mint|F|functional)\.\w*relu\w*\(", 2)
            made = {(cell.created.file, cell.created.line): cell.created for cell in straight if cell.created}
            return _finding(run_data, place(file, line), [*made.values(), *([] if made else lines)])
    return None


def _called_in_constructs(run_data: RunData) -> set:
    """What the networks' own classes call by name, powers and products of tensors too."""
    found = set()
    for name in own_class_names(run_data):
        bodies = [body for _, node in run_data.source.classes(name) if (body := construct_of(node)) is not None]
        for node in (one for body in bodies for one in ast.walk(body)):
            if isinstance(node, ast.Call):
                found.add(called_name(node))
            elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.Mult, ast.Div)):
                plain = isinstance(node.left, ast.Constant) or isinstance(node.right, ast.Constant)
                found |= set() if plain and not isinstance(node.op, ast.Pow) else {"mul"}
    return found


def _second(run_data: RunData, file: str) -> Optional[int]:
    """The line of a file that takes the gradient by an input of such a gradient."""
    if sum(differentiated_by(call) is None for call in run_data.source.calls_named(file, GRADIENTS)) < 2:
        return None
    orders: dict = {}
    assigned = [
        (target.id, node)
        for node in run_data.source.nodes(file, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    functions = [(node.name, node) for node in run_data.source.nodes(file, ast.FunctionDef)]
    for _ in range(_DEEPEST):
        for name, node in (*assigned, *functions):
            orders[name] = max(orders.get(name, 0), _order(node, orders))
    return next((node.lineno for _, node in assigned if _order(node, orders) >= 2), None)


def _order(node: ast.AST, orders: dict) -> int:
    """How many times what a statement holds, or a function calls, is differentiated by an input."""
    found = 0
    for call in (one for one in ast.walk(node) if isinstance(one, ast.Call)):
        if called_name(call) in GRADIENTS and call.args and differentiated_by(call) is None:
            inner = call.args[0]
            of = orders.get(inner.id, 0) if isinstance(inner, ast.Name) else _order(inner, orders)
            found = max(found, 1 + of)
        elif isinstance(node, (ast.FunctionDef, ast.Lambda)) and isinstance(call.func, ast.Name):
            found = max(found, orders.get(call.func.id, 0))
    return found


def _finding(run_data: RunData, where, places: list) -> Finding:
    places = [*places, where]
    return problem(
        Text(
            "{where} 对输入求二阶导数，而网络的激活都由直线段组成（如 ReLU）：二阶导数处处为 0，方程中的这一项无法满足。",
            "{where} takes a second derivative by the inputs, and the network's activations are made of straight lines, as ReLU "
            "is: that derivative is 0 everywhere, and no weights can meet an equation that holds it.",
            where=at(where),
        ),
        Text("改用光滑的激活：Tanh、SiLU 或 sin。", "Use a smooth activation: Tanh, SiLU or a sine."),
        [run_data.code_at(places, Text("激活与二阶导数", "The activations and the second derivative"))],
        places,
    )
