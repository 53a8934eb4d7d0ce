"""cg.04 on facts of the probes of losses."""

import pytest
from building import Run, optimizer
from network_facts import PLACE


def loss(kind="softmax_cross_entropy", shape=(32, 10), labels=(32,), **predicted):
    base = {
        "dtype": "Float32",
        "shape": list(shape),
        "min": -3.0,
        "max": 4.0,
        "probabilities": False,
        "log_probabilities": False,
        "unit": False,
        "source": {"operator": "Dense", "place": PLACE},
    }
    return {
        "kind": kind,
        "name": "Loss",
        "place": PLACE,
        "settings": {},
        "predicted": {**base, **predicted},
        "shape": [],
        "labels": {"dtype": "Float32", "shape": list(labels), "min": 0.0, "max": 1.0, "whole": True},
        "value": 1.2,
        "unreduced": False,
        "recomputed": {"mean": 1.2},
        "equals": "mean",
    }


def judged(verdict, *losses, own=(), broadcasts=()):
    made = Run()
    made.facts["probes"] = {
        "losses": list(losses),
        "own_losses": list(own),
        "broadcasts": list(broadcasts),
        "skipped": {},
    }
    return verdict("cg.04", made)


MADE_BY = {"operator": "Sigmoid", "place": PLACE}


@pytest.mark.parametrize(
    ("one", "conclusion"),
    [
        (loss(), "ok"),
        (loss(probabilities=True, min=0.0, max=1.0), "problem"),
        (loss(source=MADE_BY, min=0.1, max=0.9), "problem"),
        (loss(log_probabilities=True, max=0.0), "ok"),  # a softmax of log-probabilities is what it was
        (loss(shape=(32, 1)), "problem"),
        (loss("nll"), "problem"),
        (loss("nll", log_probabilities=True), "ok"),
        (loss("bce", (32, 1), (32, 1)), "problem"),
        (loss("bce", (32, 1), (32, 1), min=0.1, max=0.9), "ok"),
        (loss("bce_with_logits", (32, 1), (32, 1), source=MADE_BY, min=0.1, max=0.9), "problem"),
        (loss("bce_with_logits", (32, 1), (32, 1)), "ok"),
        (loss("mse", (32, 1), (32,)), "problem"),
        (loss("mse", (32, 1), (32, 1)), "ok"),
        (loss("mse", (32, 4, 8), (32, 4, 8)), "ok"),
        ({**loss(), "unreduced": True, "shape": [32], "value": None, "equals": None}, "problem"),
    ],
)
def test_losses(verdict, one, conclusion):
    entry = judged(verdict, one)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert entry["locations"]


@pytest.mark.parametrize(
    ("class_", "conclusion"), [("SGD", "problem"), ("Momentum", "problem"), ("Adam", "ok"), ("RMSProp", "ok")]
)
def test_a_sum_harms_only_where_steps_go_with_the_gradient(verdict, class_, conclusion):
    made = Run()
    one = {**loss(), "unreduced": True, "shape": [32], "value": None, "equals": None}
    made.facts["probes"] = {"losses": [one], "own_losses": [], "broadcasts": [], "skipped": {}}
    made.facts["optimizer"] = {"optimizers": [optimizer(**{"class": class_})]}
    entry = verdict("cg.04", made)
    assert entry["conclusion"] == conclusion, entry["summary"]


def own(**changes):
    base = {
        "name": "cross_entropy",
        "place": PLACE,
        "promise": "softmax_cross_entropy",
        "value": 1.2,
        "equals": None,
        "candidates": {"softmax_cross_entropy": 2.3},
        "variant": False,
        "predicted": [32, 10],
        "labels": [32],
    }
    return {**base, **changes}


def test_losses_of_the_script(verdict):
    assert judged(verdict, own=[own()])["conclusion"] == "problem"
    assert judged(verdict, own=[own(equals=["softmax_cross_entropy", "mean"])])["conclusion"] == "ok"
    assert judged(verdict, own=[own(variant=True)])["conclusion"] == "undecided"
    assert judged(verdict, own=[own(name="my_loss", promise=None)])["conclusion"] == "undecided"
    # an accuracy or a penalty beside a built-in loss is not judged
    assert judged(verdict, loss(), own=[own(name="accuracy", promise=None)])["conclusion"] == "ok"
    spread_out = {"operator": "sub", "place": PLACE, "shapes": [[32, 1], [32]], "label": 1}
    assert judged(verdict, broadcasts=[spread_out])["conclusion"] == "problem"


WRITTEN = {
    "name": "forward",
    "place": PLACE,
    "value": 1.0,
    "final": True,
    "written": True,
    "weighed": False,
    "computed": False,
    "purpose": False,
    "shape": [],
    "variant": False,
    "candidates": {},
    "behaviour": {
        "kind": "regression",
        "repeatable": True,
        "domain": "scores",
        "pairs": True,
        "way": "rises",
        "curve": [-4.0, -1.0, 0.0],
        "family": None,
    },
}


@pytest.mark.parametrize(
    ("changed", "conclusion"),
    [
        ({}, "problem"),
        ({"purpose": True}, "undecided"),
        ({"weighed": True}, "undecided"),
        ({"shape": [8]}, "problem"),
        ({"weighed": True, "shape": [8]}, "problem"),
        # the likelihood of an order rises from 0, whatever is done to the scores
        ({"behaviour": {**WRITTEN["behaviour"], "curve": [0.3, 0.5, 0.9]}}, "undecided"),
        ({"behaviour": {**WRITTEN["behaviour"], "way": "falls", "curve": [4.0, 1.0, 0.0]}}, "ok"),
        ({"behaviour": {**WRITTEN["behaviour"], "way": None, "pairs": False}}, "problem"),
        ({"behaviour": {**WRITTEN["behaviour"], "way": None, "pairs": False}, "computed": True}, "undecided"),
    ],
)
def test_losses_that_are_written_out(verdict, changed, conclusion):
    found = judged(verdict, own=[{**WRITTEN, **changed}])
    assert found["conclusion"] == conclusion, found["summary"]
    assert "written out in forward" in found["summary"]


@pytest.mark.parametrize(
    ("update", "optimizers", "conclusion"),
    [
        ("ops.assign_add(p, rate * g)", [], "undecided"),
        ("p.set_data(p + lr * g)", [], "undecided"),
        ("ops.assign_sub(p, rate * g)", [], "problem"),
        ("ops.assign_add(count, 1)", None, "problem"),  # an optimizer goes down
    ],
)
def test_a_script_that_goes_up_the_gradient(verdict, update, optimizers, conclusion):
    made = Run(source={"train.py": f"for p, g in zip(params, grads):\n    {update}\n"})
    made.facts["probes"] = {"own_losses": [WRITTEN], "skipped": {}}
    if optimizers is not None:
        made.facts["optimizer"]["optimizers"] = optimizers
    assert verdict("cg.04", made)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("why", "purpose", "conclusion"),
    [
        ("unused", False, "problem"),
        ("unused", True, "undecided"),
        ("outputs", False, "undecided"),
        ("labels", False, "undecided"),
        ("several", False, "undecided"),
        ("unseen", False, "undecided"),
    ],
)
def test_losses_that_were_not_tried(verdict, why, purpose, conclusion):
    made = Run()
    made.facts["probes"] = {"written_loss": {"why": why, "purpose": purpose, "place": PLACE}, "skipped": {}}
    assert verdict("cg.04", made)["conclusion"] == conclusion


def test_shapes_and_range_are_both_told(verdict):
    residual = {
        **{key: value for key, value in loss("residual", (50, 1), (50,)).items() if key != "equals"},
        "name": "sub",
        "place": {"file": "train.py", "line": 36},
        "output": {
            "operator": "ReLU",
            "place": {"file": "train.py", "line": 28},
            "low": 0.0,
            "high": None,
            "plain": True,
        },
        "targets": {"elements": 800, "below": 388, "beyond_values": 388, "min": -2.6, "max": 2.3, "distinct": 800},
    }
    made = Run()
    made.facts["probes"] = {
        "losses": [],
        "other_losses": [residual],
        "own_losses": [],
        "broadcasts": [
            {"operator": "sub", "place": {"file": "train.py", "line": 36}, "shapes": [[50, 1], [50]], "label": 1}
        ],
        "skipped": {},
    }
    entry = verdict("cg.04", made)
    assert entry["conclusion"] == "problem"
    assert "50×50" in entry["summary"] and "cannot reach" in entry["summary"]
    assert {36, 28} <= {place["line"] for place in entry["locations"]}


@pytest.mark.parametrize(
    ("of", "conclusion", "says"),
    [("sum", "problem", "gradients of their sum"), ("first", "problem", "before the loss"), ("loss", "ok", "")],
)
def test_gradients_of_other_outputs_than_the_loss(verdict, of, conclusion, says):
    outputs = [[32, 10], []] if of == "first" else [[], [32, 10]]
    made = Run()
    made.facts["probes"] = {
        "losses": [loss()],
        "own_losses": [],
        "differentiated": {"of": of, "outputs": outputs, "name": "forward", "place": {"file": "train.py", "line": 9}},
        "skipped": {},
    }
    entry = verdict("cg.04", made)
    assert entry["conclusion"] == conclusion and says in entry["summary"]
