"""Noise of a variational network scaled by the variance in the place of the deviation (cg.03)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.module import last_name
from msprec.source.user_code import bound_names, called_name

_LOG_VARIANCE = re.compile(r"log_?var(iance)?(s|_?[a-z])?$|log_?sigma_?(2|sq)", re.IGNORECASE)
_DEVIATION = re.compile(r"^(std|stddev|std_?dev|sigma|stdev|sd)(_?[a-z])?$", re.IGNORECASE)
_NOISE = re.compile(r"^(eps(ilon)?|noise|xi)$", re.IGNORECASE)
_DRAWS = re.compile(r"randn|normal|standard_normal", re.IGNORECASE)


def judge_sampled_deviation(run_data: RunData) -> Optional[Finding]:
    """A problem where noise is multiplied by the exponential of a log-variance as it is, or by a deviation that is.

    exp(logvar) is the variance, the deviation exp(logvar / 2) (Kingma and Welling 2014, appendix B). None where the divergence
    beside it takes the same number for a log-deviation, which shows in a factor of two.
    """
    for file, call in run_data.source.calls_anywhere(("exp",)):
        around = run_data.source.function_around(file, call.lineno) if _is_variance(call) else None
        if around is None or any(_doubles(node) for node in run_data.source.nodes(file, ast.BinOp)):
            continue
        line = _scaled_by_variance(around)
        if line is not None:
            return _finding(run_data, place(file, line))
    return None


def _doubles(node: ast.BinOp) -> bool:
    """``2 * logvar``: the name means another thing than it says."""
    sides = (node.left, node.right)
    named = any(isinstance(one, (ast.Name, ast.Attribute)) and _LOG_VARIANCE.search(last_name(one)) for one in sides)
    return isinstance(node.op, ast.Mult) and named and any(getattr(one, "value", None) in (2, 2.0) for one in sides)


def _scaled_by_variance(function: ast.AST) -> Optional[int]:
    bound = {
        name: node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and _is_variance(node.value)
        for name in bound_names(node.targets)
        if _DEVIATION.search(name)
    }
    for node in ast.walk(function):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
            sides = (node.left, node.right)
            for scale, noise in (sides, sides[::-1]):
                if _is_noise(noise) and _is_variance(scale):
                    return scale.lineno
                if _is_noise(noise) and isinstance(scale, ast.Name) and scale.id in bound:
                    return bound[scale.id]
    return None


def _is_variance(node: ast.expr) -> bool:
    """``exp(logvar)``."""
    if not isinstance(node, ast.Call) or called_name(node) != "exp":
        return False
    given = node.args[0] if node.args else node.func.value if isinstance(node.func, ast.Attribute) else None
    return isinstance(given, (ast.Name, ast.Attribute)) and _LOG_VARIANCE.search(last_name(given)) is not None


def _is_noise(node: ast.expr) -> bool:
    if isinstance(node, ast.Call):
        return _DRAWS.search(called_name(node)) is not None or any(map(_is_noise, node.args[:1]))
    return isinstance(node, (ast.Name, ast.Attribute)) and _NOISE.search(last_name(node)) is not None


def _finding(run_data: RunData, where: Fact) -> Finding:
    return problem(
        Text(
            "{where} 用 exp(logvar) 作噪声的标准差，而它是方差：采样与 KL 散度所用的方差不一致，标准差应为 exp(0.5·logvar)。",
            "The noise is scaled by exp(logvar) at {where}, which is the variance and not the deviation: what is sampled "
            "does not have the variance that the divergence is computed for. The deviation is exp(0.5 * logvar).",
            where=at(where),
        ),
        Text("改为 exp(0.5 * logvar)。", "Take exp(0.5 * logvar)."),
        [run_data.code_at([where], Text("采样之处", "Where it is sampled"))],
        [where],
    )
