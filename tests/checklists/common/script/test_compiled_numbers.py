"""Numbers that compiled code reads as constants."""

import pytest
from building import Run, run_data, train_step

from msprec.checklists.common.script.compiled_numbers import frozen_numbers

_CELL = """
class Loss(nn.Cell):
    def __init__(self, weight):
        super().__init__()
        self.weight = {made}

    def set_weight(self, value):
        self.weight = float(value)

    {mark}
    def construct(self, x):
        return x.sum() * self.weight

"""
_LOOP = "loss = Loss(0.1)\nfor epoch in range(9):\n    {changes}\n    step(batch)\n"


@pytest.mark.parametrize(
    ("mode", "mark", "made", "rest", "changed"),
    [
        ("graph", "", "weight", _LOOP.format(changes="loss.weight = epoch / 9"), 16),
        ("graph", "", "weight", _LOOP.format(changes="loss.set_weight(epoch / 9)"), 8),
        ("pynative", "@ms.jit", "weight", _LOOP.format(changes="loss.weight *= 0.9"), 16),
        (
            "graph",
            "",
            "weight",
            "class Anneal(Callback):\n    def step_end(self, c):\n        self.loss.weight = 1.0\n",
            16,
        ),
        ("pynative", "", "weight", _LOOP.format(changes="loss.weight = epoch / 9"), None),
        ("graph", "", "Parameter(Tensor(weight))", _LOOP.format(changes="loss.weight = epoch / 9"), None),
        ("graph", "", "weight", _LOOP.format(changes="loss.weight = Tensor(1.0)"), None),
        ("graph", "", "weight", "loss = Loss(0.1)\nloss.weight = 0.5\n", None),  # before the first call
        ("graph", "", "weight", "for w in weights:\n    loss = Loss(0.1)\n    loss.weight = w\n", None),  # a new one
        ("graph", "", "weight", _LOOP.format(changes="loss.weight = 1.0; model.train(1, data)"), None),
        ("graph", "", "None", _LOOP.format(changes="loss.weight = epoch / 9"), None),  # a cache that begins empty
        ("graph", "", "weight", _LOOP.format(changes="loss.weight = (1, 1)"), None),  # no number
        ("graph", "", "weight", "for layer in net.cells():\n    layer.weight = 2.0\n    step(layer)\n", None),
        (
            "graph",
            "",
            "weight",
            "for name in names:\n    loss.weight = 0.5\n    show(name)\n",
            None,
        ),  # nothing is trained
        (
            "graph",
            "",
            "weight",
            "def generate(loss):\n    for token in range(9):\n        loss.weight = token\n",
            None,
        ),
    ],
)
def test_changes_that_have_no_effect(tmp_path, mode, mark, made, rest, changed):
    code = _CELL.format(made=made, mark=mark or "# construct") + rest
    run = Run(source={"train.py": code}, train_step=[{**train_step(count=9), "mode": mode, "class": "Loss"}])
    found = frozen_numbers(run_data(tmp_path, run))
    assert [(one.name, one.changed.line) for one in found] == ([("weight", changed)] if changed else [])


def test_a_question_for_nothing_reads_no_number(tmp_path):
    code = _CELL.format(made="weight", mark="").replace(
        "x.sum() * self.weight", "x if self.weight is None else x.sum()"
    )
    changed = _LOOP.format(changes="loss.weight = epoch / 9")
    run = Run(
        source={"train.py": code + changed}, train_step=[{**train_step(count=9), "mode": "graph", "class": "Loss"}]
    )
    assert frozen_numbers(run_data(tmp_path, run)) == []


@pytest.mark.parametrize(
    ("class_", "more"), [("Other", ""), ("Loss", "    def step(self):\n        return self.construct(self.weight)\n")]
)
def test_cells_that_are_not_compiled(tmp_path, class_, more):
    code = _CELL.format(made="weight", mark="").rstrip() + "\n" + more + _LOOP.format(changes="loss.weight = epoch / 9")
    run = Run(source={"train.py": code}, train_step=[{**train_step(count=9), "mode": "graph", "class": class_}])
    assert frozen_numbers(run_data(tmp_path, run)) == []


def test_a_class_that_another_one_comes_from(tmp_path):
    code = _CELL.format(made="weight", mark="") + "class Mine(Loss):\n    def show(self):\n        return self.weight\n"
    code += _LOOP.format(changes="loss.weight = epoch / 9")
    run = Run(source={"train.py": code}, train_step=[{**train_step(count=9), "mode": "graph", "class": "Mine"}])
    assert [one.name for one in frozen_numbers(run_data(tmp_path, run))] == ["weight"]


_STEP = "rate = 0.1\n@ms.jit\ndef step(x):\n    return x * rate\n\nfor epoch in range(9):\n    {}\n    step(x)\n"


@pytest.mark.parametrize(
    ("code", "changed"),
    [
        (_STEP.format("rate *= 0.9"), 7),
        (_STEP.format("rate = 0.1 / (1 + epoch)"), 7),
        (_STEP.replace("@ms.jit\n", "").format("rate *= 0.9"), None),
        (_STEP.replace("rate = 0.1", "rate = Tensor(0.1)").format("rate *= 0.9"), None),
        (_STEP.replace("def step(x)", "def step(x, rate=1)").format("rate *= 0.9"), None),
        (_STEP.format("other = rate * 0.9"), None),
        (_STEP.replace("    step(x)", "    show(x)").format("rate *= 0.9"), None),
    ],
)
def test_variables_around_a_compiled_function(tmp_path, code, changed):
    run = Run(source={"train.py": code}, train_step=[{**train_step(count=9), "mode": "pynative"}])
    found = frozen_numbers(run_data(tmp_path, run))
    assert [(one.name, one.changed.line) for one in found] == ([("rate", changed)] if changed else [])


_INNER = """
class Trainer:
    def __init__(self, net):
        self.beta = 0.0
        self.step = self.build()

    def build(self):
        def forward(x):
            return reconstruction(x) + {read} * divergence(x)

        grad_fn = value_and_grad(forward, None, weights)

        {mark}
        def step(x):
            return grad_fn(x)

        return step

    def fit(self, data):
        for epoch in range(9):
            {change}
            for x in data:
                self.step(x)
"""


@pytest.mark.parametrize(
    ("read", "mark", "change", "found"),
    [
        ("self.beta", "@ms.jit", "self.beta = epoch / 9", True),
        ("self.beta", "", "self.beta = epoch / 9", False),  # nothing is compiled
        ("beta", "@ms.jit", "self.beta = epoch / 9", False),
        ("self.beta", "@ms.jit", "pass", False),
    ],
)
def test_what_a_compiled_function_inside_a_method_reads(tmp_path, read, mark, change, found):
    code = _INNER.format(read=read, mark=mark, change=change)
    names = [one.name for one in frozen_numbers(run_data(tmp_path, Run(source={"train.py": code})))]
    assert names == (["beta"] if found else [])
