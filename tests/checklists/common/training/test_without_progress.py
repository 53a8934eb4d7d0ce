"""Settings far beyond what is usual in trainings that came to nothing, whatever else is wrong (hp.01, hp.02, td.08)."""

import pytest
from building import Run, column, dataset, one_pass, optimizer, parameter, run_data, train_step

from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.checklists.common.training.without_progress import came_to_nothing
from msprec.checklists.hp.learning_rate.exchanged_momentum import exchanged_momentum
from msprec.checklists.hp.learning_rate.large_eps import eps_of
from msprec.checklists.hp.learning_rate.sum_of_rates import sum_of_rates
from msprec.checklists.td.scales import decay as scales
from msprec.checklists.td.scales.decay import decay_far_above_usual
from msprec.checklists.td.update_gradients.clipped_way import clipped_way

CONSTANT = 2.3026  # of ten classes


def training(level, steps=135, rate=0.1, passes=3, source="", **settings):
    """A cross-entropy of ten classes that stays at ``level``; an optimizer of these ``settings``."""
    each = {"learning_rate": {"kind": "constant", "first": rate, "last": rate, "value": rate}, **settings}
    rows = [
        {"step": n, "epoch": 1 + (n - 1) * passes // steps, "loss": level + 0.001 * (-1) ** n, "lr": rate, "batch": 32}
        for n in range(1, steps + 1)
    ]
    losses = [{"class": "CrossEntropyLoss", "builtin": True, "args": "", "place": None}]
    made = Run(optimizer=[optimizer(**each)], loss=losses, source={"train.py": source}, run={"training_steps": steps})
    made.steps = rows
    made.set("train_step", [train_step(count=steps)])
    return made


@pytest.mark.parametrize(
    ("level", "steps", "expected"),
    [(CONSTANT, 135, True), (0.3, 135, False), (CONSTANT, 6, True)],
)
def test_came_to_nothing(tmp_path, level, steps, expected):
    assert came_to_nothing(run_data(tmp_path, training(level, steps))) is expected


def test_few_losses_that_come_down(tmp_path):
    made = training(CONSTANT, 6)
    for step in made.steps:
        step["loss"] /= step["step"]
    assert not came_to_nothing(run_data(tmp_path, made))


@pytest.mark.parametrize(("end", "expected"), [(3.0, True), (2.0, False)])
def test_few_losses_that_come_down_from_far_above(tmp_path, end, expected):
    made = training(CONSTANT, 15)
    for step in made.steps:
        step["loss"] = end + 20.0 * 0.5 ** step["step"]
    assert came_to_nothing(run_data(tmp_path, made)) is expected


def test_targets_beyond_a_binary_cross_entropy(tmp_path):
    made = training(CONSTANT).set("datasets", [])
    entry = {"kind": "bce", "name": "BCELoss", "labels": {"min": 0.0, "max": 16.0}}
    made.facts["probes"] = {"skipped": {}, "losses": [entry]}
    assert came_to_nothing(run_data(tmp_path, made))
    entry["labels"]["max"] = 1.0
    for step in made.steps:
        step["loss"] *= 0.99 ** step["step"]
    assert not came_to_nothing(run_data(tmp_path / "other", made))


MADE = "\n" * 7 + "opt = nn.Adam(net.trainable_params(), 0.001, eps={})\n"


@pytest.mark.parametrize(("level", "eps", "found"), [(CONSTANT, 1.0, True), (CONSTANT, 1e-3, False), (0.1, 1.0, False)])
def test_eps(verdict, level, eps, found):
    made = training(level, rate=0.001, source=MADE.format(eps), **{"class": "Adam"})
    entry = verdict("hp.01", made)
    assert ("The eps of Adam" in entry["summary"]) is found
    assert not found or (entry["conclusion"], entry["locations"][0]["line"]) == ("problem", 8)


@pytest.mark.parametrize(("eps", "told"), [(1e-8, None), (1e-6, None), (1e-3, 1e-3)])
def test_a_default_drowns_nothing(tmp_path, eps, told):
    data = run_data(tmp_path, training(CONSTANT, **{"class": "Adam", "eps": eps}))
    assert eps_of(data, data.optimizers[0]) == told


@pytest.mark.parametrize(("rate", "conclusion"), [(0.5, "problem"), (0.05, "undecided")])
def test_a_rate_far_above_the_usual_of_a_few_steps(verdict, rate, conclusion):
    made = training(2.35, 6, rate, **{"class": "Adam"}).set("parameters", [parameter("fc.weight", [10, 64])])
    assert verdict("hp.01", made)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("level", "steps", "passes", "conclusion"),
    [
        (CONSTANT, 60, 2, "problem"),
        (0.9, 60, 2, "undecided"),
        (CONSTANT, 60, 10, "undecided"),
        (CONSTANT, 600, 2, "undecided"),
    ],
)
def test_few_passes_and_updates(verdict, level, steps, passes, conclusion):
    assert verdict("hp.02", training(level, steps, passes=passes))["conclusion"] == conclusion


def test_few_updates_that_overflow(verdict):
    made = training(CONSTANT, 60, passes=2)
    for step in made.steps:
        step["overflow"] = 1
    assert verdict("hp.02", made)["conclusion"] == "undecided"


@pytest.mark.parametrize(
    ("level", "decay", "kind", "norm", "found"),
    [
        (CONSTANT, 3.0, "AdamWeightDecay", 0.01, True),  # of weights drawn far smaller than usual as well
        (CONSTANT, 0.5, "Adam", 0.01, True),
        (CONSTANT, 0.01, "Adam", 0.0001, False),
        (CONSTANT, 0.5, "AdamWeightDecay", 0.01, False),
        (CONSTANT, 10.0, "AdamWeightDecay", 0.01, True),
        (CONSTANT, 0.5, "Adam", 100.0, False),  # the gradient is larger
        (0.3, 0.5, "Adam", 0.01, False),
    ],
)
def test_decay(tmp_path, level, decay, kind, norm, found):
    settings = {"class": kind, "weight_decay": decay, "parameter_names": ["fc.weight"]}
    made = training(level, **settings).set("parameters", [parameter("fc.weight", [10, 64])])
    made.gradients = [{"step": 1, "parameter": "fc.weight", "norm": norm}]
    told = decay_far_above_usual(run_data(tmp_path, made))
    assert (told is not None) is found


@pytest.mark.parametrize(
    ("rate", "momentum", "level", "found"),
    [
        (0.9, 0.02, 0.6, True),
        (0.95, 0.1, 2.0, True),
        (0.02, 0.9, 0.6, False),
        (0.9, 0.9, 0.6, False),
        (0.9, 0.0, 0.6, False),
        (1.0, 0.02, 0.6, False),
        (0.9, 0.02, 0.01, False),  # it learnt all the same
    ],
)
def test_rate_and_momentum(tmp_path, rate, momentum, level, found):
    run = training(level, rate=rate, momentum=momentum)
    data = run_data(tmp_path, run)
    assert (exchanged_momentum(data, data.optimizers, []) is not None) is found


@pytest.mark.parametrize(
    ("level", "decay", "shape", "norm", "found"),
    [
        (
            CONSTANT,
            0.9,
            [64, 320],
            100.0,
            True,
        ),  # inputs that make its gradients large, and a penalty beyond all losses
        (CONSTANT, 0.15, [64, 320], 100.0, False),
        (0.3, 0.9, [64, 320], 100.0, False),
        (CONSTANT, 0.15, [10, 64], 0.0, True),  # the loss has no gradient at all
    ],
)
def test_decay_beside_gradients_of_any_size(tmp_path, level, decay, shape, norm, found):
    settings = {"class": "SGD", "weight_decay": decay, "parameter_names": ["fc.weight"]}
    made = training(level, **settings).set("parameters", [parameter("fc.weight", shape)])
    made.gradients = [{"step": 1, "parameter": "fc.weight", "norm": norm}]
    told = decay_far_above_usual(run_data(tmp_path, made))
    assert (told is not None) is found


@pytest.mark.parametrize(
    ("behind", "decay", "kind", "norms", "found"),
    [
        (True, 0.2, "Adam", (10.0, 0.2), True),  # what the loss gains is taken back at the end
        (True, 0.2, "Adam", (10.0, 10.0), False),
        (True, 0.05, "Adam", (10.0, 0.01), False),
        (True, 0.2, "AdamWeightDecay", (10.0, 0.2), False),
        (False, 0.2, "Adam", (10.0, 0.2), False),
    ],
)
def test_decay_of_a_training_that_stays_behind(tmp_path, monkeypatch, behind, decay, kind, norms, found):
    monkeypatch.setattr(scales, "behind_simple_predictor", lambda *_: behind or None)
    settings = {"class": kind, "weight_decay": decay, "parameter_names": ["fc.weight"]}
    made = training(0.9, **settings).set("parameters", [parameter("fc.weight", [10, 64])])
    made.gradients = [{"step": n, "parameter": "fc.weight", "norm": norm} for n, norm in zip((1, 135), norms)]
    assert (decay_far_above_usual(run_data(tmp_path, made)) is not None) is found


ARRAYS = """grad_fn = ms.value_and_grad(forward, None, opt.parameters)
for epoch in range({times}):
    for i in range(0, 1350, 64):
        loss, grads = grad_fn(x[i : i + 64], y[i : i + 64]){more}
"""


@pytest.mark.parametrize(
    ("times", "more", "conclusion"),
    [
        (1, "", "problem"),
        (10, "", "undecided"),  # passes that could not be told apart
        (1, "\n        if i > 640:\n            break", "undecided"),
        ("args.epochs", "", "undecided"),
    ],
)
def test_one_pass_over_plain_arrays(verdict, times, more, conclusion):
    made = training(CONSTANT, 22, passes=1, source=ARRAYS.format(times=times, more=more))
    taken = [{"op": "arguments of the training step", "args": {}, "place": None}]
    made.set("datasets", [dataset(pipeline=taken, passes=[one_pass(1, complete=False)])])
    assert verdict("hp.02", made)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("rate", "level", "found"), [(0.01, CONSTANT, True), (1.0, CONSTANT, False), (0.01, 0.3, False)]
)
def test_a_rate_of_adadelta(verdict, rate, level, found):
    weight = parameter("fc.weight", [10, 64])
    weight["initial"]["std"] = 0.125  # as MindSpore draws it
    made = training(level, 168, rate, **{"class": "Adadelta"}).set("parameters", [weight])
    entry = verdict("hp.01", made)
    assert (entry["conclusion"] == "problem" and "whatever else is wrong" in entry["summary"]) is found


@pytest.mark.parametrize(
    ("rate", "steps", "level", "settings", "found"),
    [
        (0.01, 400, CONSTANT, {"class": "SGD", "momentum": 0.0}, True),
        (0.001, 400, CONSTANT, {"class": "Momentum", "momentum": 0.9}, True),
        (0.01, 400, CONSTANT, {"class": "Momentum", "momentum": 0.9}, False),
        (0.02, 400, CONSTANT, {"class": "SGD", "momentum": 0.0}, False),
        (0.01, 60, CONSTANT, {"class": "SGD", "momentum": 0.0}, False),  # few updates are for hp.02
        (0.01, 400, 0.3, {"class": "SGD", "momentum": 0.0}, False),
        (0.001, 400, CONSTANT, {"class": "Adam"}, False),
    ],
)
def test_rates_that_add_up_to_little(tmp_path, rate, steps, level, settings, found):
    moved = {"max_abs": 0.01, "relative": 0.02, "any": True, "proportional": False}
    made = training(level, steps, rate, **settings)
    made.set("parameters", [parameter("fc.weight", [10, 64], moved=moved)])
    data = run_data(tmp_path, made)
    assert (sum_of_rates(data, rate, learning_outcome(data), [], []) is not None) is found


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made.set(
            "datasets", [dataset([column("image", min=0.0, max=255.0, mean=80.0, std=70.0), column("label")])]
        ),
        lambda made: made.set(
            "loss", [{"class": "CrossEntropyLoss", "builtin": True, "args": "reduction='sum'", "place": None}]
        ),
        lambda made: made.facts["parameters"]["parameters"][0]["moved"].update(relative=0.3),
    ],
)
def test_rates_beside_gradients_of_another_size(tmp_path, change):
    moved = {"max_abs": 0.01, "relative": 0.02, "any": True, "proportional": False}
    made = training(CONSTANT, 400, 0.01, **{"class": "SGD", "momentum": 0.0})
    made.set("parameters", [parameter("fc.weight", [10, 64], moved=moved)])
    change(made)
    data = run_data(tmp_path, made)
    assert sum_of_rates(data, 0.01, learning_outcome(data), [], []) is None


@pytest.mark.parametrize(
    ("code", "kind", "level", "lines"),
    [
        ("grads = ops.clip_by_global_norm(grads, 0.005)\n", "Momentum", CONSTANT, [1]),
        ("CLIP = 0.005\ngrads = ops.clip_by_global_norm(grads, clip_norm=CLIP)\n", "SGD", CONSTANT, [2, 1]),
        ("grads = ops.clip_by_global_norm(grads, 1.0)\n", "Momentum", CONSTANT, None),
        ("grads = ops.clip_by_global_norm(grads, 0.005)\n", "Adam", CONSTANT, None),
        ("grads = ops.clip_by_global_norm(grads, 0.005)\n", "Momentum", 0.3, None),
        ("grads = ops.clip_by_global_norm(grads, limit)\n", "Momentum", CONSTANT, None),
    ],
)
def test_clipping(tmp_path, code, kind, level, lines):
    made = training(level, 220, 0.03, source=code, **{"class": kind, "momentum": 0.9})
    made.set("parameters", [parameter("fc.weight", [64, 64])])
    told = clipped_way(run_data(tmp_path, made))
    assert ([one["line"] for one in told.locations] if told else None) == lines


@pytest.mark.parametrize(
    ("given", "computed", "lines"),
    [
        ((0.005, 0.005), (0.05, 0.09), [2, 4]),
        ((0.005, 0.009), (0.05, 0.09), None),  # scaled, not clipped
        ((0.005, 0.005), (0.005, 0.09), None),  # one was smaller anyway
        ((0.5, 0.5), (5.0, 9.0), None),
    ],
)
def test_clipping_to_a_norm_that_a_field_holds(tmp_path, given, computed, lines):
    code = (
        "class Trainer:\n    def step(self, grads): return ops.clip_by_global_norm(grads, self.limit)\n"
        "    def __init__(self, limit): self.limit = limit\ntrainer = Trainer(limit=0.005)\n"
    )
    made = training(CONSTANT, 220, 0.03, source=code, **{"class": "SGD", "momentum": 0.9})
    made.set("parameters", [parameter("fc.weight", [64, 64])])
    updates = [{"update": n, "given_norm": g, "computed_norm": c} for n, (g, c) in enumerate(zip(given, computed))]
    made.facts["probes"] = {"gradients": {"updates": updates}}
    told = clipped_way(run_data(tmp_path, made))
    assert ([one["line"] for one in told.locations] if told else None) == lines
