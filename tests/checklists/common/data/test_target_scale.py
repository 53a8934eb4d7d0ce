"""dp.01 on targets in natural units that a training did not come to."""

import math

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.common.data import target_scale as target_scale_module
from msprec.checklists.common.data.target_scale import target_scale


def trained(tmp_path, mean, std, end, tail, moved=0.4):
    """A regression whose squared error falls from the start's to ``end``, over the last fifth from ``tail`` times that."""
    start, steps = mean**2 + std**2, 400

    def loss(n):
        early = end * tail + (start - end * tail) * math.exp(-n / 40)
        late = end + (end * tail - end) * (steps - n) / 160
        return max(early, end) if n < steps - 160 else late

    rows = [{"step": n, "epoch": 1 + n // 20, "loss": loss(n), "lr": 0.001, "batch": 32} for n in range(1, steps + 1)]
    declared = [{"class": "MSELoss", "builtin": True, "args": "reduction='mean'", "place": None}]
    target = column("y", kind="float", shape=[1], min=mean - 2 * std, max=mean + 2 * std, mean=mean, std=std)
    data = dataset([column("x", shape=[8]), target], label={"column": "y", "kind": "regression", "counts": None})
    run = Run(steps=rows, loss=declared, datasets=[data])
    for one in run.facts["parameters"]["parameters"]:
        one["moved"] = {"relative": moved, "max_abs": 1.0, "any": True, "proportional": False}
    made = run_data(tmp_path, run)
    return target_scale(made, made.datasets[0])


@pytest.mark.parametrize(
    ("mean", "std", "end", "tail", "found"),
    [
        (300.0, 60.0, 60.0**2 + 200.0**2, 1.0, True),  # not half way to their mean
        (150.0, 74.0, 74.0**2 + 47.0**2, 1.25, True),  # on their way to it when the training ended
        (150.0, 74.0, 74.0**2 + 47.0**2, 1.0, False),  # they stay where they are
        (150.0, 74.0, 74.0**2 + 10.0**2, 1.25, False),
        (450.0, 24.0, 24.0**2 + 400.0**2, 1.0, True),  # a small spread beside a mean far off
        (450.0, 12.0, 12.0**2 + 400.0**2, 1.0, False),  # for td.08
        (15.0, 7.4, 7.4**2 + 4.7**2, 1.25, False),  # of a size that outputs come to
        (150.0, 74.0, 0.3 * 74.0**2, 1.25, False),  # learnt all the same
    ],
)
def test_units_that_outputs_did_not_come_to(tmp_path, mean, std, end, tail, found):
    assert (trained(tmp_path, mean, std, end, tail) is not None) is found


def test_weights_that_did_not_move_tell_nothing(tmp_path):
    assert trained(tmp_path, 300.0, 60.0, 60.0**2 + 200.0**2, 1.0, moved=0.01) is None


@pytest.mark.parametrize(("explained", "found"), [(0.95, True), (0.7, False), (None, False)])
def test_large_targets_that_were_learnt_in_part(tmp_path, monkeypatch, explained, found):
    """Two thirds of what there is, by a network that began at outputs of about 1."""
    facts = {"target_control": {"samples": 600, "explained": explained, "by": "linear"}} if explained else {}
    write = Run.write

    def with_probes(run, *given):
        run.facts["probes"] = {"skipped": {}, **facts}
        return write(run, *given)

    monkeypatch.setattr(Run, "write", with_probes)
    monkeypatch.setattr(target_scale_module, "_largest_output", lambda _: 0.2)
    made = trained(tmp_path, 280000.0, 85000.0, 0.32 * 85000.0**2, 1.1)
    assert (made is not None) is found
