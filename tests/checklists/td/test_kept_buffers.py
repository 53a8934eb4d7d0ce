"""Parameters that gradients are added into and that nothing clears (td.04)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.update_gradients.kept_buffers import kept_buffers

CELL = """class Step:
    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.sums = optimizer.parameters.clone('acc', 'zeros')

    def add(self, grads):
{add}

    def apply(self):
        self.optimizer({given})
{after}
"""
LOOP = "        for s, g in zip(self.sums, grads):\n            ops.assign_add(s, g / 4)"
MAPPED = "        self.hyper_map(ops.partial(accumulate), self.sums, grads)"
VALUES = "tuple(s.value() for s in self.sums)"
CLEARED = "        for s in self.sums:\n            ops.assign(s, ops.zeros_like(s))"


@pytest.mark.parametrize(
    ("add", "given", "after", "lines"),
    [
        (LOOP, VALUES, "", [11, 7]),
        (MAPPED, "self.sums", "", [10, 7]),
        (LOOP.replace("ops.assign_add(s, ", "s.assign_add("), VALUES, "", [11, 7]),
        (LOOP, VALUES, CLEARED, None),
        (LOOP, VALUES, "        self.reset(self.sums)", None),
        (LOOP, VALUES, "        self.sums = zeros()", None),
        (LOOP.replace("assign_add(s, g / 4)", "assign(s, 0.9 * s + g)"), VALUES, "", None),
        (MAPPED.replace("accumulate", "average"), VALUES, "", None),
        (LOOP, "grads", "", None),
        (LOOP, VALUES, "\nfor s in step.sums:\n    ops.assign(s, ops.zeros_like(s))", None),
    ],
)
def test_kept_buffers(tmp_path, add, given, after, lines):
    code = CELL.format(add=add, given=given, after=after)
    told = kept_buffers(run_data(tmp_path, Run(source={"train.py": code})))
    assert ([one["line"] for one in told.locations] if told else None) == lines


@pytest.mark.parametrize(
    ("after", "found"), [("", True), ("    for s in acc: ops.assign(s, ops.zeros_like(s))\n", False)]
)
def test_names_of_a_script(tmp_path, after, found):
    code = "acc = ParameterTuple(zeros(params))\n\ndef step(grads):\n    for s, g in zip(acc, grads):\n"
    code += "        ops.assign_add(s, g)\n    optimizer(tuple(s.value() for s in acc))\n" + after
    told = kept_buffers(run_data(tmp_path, Run(source={"train.py": code})))
    assert (told is not None) == found
