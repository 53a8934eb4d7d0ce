"""Angles in degrees that a sine or cosine takes for radians (dp.01)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, plain_number, root_name

_WAVES, _ARRAYS = ("sin", "cos"), ("np", "numpy", "ops", "mint", "math", "mnp", "tf", "torch")
_TURN = 360.0
#: What turns degrees into radians.
_CONVERTS = ("deg2rad", "radians", "deg2rad_")


def degrees_as_radians(run_data: RunData) -> Optional[Finding]:
    """Problem: a sine or cosine of what is multiplied by 360, at once or by a name that is given that value once, with nothing
    that converts it, as ``np.deg2rad`` or pi; else None."""
    for file in dict.fromkeys(file for file, _ in run_data.source.calls_anywhere(_WAVES)):
        for call in run_data.source.calls_named(file, _WAVES):
            if not call.args or root_name(call.func) not in _ARRAYS:
                continue
            angle, line = call.args[0], call.lineno
            if isinstance(angle, ast.Name):
                value = run_data.source.only_value(file, angle.id)
                angle, line = (value, value.lineno) if value is not None else (angle, line)
            if _in_degrees(angle):
                return _finding(run_data, [place(file, line), place(file, call.lineno)], ast.unparse(angle))
    return None


def _in_degrees(angle: ast.expr) -> bool:
    """Whether an angle is a share of a turn of 360, unconverted."""
    parts = list(ast.walk(angle))
    turns = [one for one in parts if isinstance(one, ast.BinOp) and isinstance(one.op, (ast.Mult, ast.Div))]
    whole = any(
        plain_number(side) == _TURN and not (isinstance(one.op, ast.Div) and side is one.right)
        for one in turns
        for side in (one.left, one.right)
    )
    converted = any(
        (isinstance(one, ast.Attribute) and one.attr == "pi")
        or (isinstance(one, ast.Name) and one.id.lower() == "pi")
        or (isinstance(one, ast.Call) and called_name(one) in _CONVERTS)
        or (isinstance(one, ast.Constant) and isinstance(one.value, float) and 3.1 < one.value < 3.2)
        for one in parts
    )
    return whole and not converted


def _finding(run_data: RunData, places: list, code: str) -> Finding:
    return problem(
        Text(
            "{where} 的角度 {code} 以度为单位，而 sin、cos（{used}）的参数是弧度：周期因此被打乱。",
            "The angle {code} at {where} is in degrees, and the sine or cosine at {used} takes radians: the period is scrambled.",
            where=at(places[0]),
            used=at(places[-1]),
            code=code,
        ),
        Text(
            "用 2 * np.pi 代替 360，或 np.deg2rad(角度)。", "Write 2 * np.pi in the place of 360, or np.deg2rad(angle)."
        ),
        [run_data.code_at(places, Text("角度与其使用", "The angle, and where it is used"))],
        places,
    )
