"""A Gaussian likelihood whose term of the variance has the wrong sign (cg.04)."""

import ast
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name

_SQUARES = ("square", "pow", "power", "mse_loss", "squared_difference")


def check_likelihood(run_data: RunData) -> Optional[Wrong]:
    """A squared error times ``exp(-s)`` from which ``s`` is taken, or times ``exp(s)`` to which it is added: the loss has no
    bound, as a variance (or a precision) that grows makes it ever smaller. The likelihood of a Gaussian is (y - m)² exp(-s) + s
    with the logarithm s of the variance (Nix and Weigend 1994)."""
    for file, call in run_data.source.calls_anywhere(("exp",)):
        for node in run_data.source.nodes_at(file, call.lineno, ast.BinOp):
            name = next(_unbounded(node), None)
            if name is not None:
                where = place(file, node.lineno)
                return Wrong(
                    Text(
                        "{where} 的似然中 {name} 一项的符号反了：{name} 越大 loss 越小，没有下界，误差项的权重随之消失。",
                        "In the likelihood at {where} the term of {name} has the wrong sign: the further it goes the smaller the "
                        "loss, without a bound, and the weight of the error goes to nothing.",
                        where=at(where),
                        name=name,
                    ),
                    Text(
                        "高斯负对数似然为 0.5 * (exp(-s) * (y - m)**2 + s)，s 为方差的对数。",
                        "The negative logarithm of a Gaussian's likelihood is 0.5 * (exp(-s) * (y - m)**2 + s), s the logarithm "
                        "of the variance.",
                    ),
                    where,
                )
    return None


def _unbounded(node: ast.BinOp) -> Iterator[str]:
    """The name s of ``squared * exp(-s) - s`` and of ``squared * exp(s) + s``."""
    if not isinstance(node.op, (ast.Add, ast.Sub)) or not isinstance(node.right, (ast.Name, ast.BinOp)):
        return
    names = {one.id for one in ast.walk(node.right) if isinstance(one, ast.Name)}
    products = (ast.Mult, ast.Div)
    plain = isinstance(node.right, ast.Name) or isinstance(node.right.op, products)
    if len(names) != 1 or not plain or not _squared(node.left):
        return
    name = next(iter(names))
    for call in ast.walk(node.left):
        if isinstance(call, ast.Call) and called_name(call) == "exp" and len(call.args) == 1:
            given = call.args[0]
            turned = isinstance(given, ast.UnaryOp) and isinstance(given.op, ast.USub)
            inner = given.operand if isinstance(given, ast.UnaryOp) else given
            if isinstance(inner, ast.Name) and inner.id == name and turned == isinstance(node.op, ast.Sub):
                yield name


def _squared(node: ast.expr) -> bool:
    """Whether it is a product with a square in it."""
    product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    return product and any(
        (isinstance(one, ast.Call) and called_name(one) in _SQUARES)
        or (isinstance(one, ast.BinOp) and isinstance(one.op, ast.Pow))
        for one in ast.walk(node)
    )
