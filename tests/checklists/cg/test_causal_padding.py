"""cg.03: convolutions of a class that is called causal, and how they pad."""

import pytest
from building import Run, run_data

from msprec.checklists.cg.connectivity.causal_padding import judge_causal_padding

_CODE = """class {name}(nn.Cell):
    def __init__(self, inputs, outputs, kernel):
        super().__init__()
        self.conv = nn.Conv1d({made})
    def construct(self, x):
        return {given}
"""


@pytest.mark.parametrize(
    ("name", "made", "given", "found"),
    [
        ("CausalBlock", "inputs, outputs, kernel, dilation=2", "self.conv(x)[:, :, : x.shape[-1]]", True),
        ("CausalBlock", "inputs, outputs, kernel_size=3, pad_mode='same'", "self.conv(x)", True),
        ("CausalBlock", "inputs, outputs, 1", "self.conv(x)", False),
        ("CausalBlock", "inputs, outputs, kernel, pad_mode='pad', padding=4", "self.conv(x)[:, :, :-4]", False),
        ("CausalBlock", "inputs, outputs, kernel, pad_mode=mode", "self.conv(x)", False),
        (
            "CausalBlock",
            "inputs, outputs, kernel",
            "self.conv(ops.pad(x, (2, 0)))",
            False,
        ),  # what comes of it is not known
        ("Block", "inputs, outputs, kernel", "self.conv(x)", False),
    ],
)
def test_padding(tmp_path, name, made, given, found):
    cells = [{"path": "block", "class": name, "args": "", "builtin": False, "created": None}]
    source = {"train.py": _CODE.format(name=name, made=made, given=given)}
    told = judge_causal_padding(run_data(tmp_path, Run(network=[{"class": "Net", "cells": cells}], source=source)))
    assert (told and [one["line"] for one in told.locations]) == ([4] if found else None)


def test_a_class_that_nothing_uses(tmp_path):
    source = {"train.py": _CODE.format(name="CausalBlock", made="inputs, outputs, kernel", given="self.conv(x)")}
    assert judge_causal_padding(run_data(tmp_path, Run(source=source))) is None
