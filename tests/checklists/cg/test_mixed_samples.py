"""cg.03: a result that depends on the other samples of its batch."""

import pytest
from building import Run, dataset, run_data

from msprec.checklists.cg.connectivity.mixed_samples import judge_mixed_samples

_CODE = """
def norm(z, {given}):
    if {asked}:
        mean = ops.mean(z, (0, 2, 3))
    else:
        mean = moving
    return z - mean
"""


@pytest.mark.parametrize(
    ("given", "asked", "found"),
    [
        ("is_training", "is_training", False),  # a batch normalisation of one's own, called for training
        ("k", "is_training", True),  # a name of the module, which is not this call's
        ("k", "k > 2", True),
    ],
)
def test_a_mode_that_is_an_argument(tmp_path, given, asked, found):
    place = {"file": "train.py", "line": 7}
    mixed = {
        "operator": "sub",
        "name": "sub",
        "cell": "",
        "place": place,
        "created": None,
        "rows": 32,
        "one_label": True,
    }
    run = Run(datasets=[dataset()], source={"train.py": _CODE.format(given=given, asked=asked)})
    run.facts["probes"] = {"mixed_samples": mixed}
    assert (judge_mixed_samples(run_data(tmp_path, run)) is not None) is found


@pytest.mark.parametrize(("name", "found"), [("lstm", True), ("dynamiclstmcpugpu", True), ("matmul", False)])
def test_what_goes_along_the_samples(tmp_path, name, found):
    mixed = {"operator": name, "name": name, "cell": "", "created": None, "rows": 32, "one_label": True}
    run = Run(datasets=[dataset()], source={"train.py": "y = net(x)\n"})
    run.facts["probes"] = {"mixed_samples": {**mixed, "place": {"file": "train.py", "line": 1}}}
    finding = judge_mixed_samples(run_data(tmp_path, run))
    assert (finding is not None) is found
    if found:
        assert "batch_first=True" in finding.advice.en
