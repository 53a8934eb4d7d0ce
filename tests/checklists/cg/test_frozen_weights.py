"""cg.02 on facts, with the near misses."""

import pytest
from building import ONE, STILL, ZERO, Run, column, optimizer, parameter, phase

MOVING = parameter("conv.weight", [8, 1, 3, 3])


def weights(*parameters, **changes):
    return Run(parameters=list(parameters), **changes)


def test_all_moved_is_ok(verdict):
    entry = verdict("cg.02", Run())
    assert entry["conclusion"] == "ok" and "All 3" in entry["summary"]


def test_an_explicit_freeze_is_ok_and_listed(verdict):
    entry = verdict(
        "cg.02",
        weights(MOVING, parameter("backbone.weight", [8, 8], requires_grad=False, in_optimizer=False, moved=STILL)),
    )
    assert entry["conclusion"] == "ok" and "backbone.weight" in entry["summary"]


@pytest.mark.parametrize(
    ("code", "conclusion"),
    [
        ("return self.top(self.proj(x))", "problem"),
        ("return self.top(ops.cos(self.proj(x)))", "ok"),  # random Fourier features
        ("return self.top(random_features(self.proj, x))", "ok"),
    ],
)
def test_a_layer_that_is_frozen_as_drawn(verdict, code, conclusion):
    frozen = {"requires_grad": False, "in_optimizer": False, "moved": STILL, "cell_class": "Dense"}
    run = weights(MOVING, parameter("proj.weight", [64, 8], **frozen))
    run.source["train.py"] += "for p in net.proj.get_parameters():\n    p.requires_grad = False\n\n\n"
    run.source["train.py"] += f"def construct(self, x):\n    {code}\n"
    assert verdict("cg.02", run)["conclusion"] == conclusion


def head_left_out(frozen=True, last=True, loaded=3, filled="conv"):
    head = parameter(
        "head.weight", [4, 32], requires_grad=not frozen, in_optimizer=not frozen, moved=STILL if frozen else {}
    )
    made = weights(MOVING, head if frozen else parameter("head.weight", [4, 32]))
    gap = {"name": "head.weight", "shape": [4, 32], "file_shape": [8, 32], "last": last}
    load = {"function": "load_param_into_net", "loaded": loaded, "optimizer": False, "missing": [gap]}
    return made.set("weights_loaded", [{**load, "modules": [[filled, 1, 1], ["head", 1, 0]]}])


def test_a_new_head_that_is_frozen_as_drawn_is_a_problem(verdict):
    entry = verdict("cg.02", head_left_out())
    assert (
        entry["conclusion"] == "problem"
        and "head.weight" in entry["summary"]
        and "frozen_parameters" in entry["advice"]
    )
    features = head_left_out(filled="features")  # loaded, frozen whole, and not what trains
    for fine in (head_left_out(frozen=False), head_left_out(last=False), head_left_out(loaded=0), features):
        assert verdict("cg.02", fine)["conclusion"] == "ok"


def test_a_weight_that_never_moved_is_a_problem(verdict):
    entry = verdict("cg.02", weights(MOVING, parameter("fc.weight", [10, 8], moved=STILL)))
    assert entry["conclusion"] == "problem"
    assert "1 of 2" in entry["summary"] and "fc.weight" in entry["summary"] and "135 updates" in entry["summary"]


@pytest.mark.parametrize(
    ("decay", "gradient", "conclusion"),
    [
        (0.01, False, "problem"),
        (None, False, "problem"),  # groups, each with a decay of its own
        (0.0, False, "ok"),  # nothing decays: what moved it was no decay
        (0.5, True, "ok"),  # tiny gradients under strong regularisation
        (0.01, None, "undecided"),
    ],
)
def test_a_weight_that_shrank_in_proportion(verdict, decay, gradient, conclusion):
    decayed = {"max_abs": 0.01, "relative": 0.01, "any": True, "proportional": True}
    made = weights(MOVING, parameter("fc.weight", [10, 8], moved=decayed), optimizer=[optimizer(weight_decay=decay)])
    if gradient is not None:
        made.facts["probes"] = {"skipped": {}, "graph": {"cells": [{"path": "fc", "calls": 1, "gradient": gradient}]}}
    entry = verdict("cg.02", made)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "ok" or "weight decay" in entry["summary"]


def test_a_weight_that_the_script_shrinks_itself(verdict):
    """No optimizer has it: what made it smaller is an update of the script's own, under a strong penalty."""
    shrunk = {"max_abs": 1.9, "relative": 0.97, "any": True, "proportional": True}
    own = parameter("w", [200, 1], cell_class="", in_optimizer=False, moved=shrunk)
    entry = verdict("cg.02", weights(MOVING, own, optimizer=[optimizer(weight_decay=3.0)]))
    assert entry["conclusion"] == "ok", entry["summary"]


@pytest.mark.parametrize(
    ("name", "steps", "conclusion"),
    [
        ("Adam", (2, 100), "problem"),
        ("Adam", (2,), "ok"),  # behind a last layer that starts at zero no gradient comes at first
        ("Momentum", (2, 100), "ok"),  # it moves a weight without a gradient in proportion alone
    ],
)
def test_a_decay_without_a_gradient(verdict, name, steps, conclusion):
    decaying = optimizer(**{"class": name}, weight_decay=0.01, parameter_names=["fc.weight"])
    made = weights(MOVING, parameter("fc.weight", [10, 8]), optimizer=[decaying])
    made.facts["probes"] = {"skipped": {}, "graph": {"cells": [{"path": "fc", "calls": 1, "gradient": False}]}}
    made.gradients = [{"step": step, "parameter": "fc.weight", "norm": 0.0} for step in steps]
    assert verdict("cg.02", made)["conclusion"] == conclusion


def test_gradients_of_a_step_that_calls_no_cell_of_the_network_say_nothing(verdict):
    decayed = {"max_abs": 0.01, "relative": 0.01, "any": True, "proportional": True}
    made = weights(MOVING, parameter("fc.weight", [10, 8], moved=decayed), optimizer=[optimizer(weight_decay=3.0)])
    silent = [{"path": "", "calls": 0, "gradient": None}, {"path": "fc", "calls": 0, "gradient": False}]
    called = [{"path": "", "calls": 1, "gradient": True}, {"path": "head", "calls": 1, "gradient": True}]
    for cells, conclusion in ((silent, "undecided"), (called + silent, "undecided"), (called + silent[1:], "problem")):
        made.facts["probes"] = {"skipped": {}, "graph": {"cells": cells}}
        assert verdict("cg.02", made)["conclusion"] == conclusion


def test_a_weight_left_out_of_the_optimizer_is_a_problem(verdict):
    entry = verdict("cg.02", weights(MOVING, parameter("fc.weight", [10, 8], in_optimizer=False, moved=STILL)))
    assert entry["conclusion"] == "problem" and "not in the optimizer" in entry["summary"]
    assert {"file": "train.py", "line": 8} in entry["locations"]


def test_stop_gradient_in_the_source_is_shown(verdict):
    code = (
        "class Net(nn.Cell):\n    def construct(self, x):\n"
        "        x = ops.stop_gradient(self.fc(x))\n        return x\n"
    )
    run = weights(MOVING, parameter("fc.weight", [10, 8], moved=STILL), source={"train.py": code})
    assert {"file": "train.py", "line": 3} in verdict("cg.02", run)["locations"]


@pytest.mark.parametrize(
    "still",
    [
        parameter("conv.bias", [8], kind="bias", moved=STILL),  # before a BatchNorm its gradient is zero
        parameter("bn.moving_mean", [8], kind="statistic", requires_grad=False, in_optimizer=False),
        parameter("bn.moving_mean", [8], kind="statistic", in_optimizer=False, moved=STILL),
        parameter("scale_sense", [], kind="other", in_optimizer=False, moved=STILL),
        parameter("index", [3], kind="other", dtype="Int32", in_optimizer=False, moved=STILL),
        parameter("emb.embedding_table", [50000, 64], cell_class="Embedding", compared="sample", moved=STILL),
        parameter("target.weight", [8, 8], in_optimizer=False),  # moved by assignment, as target networks are
    ],
)
def test_what_may_stand_still(verdict, still):
    entry = verdict("cg.02", weights(MOVING, still))
    assert entry["conclusion"] == "ok", entry["summary"]


def test_a_bias_whose_whole_cell_stands_still_is_a_problem(verdict):
    assert (
        verdict("cg.02", weights(MOVING, parameter("fc.bias", [8], kind="bias", moved=STILL)))["conclusion"]
        == "problem"
    )


STUCK = (MOVING, parameter("fc.weight", [10, 8], moved=STILL))


@pytest.mark.parametrize(
    "changes",
    [
        {"steps": [{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.9}]},
        {"steps": [{"step": step, "loss": 2.0, "overflow": 1, "scale": 65536} for step in range(1, 40)]},
        {"steps": [{"step": step, "loss": 2.0, "lr": 0.0} for step in range(1, 40)]},
        {
            "steps": [{"step": step, "loss": 2.0} for step in range(1, 40)],
            "optimizer": [optimizer(learning_rate={"kind": "constant", "value": 1e-9, "first": 1e-9, "last": 1e-9})],
        },
    ],
)
def test_unmoved_weights_prove_nothing_without_real_updates(verdict, changes):
    assert verdict("cg.02", weights(*STUCK, **changes))["conclusion"] == "undecided"


def test_everything_frozen_is_a_problem(verdict):
    frozen = parameter("fc.weight", [10, 8], requires_grad=False, in_optimizer=False, moved=STILL)
    assert verdict("cg.02", weights(frozen))["conclusion"] == "problem"


def test_a_killed_run_leaves_it_open(verdict):
    assert (
        verdict("cg.02", weights(parameter("fc.weight", [10, 8], moved=None, final=None)))["conclusion"] == "undecided"
    )


def two_networks(teacher_mode):
    """A student that trains and a teacher of the same class that lends its output, or a backbone left out by mistake."""
    cells = [{"path": "fc", "class": "Dense", "builtin": True, "args": "", "parameters": ["fc.weight"]}]
    teacher = parameter("fc.weight", [10, 8], in_optimizer=False, moved=STILL)
    run = weights(teacher, parameter("fc.weight", [10, 8]))
    run.set("network", [{"id": number, "class": "Net", "role": "train", "cells": cells} for number in (0, 1)])
    return run.set("modes", [phase(dependent=(("drop", False),), root_training=teacher_mode), phase()])


def test_a_teacher_is_not_meant_to_train(verdict):
    assert verdict("cg.02", two_networks(False))["conclusion"] == "ok"
    assert verdict("api.02", two_networks(False))["conclusion"] == "ok"


def test_a_second_network_left_out_in_training_mode_is_a_problem(verdict):
    assert verdict("cg.02", two_networks(True))["conclusion"] == "problem"


def test_a_decoder_left_out_is_no_teacher_for_being_evaluated_at_the_end(verdict):
    run = two_networks(True)
    cells = run.facts["network"]["networks"][0]["cells"]
    run.set(
        "network", [{"id": n, "class": c, "role": "train", "cells": cells} for n, c in enumerate(("Decoder", "Net"))]
    )
    at_the_end = phase("forward", root="Decoder", root_training=False)
    run.set("modes", [phase(root="Decoder"), phase(), at_the_end])
    assert verdict("cg.02", run)["conclusion"] == "problem"
    run.set("modes", [phase(), at_the_end])
    assert verdict("cg.02", run)["conclusion"] == "ok"


def chain(filled=False):
    """An encoder that trains and a decoder that takes what it puts out and is in no optimizer; no mode is ever set."""
    run = two_networks(False)
    cells = run.facts["network"]["networks"][0]["cells"]
    run.facts["parameters"]["parameters"].reverse()
    names = ("Encoder", "Decoder")
    run.set("network", [{"id": n, "class": c, "role": "train", "cells": cells} for n, c in enumerate(names)])
    both = [phase(network=n, root=name, root_training=False, dependent=()) for n, name in enumerate(names)]
    given = {"phase": "train", "via": "gradient", "calls": 9, "sampled": 9, "samples": 90}
    code = column("z", shape=[4], mean=5.0, std=2.0)
    entries = [("step", "Encoder", column()), ("network", "Encoder", column()), ("network", "Decoder", code)]
    run.facts["inputs"] = {
        "inputs": [{**given, "level": level, "network": name, "arguments": [one]} for level, name, one in entries]
    }
    if filled:
        load = {"function": "load_param_into_net", "network": "Decoder", "loaded": 1, "optimizer": False, "missing": []}
        run.set("weights_loaded", [{**load, "modules": [["fc", 1, 1]]}])
    return run.set("modes", both)


def test_a_decoder_left_out_is_no_teacher_where_no_mode_is_set(verdict):
    entry = verdict("cg.02", chain())
    assert entry["conclusion"] == "problem" and "1 of 2" in entry["summary"]
    assert verdict("cg.02", chain(filled=True))["conclusion"] == "ok"


def opponents(generator=None):
    """A generator and a discriminator, and the names that their optimizers were given."""
    still = {} if generator else {"in_optimizer": False, "moved": STILL}
    run = Run(parameters=[parameter("g.fc.weight", [4, 8], **still), parameter("d.fc.weight", [1, 4])])
    networks = []
    for number, name in enumerate("gd"):
        cells = [{"path": "fc", "class": "Dense", "builtin": True, "args": "", "parameters": [f"{name}.fc.weight"]}]
        networks.append({"id": number, "class": "SequentialCell", "role": "train", "cells": cells})
    given = {"updates": 60, "class": "Adam"}
    run.set("network", networks).set("modes", [phase(root="SequentialCell", root_training=True, dependent=())])
    return run.set(
        "optimizer",
        [
            optimizer(steps=[1, 119], parameter_names=["d.fc.weight"], **given),
            optimizer(id=1, steps=[2, 120], parameter_names=generator or ["d.fc.weight"], **given),
        ],
    )


def test_a_generators_optimizer_that_was_given_the_discriminators_weights(verdict):
    entry = verdict("cg.02", opponents())
    assert entry["conclusion"] == "problem" and "the very same weights" in entry["summary"], entry["summary"]
    assert verdict("cg.02", opponents(["g.fc.weight"]))["conclusion"] == "ok"
    averaged = opponents()  # the statistics of a normalisation move without an optimizer
    averaged.facts["network"]["networks"][0]["cells"][0]["parameters"].append("g.norm.moving_mean")
    averaged.facts["parameters"]["parameters"].insert(1, parameter("g.norm.moving_mean", [4], kind="statistic"))
    assert "the very same weights" in verdict("cg.02", averaged)["summary"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_many_pairs_that_begin_alike_stand_in_a_table_that_is_cut(verdict, lang):
    start = {**ONE, "min": -1.0, "max": 1.0, "mean": 0.0, "std": 0.5, "constant": False}
    table = parameter("table", [8, 4], cell_class="Embedding", initial=start, final={**start, "mean": 0.1})
    heads = [
        parameter(f"heads.{i}.weight", [8, 4], cell_class="Dense", initial=start, final={**start, "mean": 1.0 + i})
        for i in range(54)
    ]
    network = {"class": "Net", "cells": [], "shared_cells": [], "shared_parameters": []}
    entry = verdict("cg.01", weights(table, *heads).set("network", [network]), lang=lang)
    assert entry["conclusion"] == "ok" and "heads." not in entry["summary"]
    pairs = next(piece for piece in entry["evidence"] if piece["kind"] == "table")
    assert "54" in pairs["title"] and len(pairs["rows"]) == 20 and "20" in pairs["note"] and "54" in pairs["note"]


@pytest.mark.parametrize(
    ("soft", "hard", "stops", "conclusion"),
    [
        ({}, {"gradient_start": 1.0, "gradient_end": 0.4}, True, "problem"),
        ({}, {"start": 0.0, "end": 0.0}, True, "problem"),  # of a batch in which no sample has a label
        ({}, {"gradient_start": 1.0}, False, "ok"),  # a share of right answers: nothing was stopped
        ({"gradient_end": 0.3}, {"gradient_start": 1.0}, True, "ok"),  # of a weight that started at zero
        (
            {"end": 10.6},
            {"gradient_start": 1.0},
            True,
            "ok",
        ),  # a number that no weight changes, as an entropy of the data
        ({"end": 0.0}, {"gradient_start": 1.0}, True, "ok"),  # a margin that is kept
        ({}, {}, True, "ok"),  # none has a gradient, though the weights moved: they were not computed
    ],
)
def test_a_term_of_the_loss_without_a_gradient(verdict, soft, hard, stops, conclusion):
    still = {"gradient_start": 0.0, "gradient_end": 0.0, "no_gradient": [], "of_weights": False, "fits": []}
    terms = [
        {"place": {"file": "train.py", "line": 2}, "start": 10.6, "end": 3.3, **still, **soft},
        {"place": {"file": "train.py", "line": 2}, "start": 2.3, "end": 0.2, **still, **hard},
    ]
    code = f"p = {'ops.stop_gradient(p)' if stops else 'p'}\nloss = kl(p, q) + ce(p, y)\n"
    run = weights(MOVING, parameter("fc.weight", [10, 8]), source={"train.py": code})
    run.facts["probes"] = {"terms": terms}
    entry = verdict("cg.02", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    if conclusion == "problem":
        assert [one["line"] for one in entry["locations"]] == [1, 2]


_CODES = (
    "class Codes(nn.Cell):\n    def construct(self, z):\n        index = distance(z).argmin(axis=1)\n"
    "        code = self.table[index]\n        passed = {}\n        return passed, commitment(code, z)\n"
)


@pytest.mark.parametrize(
    ("code", "without", "inputs", "conclusion"),
    [
        (_CODES.format("code"), ["encoder.weight"], 1, "problem"),
        (_CODES.format("z + ops.stop_gradient(code - z)"), [], 1, "ok"),
        (_CODES.format("z + ops.stop_gradient(code - z)"), ["codes.table"], 1, "ok"),
        (
            _CODES.format("code"),
            ["encoder.weight"],
            2,
            "ok",
        ),  # samples with a target of their own: a head on fixed features
        (_CODES.replace("argmin", "softmax").format("code"), ["encoder.weight"], 1, "ok"),
        ("right = (net(x).argmax(1) == y).mean()\n", ["encoder.weight"], 1, "ok"),  # an evaluation, no lookup
    ],
)
def test_an_encoder_that_the_reconstruction_does_not_reach(verdict, code, without, inputs, conclusion):
    term = {"gradient_start": 1.0, "gradient_end": 0.5, "start": 2.0, "end": 1.0, "of_weights": False}
    fit = {"kind": "mse", "start": 2.0, "end": 1.0, "constant": 1.5, "samples": 64}
    terms = [
        {**term, "place": {"file": "train.py", "line": 4}, "no_gradient": without, "fits": [fit]},
        {**term, "place": {"file": "train.py", "line": 6}, "no_gradient": ["decoder.weight"], "fits": []},
    ]
    layers = [(f"{name}.{kind}", kind) for name in ("encoder", "decoder") for kind in ("weight", "bias")]
    made = [parameter(name, [8, 8] if kind == "weight" else [8], kind) for name, kind in layers]
    run = weights(*made, parameter("codes.table", [9, 8]), source={"train.py": code})
    run.facts["probes"] = {"terms": terms, "first_layers": [{"layers": []}] * inputs}
    entry = verdict("cg.02", run)
    assert entry["conclusion"] == conclusion, entry["summary"]
    if conclusion == "problem":
        assert [one["line"] for one in entry["locations"]] == [5, 3, 4]


@pytest.mark.parametrize(
    ("initial", "constant", "item"), [(ZERO, None, "wi.01"), (None, 1.0, "cg.04"), (None, None, None)]
)
def test_weights_that_another_fault_leaves_without_a_gradient(verdict, initial, constant, item):
    """They were not changed, and the cause is told by another item."""
    changes = {"moved": STILL, **({"initial": initial} if initial else {})}
    run = Run(parameters=[parameter("0.weight", [8, 4], **changes), parameter("2.weight", [1, 8], **changes)])
    run.facts["probes"] = {
        "skipped": {},
        "losses": [{"kind": "bce", "name": "BCELoss", "output": {"constant": constant}}],
    }
    entry = verdict("cg.02", run)
    assert entry["conclusion"] == ("undecided" if item else "problem"), entry["summary"]
    assert not item or item in entry["summary"]
