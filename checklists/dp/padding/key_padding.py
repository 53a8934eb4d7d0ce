"""A ``key_padding_mask`` that marks the real elements, where it is to mark those that are left out (dp.04)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import called_name, value_among

#: Arguments of nn.MultiheadAttention and the Transformer layers, where True means that an element is left out.
_LEFT_OUT = re.compile(r"^((src|tgt|memory)_)?key_padding_mask$")
_NAMED, _MOST = r"key_padding_mask\s*=", 50
_PAD = re.compile(r"(?i)(^|_)pad(ding)?(_|$)")
_UNEQUAL = ("not_equal", "ne")


def key_padding(run_data: RunData) -> Optional[Finding]:
    """A problem where such an argument is ``tokens != PAD``, at once or by a name: attention then goes to the padding alone."""
    for file in sorted({one.file for one in run_data.find_lines(_NAMED, _MOST)}):
        for call in run_data.source.nodes(file, ast.Call):
            for word in (one for one in call.keywords if one.arg and _LEFT_OUT.match(one.arg)):
                made = _made(run_data, file, call.lineno, word.value)
                if _marks_real(made):
                    return _finding(run_data, word.arg or "", [place(file, one.lineno) for one in (made, call)])
    return None


def _made(run_data: RunData, file: str, line: int, value: ast.expr) -> ast.expr:
    """What a name is given in the function around a line, or in the file, where that is one value."""
    if not isinstance(value, ast.Name):
        return value
    within = value_among(ast.walk(run_data.source.scope_around(file, line)), value.id)
    return within or run_data.source.only_value(file, value.id) or value


def _marks_real(value: ast.expr) -> bool:
    """``tokens != PAD``, ``tokens > 0`` and ``ops.not_equal(tokens, 0)``."""
    if isinstance(value, ast.Compare) and len(value.ops) == 1:
        return isinstance(value.ops[0], (ast.NotEq, ast.Gt)) and _is_pad(value.comparators[0])
    return (
        isinstance(value, ast.Call) and called_name(value) in _UNEQUAL and bool(value.args) and _is_pad(value.args[-1])
    )


def _is_pad(node: ast.expr) -> bool:
    name = getattr(node, "attr", getattr(node, "id", ""))
    return (isinstance(node, ast.Constant) and node.value == 0) or bool(_PAD.search(str(name)))


def _finding(run_data: RunData, argument: str, places: list) -> Finding:
    return problem(
        Text(
            "{made} 中真实元素为 True，而它传给了 {argument}（{call}）：这个参数为 True 的位置会被忽略，注意力只看补齐的位置。",
            "{made} is True for the real elements, and goes to {argument} ({call}), where True leaves an element out: attention "
            "sees the padding alone.",
            made=at(places[0]),
            argument=argument,
            call=at(places[1]),
        ),
        Text("写成 tokens == PAD。", "Write tokens == PAD."),
        [run_data.code_at(places, Text("掩码", "The mask"))],
        places,
    )
