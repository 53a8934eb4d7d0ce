"""Scores that are multiplied by a mask before a softmax (dp.04, cg.03)."""

import re

import pytest
from building import Run, run_data

from msprec.checklists.common.script.multiplied_scores import multiplied_scores

_CODE = """
class Attention(nn.Cell):
    def __init__(self):
        self.normalise = nn.Softmax(-1)

    def construct(self, q, k, v, mask):
        e = q @ k.swapaxes(-1, -2) * self.scale
        {scores}
        a = {weights}
        {after}
        return a @ v
"""
_SOFTMAX = "ops.softmax(e, -1)"


@pytest.mark.parametrize(
    ("scores", "weights", "after", "lines"),
    [
        ("e = e * mask", _SOFTMAX, "", [8, 9]),
        ("e *= mask.unsqueeze(1)", _SOFTMAX, "", [8, 9]),
        ("e = mask[:, None].astype(e.dtype) * e", "self.normalise(e)", "", [8, 9]),
        ("pass", "ops.softmax(e * self.mask, axis=-1)", "", [9]),
        ("pass", _SOFTMAX, "a = a * mask", None),
        ("e = e * mask", _SOFTMAX, "a = a * mask / (a * mask).sum()", None),
        ("e = e * mask", _SOFTMAX + " * mask", "", None),
        ("e = e * mask + (1 - mask) * -1e9", _SOFTMAX, "", None),
        ("e = ops.masked_fill(e * mask, mask == 0, low)", _SOFTMAX, "", None),
        ("e = e * temperature", _SOFTMAX, "", None),
        ("e = masked_scores * scale", _SOFTMAX, "", None),
        ("e = e * mask", "ops.sigmoid(e)", "", None),
    ],
)
def test_scores(tmp_path, scores, weights, after, lines):
    code = _CODE.format(scores=scores, weights=weights, after=after)
    told = multiplied_scores(run_data(tmp_path, Run(source={"train.py": code})), re.compile("mask"))
    assert ([one["line"] for one in told.locations] if told else None) == lines
