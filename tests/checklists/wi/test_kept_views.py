"""wi.02: best weights kept as views of the parameters."""

import pytest
from building import Run, run_data

from msprec.checklists.common.weights.kept_views import kept_as_views

LOOP = """
for epoch in range(9):
    error = train(net)
    if error < lowest:
        {}
{}
"""
DICT = "lowest, best = error, {{p.name: p.asnumpy(){} for p in net.get_parameters()}}"
LIST = "self.kept = [p.asnumpy() for _, p in net.parameters_and_names()]"
BACK = "for p in net.get_parameters():\n    p.set_data(Tensor(best[p.name]))"
LOAD = "ms.load_param_into_net(net, {n: Parameter(Tensor(v)) for n, v in best.items()})"
EACH = "for p, old in zip(net.get_parameters(), self.kept):\n    p.assign_value(Tensor(old))"


@pytest.mark.parametrize(
    ("kept", "back", "device", "wrong"),
    [
        (DICT.format(""), BACK, "CPU", True),
        (DICT.format(""), LOAD, "CPU", True),
        (LIST, EACH, "CPU", True),
        (DICT.format(".copy()"), BACK, "CPU", False),
        (DICT.format(""), BACK, "Ascend", False),  # copied from the device
        (DICT.format(""), "np.savez(path, **best)", "CPU", False),
        ("best = {n: Tensor(p.asnumpy()) for n, p in net.parameters_dict().items()}", BACK, "CPU", False),
    ],
)
def test_what_is_kept(tmp_path, kept, back, device, wrong):
    made = Run(source={"train.py": LOOP.format(kept, back)})
    made.set("run", {"device_target": device})
    found = kept_as_views(run_data(tmp_path, made))
    assert (found is not None) == wrong
    if wrong:
        assert found.locations[0]["line"] == 5


AVERAGED = """
class Average:
    def apply(self):
        for p in self.params:
            self.backup[p.name] = {}
            {}

    def restore(self):
        for p in self.params:
            ops.assign(p, {})
"""


@pytest.mark.parametrize(
    ("kept", "write", "back", "wrong"),
    [
        ("p", "ops.assign(p, Tensor(self.shadow[p.name]))", "self.backup[p.name]", True),
        ("p", "p.set_data(self.shadow[p.name])", "self.backup[p.name]", True),
        ("p.data", "ops.assign(p, Tensor(self.shadow[p.name]))", "self.backup[p.name]", True),
        ("p.asnumpy().copy()", "ops.assign(p, Tensor(self.shadow[p.name]))", "Tensor(self.backup[p.name])", False),
        ("p", "pass", "self.backup[p.name]", False),  # a table of the parameters
        ("p", "ops.assign(p, Tensor(self.shadow[p.name]))", "self.shadow[p.name]", False),  # not put back
    ],
)
def test_parameters_kept_themselves(tmp_path, kept, write, back, wrong):
    made = Run(source={"train.py": AVERAGED.format(kept, write, back)})
    made.set("run", {"device_target": "Ascend"})
    found = kept_as_views(run_data(tmp_path, made))
    assert (found is not None) == wrong
    if wrong:
        assert [one["line"] for one in found.locations] == [5, 10]


WHOLE = """
class Average:
    def store(self):
        self.backup = {}

    def restore(self):
        for k, p in {}:
            ops.assign(p, self.backup[k])
"""


@pytest.mark.parametrize(
    ("kept", "over", "wrong"),
    [
        ("self.net.parameters_dict()", "self.net.parameters_dict().items()", True),
        ("{k: p for k, p in self.net.parameters_and_names()}", "self.net.parameters_and_names()", True),
        ("{k: p.clone() for k, p in self.net.parameters_and_names()}", "self.net.parameters_and_names()", False),
        ("self.teacher.parameters_dict()", "self.net.parameters_dict().items()", False),  # another network's
    ],
)
def test_all_parameters_kept_themselves(tmp_path, kept, over, wrong):
    found = kept_as_views(run_data(tmp_path, Run(source={"train.py": WHOLE.format(kept, over)})))
    assert (found is not None) == wrong
    if wrong:
        assert [one["line"] for one in found.locations] == [4, 8]


ONCE = """
class Average:
    def __init__(self):
        self.{name} = {{}}

    def swap_in(self):
        for p in self.params:
            self.{name}.setdefault(p.name, p.asnumpy().copy())
            {write}

    def swap_out(self):
        for p in self.params:
            ops.assign(p, Tensor(self.{name}[p.name]))
        {after}
"""
WRITE = "ops.assign(p, Tensor(self.shadow[p.name]))"


@pytest.mark.parametrize(
    ("name", "write", "after", "wrong"),
    [
        ("backup", WRITE, "return", True),
        ("backup", WRITE, "self.backup.clear()", False),
        ("backup", WRITE, "self.backup = {}", False),
        ("backup", "pass", "return", False),  # nothing is written in the meantime
        ("initial", WRITE, "return", False),  # meant to stay as it was first
    ],
)
def test_values_kept_once(tmp_path, name, write, after, wrong):
    made = Run(source={"train.py": ONCE.format(name=name, write=write, after=after)})
    made.set("run", {"device_target": "Ascend"})
    found = kept_as_views(run_data(tmp_path, made))
    assert (found is not None) == wrong
    if wrong:
        assert [one["line"] for one in found.locations] == [8, 13]
