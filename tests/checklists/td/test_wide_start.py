"""td.03: weights that start so large that the first outputs lie far from the targets."""

import pytest
from building import Run, run_data

from msprec.checklists.td.units.initial_weights import fading_signal, mostly_saturated, too_large, wide_start
from msprec.checklists.td.units.lost_units import Lost, Moments


def _run(start, end, std, loaded=False):
    names = ("0", "2", "4")
    entries = [{"kind": "layer", "operator": "Dense", "cell": name, "units": 64, "hidden": True} for name in names]
    run = Run(steps=[{"step": n, "epoch": 1, "loss": start if n < 10 else end, "lr": 0.1} for n in range(1, 136)])
    run.facts["probes"] = {"units": {"moments": [{"moment": "end", "step": 135, "samples": 64, "entries": entries}]}}
    run.facts["parameters"]["parameters"] = [
        {"name": f"{name}.weight", "cell": name, "kind": "weight", "shape": [64, 64], "initial": {"std": std}}
        for name in names
    ]
    if loaded:
        run.set("weights_loaded", [{"file": "a.ckpt", "load": {"count": 3}}])
    return run


@pytest.mark.parametrize(
    ("start", "end", "std", "loaded", "found"),
    [
        (60.0, 1.5, 1.0, False, 3),
        (60.0, 0.05, 1.0, False, 0),  # it learnt all the same
        (60.0, 1.5, 0.1, False, 0),
        (4.0, 1.5, 1.0, False, 0),
        (60.0, 1.5, 1.0, True, 0),
        (2.31, 2.31, 2.0, False, 3),  # the loss cannot show it, and the training came to nothing
        (2.31, 2.31, 0.6, False, 3),  # all of them, as gains multiply
        (2.31, 2.31, 0.4, False, 0),
        (2.31, 0.5, 2.0, False, 0),
    ],
)
def test_how_wide_and_how_far_off(tmp_path, start, end, std, loaded, found):
    data = run_data(tmp_path, _run(start, end, std, loaded))
    assert len(wide_start(data, Moments(data))) == found


@pytest.mark.parametrize(("start", "found"), [(60.0, 1), (14.0, 1), (8.0, 0), (2.31, 0)])
def test_a_wide_last_layer_alone(tmp_path, start, found):
    """It puts the first outputs far off by itself."""
    made = _run(start, 2.31, 2.0)
    made.facts["parameters"]["parameters"][0]["initial"]["std"] = 0.1
    made.facts["probes"]["units"]["moments"][0]["entries"] = made.facts["probes"]["units"]["moments"][0]["entries"][:2]
    data = run_data(tmp_path, made)
    assert len(wide_start(data, Moments(data))) == found


@pytest.mark.parametrize(("end", "std", "found"), [(2.4, 1.0, ["0"]), (0.1, 1.0, []), (2.4, 0.05, [])])
def test_wide_layers_before_the_one_in_front_of_lost_units(tmp_path, end, std, found):
    """The units behind the second layer are lost in the middle; its own weights are of a usual width."""
    made = _run(2.4, end, 0.05)
    dead = {"kind": "relu", "operator": "ReLU", "cell": "3", "units": 64, "hidden": True, "dead": 1.0}
    made.facts["parameters"]["parameters"][0]["initial"]["std"] = std
    entries = made.facts["probes"]["units"]["moments"][0]["entries"]
    entries.insert(2, dead)
    data = run_data(tmp_path, made)
    moments = Moments(data)
    lost = Lost("dead", next(entry for entry, _ in moments.courses() if entry.cell == "3"), "middle", 1.0)
    assert [one.layer.cell for one in too_large(data, moments, [lost])] == found


@pytest.mark.parametrize(
    ("end", "std", "share", "found"),
    [
        (1.0, 1.1, 0.8, 3),  # came half way, twice the gain
        (1.0, 0.6, 0.8, 0),
        (1.0, 1.1, 0.3, 0),
        (0.05, 1.1, 0.8, 0),  # it learnt all the same
    ],
)
def test_saturated_in_a_training_that_came_half_way(tmp_path, end, std, share, found):
    made = _run(2.4, end, std)
    bent = [
        {"kind": "tanh", "operator": "Tanh", "cell": n, "units": 64, "hidden": True, "saturated": share} for n in "135"
    ]
    end_moment = made.facts["probes"]["units"]["moments"][0]
    layers = end_moment["entries"]
    last = {"kind": "layer", "operator": "Dense", "cell": "6", "units": 10, "hidden": False}
    end_moment["entries"] = [*(one for pair in zip(layers, bent) for one in pair), last]
    made.facts["probes"]["units"]["moments"].insert(0, {**end_moment, "moment": "start", "step": 1})
    data = run_data(tmp_path, made)
    assert len(mostly_saturated(data, Moments(data))) == found


@pytest.mark.parametrize(("end", "found"), [(5e-5, True), (0.03, False)])
def test_a_signal_that_dies_out_where_the_outcome_is_not_known(tmp_path, end, found):
    """A hinge loss of the script's own has no constant to compare with: what the network gives at the end decides."""
    made = _run(0.9, 0.5, 0.01)
    made.facts["loss"]["losses"] = [{"class": "hinge", "builtin": False, "args": "", "place": None}]
    layers = made.facts["probes"]["units"]["moments"][0]["entries"]
    layers.append({**layers[0], "cell": "6"})
    made.facts["parameters"]["parameters"].append(
        {**made.facts["parameters"]["parameters"][0], "cell": "6", "name": "6.weight"}
    )
    moments = [
        {
            "moment": name,
            "step": step,
            "samples": 64,
            "entries": [{**one, "range": r} for one, r in zip(layers, ranges)],
        }
        for name, step, ranges in (("start", 1, (0.04, 1e-3, 7e-5, 2e-6)), ("end", 135, (0.04, 1e-3, 7e-5, end)))
    ]
    made.facts["probes"]["units"]["moments"] = moments
    data = run_data(tmp_path, made)
    assert (fading_signal(data, Moments(data)) is not None) == found


@pytest.mark.parametrize(
    ("ranges", "std", "found"),
    [
        ((0.04, 1e-5, 1e-8), 1e-4, True),
        ((0.04, 1e-3, 1e-5), 1e-4, False),
        ((0.04, 1e-5, 1e-8), 0.1, False),
        ((0.04, 1e-5, 1e-8), 0.0, False),
    ],
)
def test_a_signal_that_dies_out_in_three_layers(tmp_path, ranges, std, found):
    made = _run(2.31, 2.31, std)
    layers = made.facts["probes"]["units"]["moments"][0]["entries"]
    entries = [{**one, "range": size} for one, size in zip(layers, ranges)]
    made.facts["probes"]["units"]["moments"] = [
        {"moment": name, "step": step, "samples": 64, "entries": entries} for name, step in (("start", 1), ("end", 135))
    ]
    data = run_data(tmp_path, made)
    assert (fading_signal(data, Moments(data)) is not None) == found
