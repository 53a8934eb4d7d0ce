"""hp.01, cg.01, cg.03 and cg.04 on facts of probes, and what a declared design changes."""

import math

import pytest
from building import STILL, Run, optimizer, parameter

PLACE = {"file": "train.py", "line": 5}
RATES = [1e-7 * 1.3**n for n in range(70)]


def sweep(lower=1e-3, upper=1.0, used=0.1):
    """A range test whose loss falls from ``lower`` on and blows up beyond ``upper``."""
    losses = []
    for rate in RATES:
        fallen = max(0.0, math.log10(rate / lower)) if rate > lower else 0.0
        losses.append(2.0 - 0.5 * fallen if rate < upper else 40.0 * rate / upper)
    return {
        "low": RATES[0],
        "high": 10.0,
        "steps": len(RATES),
        "rates": RATES,
        "losses": losses,
        "used": used,
        "by": "probe",
    }


def run(losses, rate, **changes):
    made = Run(
        optimizer=[optimizer(learning_rate={"kind": "constant", "first": rate, "last": rate, "value": rate})], **changes
    )
    made.facts["range_test"] = changes.pop("range_test", sweep())
    made.steps = [{"step": n + 1, "loss": loss, "lr": rate} for n, loss in enumerate(losses)]
    return made


def test_a_warm_up_that_never_ends_is_told(verdict):
    made = run(FLAT, 1e-6)
    for step in made.steps:
        step["lr"] = 1e-8 * step["step"]
    entry = verdict("hp.01", made)
    assert entry["conclusion"] == "problem" and "warm-up never ended" in entry["summary"]
    assert "warm-up" not in verdict("hp.01", run(FLAT, 1e-6))["summary"]


def test_a_loss_that_is_all_but_gone_needs_no_range_test(verdict):
    gone = run([2.0 * 0.93**n for n in range(100)], 0.05).set("range_test", None)
    entry = verdict("hp.01", gone)
    assert entry["conclusion"] == "ok" and "no bounds of a range test" in entry["summary"]
    half = run([1.0 + 0.93**n for n in range(100)], 0.05).set("range_test", None)
    assert verdict("hp.01", half)["conclusion"] == "undecided"


def test_a_run_that_a_few_steps_at_lower_rates_outdo(verdict):
    """The sweep comes from 2 to 0.5 or so in 70 steps, and diverges at 1."""
    slow = [2.0 - 0.4 * n / 300 for n in range(300)]
    assert verdict("hp.01", run(slow, 30.0))["conclusion"] == "problem"
    assert "came to" in verdict("hp.01", run(slow, 30.0))["summary"]
    # a run that is shorter, that gets as far, or whose rate the sweep bears
    assert verdict("hp.01", run(slow[:150], 30.0))["conclusion"] == "ok"
    assert verdict("hp.01", run([2.0 - 1.6 * n / 300 for n in range(300)], 30.0))["conclusion"] == "ok"
    assert verdict("hp.01", run(slow, 0.3))["conclusion"] == "ok"


def test_the_largest_rate_is_that_of_any_group(verdict):
    made = run(EXPLODED, 0.05)
    made.facts["optimizer"]["optimizers"][0]["learning_rate"].update(kind="groups", groups=[[0.05, 0.05], [5.0, 5.0]])
    assert verdict("hp.01", made)["conclusion"] == "problem"


FALLING = [2.0 * 0.97**n for n in range(100)]
SLOWER = [2.0 * 0.99**n for n in range(100)]
FLAT = [2.0 + 0.01 * (-1) ** n for n in range(100)]
EXPLODED = [2.0] + [70.0 - 0.3 * n for n in range(99)]


@pytest.mark.parametrize(
    ("losses", "rate", "conclusion"),
    [
        (FALLING, 0.05, "ok"),
        (EXPLODED, 5.0, "problem"),
        (FLAT, 5.0, "problem"),
        ([2.0, 9.0, "nan", *["nan"] * 40], 5.0, "problem"),
        (FLAT, 1e-6, "problem"),
        (FALLING, 1e-6, "problem"),  # falls, and yet thirty times below where it begins to fall well
        (FALLING, 5e-4, "ok"),  # a little below
        (FALLING, 5.0, "ok"),  # above, and it works all the same
        (FLAT, 0.05, "undecided"),  # the rate is good: something else is wrong
        (FALLING[:4], 0.05, "undecided"),  # too short
        (FLAT, 0.0, "problem"),
    ],
)
def test_rate(verdict, losses, rate, conclusion):
    entry = verdict("hp.01", run(losses, rate))
    assert entry["conclusion"] == conclusion, entry["summary"]


def test_a_loss_that_leaps_at_the_first_update_does_not_fall(verdict):
    entry = verdict("hp.01", run([1.4, *[75 - 0.4 * n for n in range(60)]], 5.0))
    assert entry["conclusion"] == "problem" and "diverges" in entry["summary"]


@pytest.mark.parametrize("why", ["batch", "ranks", "accumulation", "slow", "gradients", "failed: ValueError: x", None])
def test_without_a_range_test_it_says_why(verdict, why):
    made = run(SLOWER, 0.05)
    del made.facts["range_test"]
    if why is not None:
        made.facts["probes"] = {"skipped": {"range_test": why}}
    entry = verdict("hp.01", made)
    assert entry["conclusion"] == "undecided" and "probe" in entry["would_decide"] + entry["summary"] + "probe"


# --- cg.01 ---------------------------------------------------------------------------------------------------------
def network(**changes):
    base = {
        "id": 0,
        "class": "Net",
        "role": "train",
        "place": PLACE,
        "cells": [],
        "shared_cells": [],
        "shared_parameters": [],
        "unregistered": [],
    }
    return {**base, **changes}


def cell(*paths, repeated_in=None, **changes):
    base = {
        "class": "Dense",
        "builtin": True,
        "paths": list(paths),
        "ways": len(paths),
        "repeated_in": repeated_in,
        "parameters": [f"{paths[0]}.weight"],
        "repeated": len(paths) if repeated_in else 0,
        "created": PLACE,
    }
    return {**base, **changes}


def test_sharing(verdict):
    def of(**changes):
        return verdict("cg.01", Run(network=[network(**changes)]))

    assert of()["conclusion"] == "ok"
    repeated = of(shared_cells=[cell("blocks.0", "blocks.1", "blocks.2", repeated_in="blocks")])
    assert repeated["conclusion"] == "problem" and "3 layers of blocks" in repeated["summary"]
    tied = of(shared_parameters=[{"name": "w", "paths": ["emb.w", "head.w"], "classes": ["Embedding", "Dense"]}])
    assert tied["conclusion"] == "ok" and "emb.w = head.w" in tied["summary"]
    assert of(shared_cells=[cell("encoder.embed", "decoder.embed")])["conclusion"] == "ok"
    assert of(shared_cells=[cell("q", "k")])["conclusion"] == "undecided"
    assert (
        of(shared_cells=[cell("_backbone", "net")])["conclusion"] == "ok"
    )  # WithLossCell's name, and the subclass's own
    assert of(shared_cells=[cell("network", "teacher", "student")])["conclusion"] == "undecided"
    without = cell("act.0", "act.1", repeated_in="act", parameters=[])
    assert of(shared_cells=[without])["conclusion"] == "ok"


def spread(seed, shift=0.0):
    return {
        "min": -0.1 - seed + shift,
        "max": 0.1 + seed,
        "mean": 0.001 * seed,
        "std": 0.05 + seed,
        "zeros": 0.0,
        "constant": False,
        "nonfinite": 0,
    }


COPIED = "\n        self.head.weight.set_data(Tensor(self.emb.table.asnumpy()))\n"
LOCAL = (
    "\n        start = self.emb.table\n        values = start.asnumpy()\n        self.head.weight = Parameter(values)\n"
)
GIVEN = "\n        self.head = nn.Dense(16, 20, weight_init=self.emb.table)\n"
LOADED = "\nweights['head.weight'] = weights['emb.table']\n"
HELPER = "\ntie_weights(net.head.weight, net.emb.table)\n"
SEEDED = (
    "\nnet.emb = nn.Embedding(20, 16, table=Normal(seed=1))\nnet.head = nn.Dense(16, 20, weight_init=Normal(seed=1))\n"
)
USED = "\n    def construct(self, x):\n        y = self.head(self.emb(x)) + ops.abs(self.head.weight - self.emb.table).sum()\n"


@pytest.mark.parametrize(
    ("classes", "ends", "source", "conclusion"),
    [
        *((("Embedding", "Dense"), (1, 2), written, "problem") for written in (COPIED, LOCAL, GIVEN, LOADED, HELPER)),
        (("Embedding", "Dense"), (1, 2), SEEDED, "ok"),  # one seed and one shape: equal values are no intention
        (("Embedding", "Dense"), (1, 2), USED, "ok"),
        (("Embedding", "Dense"), (1, 1), "", "problem"),  # still equal: two parameters in one piece of memory
        (("Dense", "Dense"), (1, 2), COPIED, "ok"),  # deep copies of one layer
    ],
)
def test_a_tie_that_is_a_copy(verdict, classes, ends, source, conclusion):
    both = [
        parameter(name, [20, 16], cell_class=cls, initial=spread(0.3), final=spread(end), created=PLACE)
        for name, cls, end in zip(("emb.table", "head.weight"), classes, ends)
    ]
    made = Run(network=[network()], parameters=both)
    made.source["model.py"] = "class Net(nn.Cell):\n    def __init__(self):\n        super().__init__()\n" + source
    entry = verdict("cg.01", made)
    assert entry["conclusion"] == conclusion, entry["summary"]


# --- cg.03 ---------------------------------------------------------------------------------------------------------
def ran(path, calls=1, used=True, gradient=True, cls="Dense", **changes):
    base = {
        "path": path,
        "class": cls,
        "builtin": True,
        "loss": False,
        "calls": calls,
        "used": used,
        "gradient": gradient,
        "created": PLACE,
    }
    return {**base, **changes}


def graph(*cells, source=None, weights=(), **changes):
    made = Run(network=[network(**changes)], parameters=list(weights) or [parameter("a.weight", [4, 4])])
    made.facts["probes"] = {"skipped": {}, "graph": {"cells": list(cells), "unregistered": []}}
    if source:
        made.source["train.py"] += source
    return made


def test_a_step_that_calls_no_cell_decides_nothing(verdict):
    entry = verdict("cg.03", graph(ran("a", calls=0, used=None, gradient=False), ran("b", calls=0, used=None)))
    assert entry["conclusion"] == "undecided" and "calls no cell" in entry["summary"]


def test_cells_that_do_not_take_part(verdict):
    assert verdict("cg.03", graph(ran("a"), ran("b")))["conclusion"] == "ok"
    lost = verdict("cg.03", graph(ran("a"), ran("drop", used=False, gradient=None, cls="Dropout")))
    assert lost["conclusion"] == "problem" and "drop" in lost["summary"]
    still = parameter("b.weight", [4, 4], moved=STILL)
    never = graph(ran("a"), ran("b", calls=0, gradient=False), weights=[parameter("a.weight", [4, 4]), still])
    assert verdict("cg.03", never)["conclusion"] == "problem"
    stays = parameter("b.weight", [4, 4], requires_grad=False, in_optimizer=False, moved=STILL)
    frozen = graph(ran("a"), ran("b", calls=0, gradient=None), weights=[parameter("a.weight", [4, 4]), stays])
    assert verdict("cg.03", frozen)["conclusion"] == "ok"


@pytest.mark.parametrize(
    ("cls", "source", "conclusion"),
    [
        ("Dropout", "", "problem"),  # built and forgotten
        ("Softmax", "", "ok"),  # the loss does its work
        ("ReLU", "\nx = ops.relu(self.a(x))\n", "ok"),  # a function does its work
        ("Dropout", "\nif self.late:\n    x = self.b(x)\n", "ok"),  # in a branch that this step did not take
    ],
)
def test_layers_without_weights_that_never_run(verdict, cls, source, conclusion):
    entry = verdict("cg.03", graph(ran("a"), ran("b", calls=0, used=None, gradient=None, cls=cls), source=source))
    assert entry["conclusion"] == conclusion, entry["summary"]


def test_layers_in_a_plain_list(verdict):
    hidden = {
        "holder": "layers",
        "kind": "list",
        "length": 3,
        "class": "Dense",
        "parameters": ["weight"],
        "in_optimizer": False,
        "created": PLACE,
    }
    assert verdict("cg.03", graph(ran("a"), unregistered=[hidden] * 3))["conclusion"] == "problem"
    assert verdict("cg.03", graph(ran("a"), unregistered=[{**hidden, "in_optimizer": True}] * 3))["conclusion"] == "ok"
    # one cell in a list is how a teacher is kept out of a network's parameters
    assert verdict("cg.03", graph(ran("a"), unregistered=[{**hidden, "length": 1}]))["conclusion"] == "ok"


def test_layers_that_ran_and_no_network_holds(verdict):
    seen = {"class": "Dense", "inside": "", "parameters": ["weight", "bias"], "created": PLACE}

    def judged(*ones):
        made = graph(ran("a"))
        made.facts["probes"]["graph"]["unregistered"] = list(ones)
        return verdict("cg.03", made)

    found = judged(seen, seen)
    assert found["conclusion"] == "problem" and "2 cells" in found["summary"] and found["locations"] == [PLACE]
    # a network kept beside another, as a teacher is, is made once
    assert judged({**seen, "class": "Teacher"})["conclusion"] == "ok"
    assert judged(seen, {**seen, "inside": None, "class": "Teacher"})["conclusion"] == "ok"


@pytest.mark.parametrize(
    ("made", "taken", "conclusion"),
    [
        ("nn.LSTM(3, 4)", "h[:, -1]", "problem"),
        ("nn.LSTM(3, 4, batch_first=True)", "h[-1]", "problem"),
        ("nn.LSTM(3, 4, 1, True, True)", "h[:, -1, :]", "ok"),
        ("nn.LSTM(3, 4, batch_first=True)", "h[:, -1]", "ok"),
        ("nn.LSTM(3, 4)", "h[-1]", "ok"),
        ("nn.LSTM(3, 4, batch_first=first)", "h[:, -1]", "ok"),  # not known
        ("nn.LSTM(3, 4)", "h[:, :, -1]", "ok"),
    ],
)
def test_the_last_sample_for_the_last_step(verdict, made, taken, conclusion):
    code = f"\n\nclass Net(nn.Cell):\n    def __init__(self):\n        self.rnn = {made}\n\n"
    code += f"    def construct(self, x):\n        h, _ = self.rnn(x)\n        return {taken}\n"
    entry = verdict("cg.03", graph(ran("a"), source=code, cells=[{"path": "", "class": "Net"}]))
    assert entry["conclusion"] == conclusion, entry["summary"]


def test_without_a_watched_step_it_says_why(verdict):
    made = Run(network=[network()])
    made.facts["probes"] = {"skipped": {"graph": "side_effect: open in Net.construct"}}
    entry = verdict("cg.03", made)
    assert entry["conclusion"] == "undecided" and "open in Net.construct" in entry["summary"]


# --- cg.04 ---------------------------------------------------------------------------------------------------------
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


# --- the declared design -------------------------------------------------------------------------------------------
def designed(made, **design):
    made.facts["design"] = {"file": "msprec.toml", **design}
    return made


def test_design(verdict):
    tied = network(shared_parameters=[{"name": "e.t", "paths": ["e.t", "h.w"], "classes": ["Embedding", "Dense"]}])
    shared = [["e.t", "h.w"]]
    assert verdict("cg.01", designed(Run(network=[tied]), shared_parameters=shared))["conclusion"] == "ok"
    assert verdict("cg.01", designed(Run(network=[network()]), shared_parameters=shared))["conclusion"] == "problem"
    assert verdict("cg.01", designed(Run(network=[tied]), shared_parameters=[]))["conclusion"] == "problem"
    frozen = parameter("backbone.weight", [8, 8], requires_grad=False, in_optimizer=False, moved=STILL)
    both = [parameter("fc.weight", [10, 8]), frozen]
    assert verdict("cg.02", designed(Run(parameters=both), frozen_parameters=["backbone.*"]))["conclusion"] == "ok"
    assert verdict("cg.02", designed(Run(parameters=both), frozen_parameters=["fc.*"]))["conclusion"] == "problem"
    assert verdict("cg.02", designed(Run(parameters=both), frozen_parameters=[]))["conclusion"] == "problem"
    assert verdict("cg.03", designed(Run(), layers=["Conv2d", "Conv2d"]))["conclusion"] == "problem"
    assert verdict("cg.03", designed(graph(ran("a", cls="Conv2d")), layers=["Conv2d"]))["conclusion"] == "ok"
    assert verdict("cg.04", designed(Run(), loss="MSELoss"))["conclusion"] == "problem"
    assert verdict("hp.03", designed(Run(), batch_size=64))["conclusion"] == "problem"
    assert verdict("hp.03", designed(Run(), batch_size=32))["conclusion"] == "ok"
    assert verdict("dp.03", designed(Run(), shuffle=False))["conclusion"] == "ok"


def test_patterns_of_one_cell_that_stands_several_times_in_a_list(verdict):
    """All ways lead to one weight, which has the name of one of them."""
    again = cell("blocks.0", "blocks.1", repeated_in="blocks", parameters=["blocks.1.0.weight"])
    held = [parameter("blocks.1.0.weight", [4, 4], path="blocks.0.weight")]
    shared = [["blocks.0.*", "blocks.1.*"]]
    made = Run(network=[network(shared_cells=[again])], parameters=held)
    assert verdict("cg.01", designed(made, shared_parameters=shared))["conclusion"] == "ok"
    # two blocks that are separate, and a third that the declared design shares with them
    apart = [parameter(f"blocks.{n}.weight", [4, 4]) for n in (0, 1)]
    entry = verdict("cg.01", designed(Run(network=[network()], parameters=apart), shared_parameters=shared))
    assert entry["conclusion"] == "problem"
    third = Run(network=[network(shared_cells=[again])], parameters=[*held, parameter("blocks.2.weight", [4, 4])])
    three = [["blocks.0.*", "blocks.1.*", "blocks.2.*"]]
    assert verdict("cg.01", designed(third, shared_parameters=three))["conclusion"] == "problem"


def test_a_rate_below_the_bounds_of_a_short_test(verdict):
    """A network that is slow to start: the sweep falls late, the run itself falls well."""
    for last, conclusion in ((0.45, "ok"), (0.63, "problem")):
        losses = [0.7 - (0.7 - last) * n / 60 for n in range(60)]
        made = run(losses, 1e-3)
        made.facts["range_test"] = sweep(lower=5e-2, upper=3.0, used=1e-3)
        assert verdict("hp.01", made)["conclusion"] == conclusion


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
