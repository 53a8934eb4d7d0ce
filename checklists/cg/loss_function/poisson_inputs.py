"""Rates that a Poisson loss takes for their logarithms (cg.04)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.loss.loss_rules import loss_lines
from msprec.checklists.common.loss.wrong_loss import Wrong
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, construct_of

#: What gives no number below 0, and is made so that a rate comes out of it.
_RATES = ("softplus", "Softplus", "exp", "Exp", "relu", "ReLU", "square", "abs")


def rates_taken_for_logs(run_data: RunData) -> list:
    """`Wrong` of each ``PoissonNLLLoss`` with ``log_input=True``, its default, beside a network that ends in such an operator:
    the loss computes exp(output) - target · output, of the logarithm of a rate."""
    losses = [one for one in run_data.losses if one.class_ == "PoissonNLLLoss" and "log_input=True" in (one.args or "")]
    end = _end(run_data) if losses else None
    if end is None:
        return []
    operator, where = end
    return [
        Wrong(
            Text(
                "PoissonNLLLoss 的 log_input 是默认的 True：它把网络的输出当作速率的对数，而输出经过 {operator}，"
                "本身就是速率（不小于 0）。",
                "PoissonNLLLoss has log_input=True, its default: it takes the network's output for the logarithm of a rate, and "
                "what went through {operator} is a rate, never below 0.",
                operator=operator,
            ),
            Text(
                "设 log_input=False，或去掉 {operator}，预测时再取 exp。",
                "Set log_input=False, or leave {operator} out and take exp of what is predicted.",
                operator=operator,
            ),
            where,
            *loss_lines(run_data, one.class_),
            one.place,
        )
        for one in losses
    ]


def _end(run_data: RunData) -> Optional[tuple]:
    """``(operator, its place)`` that the trained network ends in, where it is one of these; a number may be added to it."""
    network = next((one for one in run_data.networks if one.role == "train" and one.cells), None)
    if network is None:
        return None
    for file, node in run_data.source.classes(network.class_ or ""):
        construct = construct_of(node)
        returned = [one for one in ast.walk(construct) if isinstance(one, ast.Return)] if construct is not None else []
        value = returned[-1].value if returned else None
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Add) and isinstance(value.right, ast.Constant):
            value = value.left
        if isinstance(value, ast.Call) and called_name(value) in _RATES:
            return called_name(value), place(file, value.lineno)
    last = network.cells[-1]
    if network.class_ == "SequentialCell" and last.builtin and last.class_ in _RATES:
        return last.class_, last.created
    return None
