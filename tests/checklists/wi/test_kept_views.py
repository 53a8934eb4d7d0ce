"""wi.02: best weights kept as views of the parameters."""

import pytest
from building import Run, run_data

from msprec.checklists.common.kept_views import kept_as_views

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
