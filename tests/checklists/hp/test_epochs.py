"""hp.02 on recorded curves: overfitting, too few epochs, and what only looks like them."""

import math

import pytest
from building import Run, dataset, phase, train_step

EPOCHS, EACH = 30, 20


def falling(step, level=0.3, pace=80.0):
    """A training loss that settles."""
    return level + 2.0 * math.exp(-step / pace)


def steps(loss=falling, epochs=EPOCHS, rate=lambda share: 0.1):
    total = epochs * EACH
    # a flutter without a random number: it has mean zero over each epoch
    return [
        {"step": n, "epoch": 1 + (n - 1) // EACH, "loss": loss(n) * (1 + 0.02 * (-1) ** n), "lr": rate(n / total)}
        for n in range(1, total + 1)
    ]


def run(values, loss=falling, name="loss", epochs=EPOCHS, rate=lambda share: 0.1, more=None, **changes):
    found = [
        {
            "step": (n + 1) * EACH * epochs // len(values),
            "epoch": n + 1,
            "metrics": {name: v, **(more[n] if more else {})},
            "place": {"file": "train.py", "line": 9},
            "via": "Model.fit",
        }
        for n, v in enumerate(values)
    ]
    total = epochs * EACH
    return Run(evaluation=found, steps=steps(loss, epochs, rate), run={"training_steps": total}, **changes)


OVER = [1.0 - 0.08 * n if n < 8 else 0.44 + 0.02 * (n - 8) for n in range(30)]
SETTLED = [0.4 + math.exp(-n / 4) for n in range(30)]
FLUTTER = [value + 0.03 * (-1) ** n for n, value in enumerate(SETTLED)]


def linear(step):
    return 3.0 - step / 300


def test_a_validation_loss_that_turns_up(verdict):
    entry = verdict("hp.02", run(OVER))
    assert entry["conclusion"] == "problem" and "Too many" in entry["summary"] and "step 160" in entry["summary"]
    assert entry["locations"] == [{"file": "train.py", "line": 10}]


def test_a_training_that_diverges_has_no_epochs_too_many(verdict):
    entry = verdict("hp.02", run(OVER, loss=lambda step: falling(step) if step < 200 else math.inf))
    assert entry["conclusion"] == "undecided" and "diverges" in entry["summary"]


def test_a_score_that_falls(verdict):
    score = [0.6 + 0.04 * n if n < 8 else 0.9 - 0.004 * (n - 8) for n in range(30)]
    assert verdict("hp.02", run(score, name="accuracy"))["conclusion"] == "problem"
    percent = [100 * value for value in score]
    assert verdict("hp.02", run(percent, name="top1_acc"))["conclusion"] == "problem"
    assert verdict("hp.02", run([min(v, 0.9) for v in score], name="accuracy"))["conclusion"] == "problem"


@pytest.mark.parametrize("values", [SETTLED, FLUTTER, [*SETTLED[:-1], SETTLED[-1] + 0.06], OVER[:10]])
def test_curves_that_settle(verdict, values):
    assert verdict("hp.02", run(values))["conclusion"] == "ok"


def test_an_accuracy_that_falls_to_nothing_while_the_loss_goes(verdict):
    """The labels of the evaluation are others than those of the training."""
    score = [max(0.07 - 0.01 * n, 0.0) for n in range(30)]
    entry = verdict("ds.02", run(score, name="accuracy"))
    assert entry["conclusion"] == "problem" and "labels of training and evaluation do not agree" in entry["summary"]
    assert entry["locations"][0] == {"file": "train.py", "line": 9}
    entry = verdict("hp.02", run(score, name="accuracy"))
    assert entry["conclusion"] == "undecided" and "far below guessing" in entry["summary"]


@pytest.mark.parametrize(
    ("score", "name", "loss"),
    [
        ([0.0] * 30, "accuracy", falling),  # of whole sequences that are right
        ([0.07 - 0.002 * n for n in range(30)], "accuracy", falling),
        ([max(0.07 - 0.01 * n, 0.0) for n in range(30)], "accuracy", linear),  # it did not learn much either
        ([max(0.07 - 0.01 * n, 0.0) for n in range(30)], "error", falling),
    ],
    ids=["never", "falls", "slow", "error"],
)
def test_accuracies_that_agree_with_the_loss(verdict, score, name, loss):
    assert "do not agree" not in verdict("ds.02", run(score, loss=loss, name=name))["summary"]


def test_an_accuracy_below_guessing(verdict):
    """Of ten classes, by a network that learnt them; one whose loss is its start's third has an accuracy to match."""
    loss = {"name": "CrossEntropyLoss", "kind": "softmax_cross_entropy", "predicted": {"shape": [32, 10]}}
    for value, agrees in ((0.001, False), (0.12, True)):
        one = run([value] * 5, name="accuracy")
        one.facts["probes"] = {"losses": [loss], "skipped": {}}
        assert ("do not agree" not in verdict("ds.02", one)["summary"]) is agrees


def test_an_overconfident_network_is_not_a_worse_one(verdict):
    more = [{"accuracy": 0.5 + 0.4 * (1 - math.exp(-n / 10))} for n in range(30)]
    entry = verdict("hp.02", run(OVER, more=more))
    assert entry["conclusion"] == "ok" and "went on improving" in entry["summary"]
    within = [{"accuracy": 0.8 + min(n, 14) * 0.001} for n in range(30)]  # six more right answers of 400
    for samples, conclusion in ((400, "problem"), (40000, "ok")):
        sets = [dataset(), dataset(id=1, role="eval", samples_per_pass=samples)]
        assert verdict("hp.02", run(OVER, more=within, datasets=sets))["conclusion"] == conclusion
    flat = [{"accuracy": 0.8} for _ in range(30)]
    assert verdict("hp.02", run(OVER, more=flat))["conclusion"] == "problem"


@pytest.mark.parametrize(
    "line",
    [
        "stopper = EarlyStopping(patience=3)",
        "if loss < best:\n    ms.save_checkpoint(net, 'best.ckpt')",
        "if counter > patience:\n    save_checkpoint(net, name)",
    ],
)
def test_best_weights_that_are_kept(verdict, line):
    kept = run(OVER)
    kept.source["train.py"] += line + "\n"
    entry = verdict("hp.02", kept)
    assert entry["conclusion"] == "ok" and entry["locations"][0]["line"] >= 11
    periodic = run(OVER)
    periodic.source["train.py"] += "if epoch % 5 == 0:\n    ms.save_checkpoint(net, 'last.ckpt')\n"
    assert verdict("hp.02", periodic)["conclusion"] == "problem"


def test_a_loss_that_falls_to_the_end(verdict):
    getting_better = [2.9 - 0.06 * n for n in range(30)]
    entry = verdict("hp.02", run(getting_better, linear))
    assert (
        entry["conclusion"] == "problem"
        and "Too few" in entry["summary"]
        and "still getting better" in entry["summary"]
    )
    assert verdict("hp.02", run([], linear))["conclusion"] == "problem"


@pytest.mark.parametrize("how", [{"kind": "signal", "signal": "SIGTERM"}, {"kind": "interrupt"}, {"kind": "running"}])
def test_a_run_that_somebody_ended_has_no_epochs_too_few(verdict, how):
    one = run([], linear)
    one.run["exit"] = {"code": None, "exception": None, **how}
    entry = verdict("hp.02", one)
    assert entry["conclusion"] == "undecided" and "ended from outside" in entry["summary"]


@pytest.mark.parametrize(("right", "conclusion"), [(0.99, "undecided"), (0.8, "problem"), (None, "problem")])
def test_training_samples_that_are_classified_right(verdict, right, conclusion):
    made = run([3.0 - n / 15 for n in range(30)], loss=linear)
    made.facts["probes"] = {"losses": [], "labels": {"accuracy": right, "majority": 0.5}, "skipped": {}}
    entry = verdict("hp.02", made)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert ("99.0 %" in entry["summary"]) == (right == 0.99)


def test_a_fall_that_is_no_reason_for_more_epochs(verdict):
    assert verdict("hp.02", run(SETTLED, linear))["conclusion"] == "ok"  # the validation is flat
    assert verdict("hp.02", run([], linear, epochs=3))["conclusion"] == "undecided"  # cut short
    below = verdict("hp.02", run([], lambda step: falling(step, level=-0.4) - step / 3000))
    assert below["conclusion"] == "undecided"  # below zero a share of itself tells nothing
    unbounded = run([], lambda step: 0.5 - step / 300)
    assert (
        verdict("hp.02", unbounded)["conclusion"] == "undecided"
    )  # a cross entropy below 0 is given what it cannot take
    unbounded.set("loss", [{"class": "Energy", "builtin": False}])
    assert verdict("hp.02", unbounded)["conclusion"] == "problem"
    decayed = verdict("hp.02", run([], linear, rate=lambda share: 0.1 * (1 - share)))
    assert decayed["conclusion"] == "undecided" and "schedule was lowering" in decayed["summary"]
    slows = verdict("hp.02", run([], lambda step: 2 * math.exp(-step / 200)))
    assert slows["conclusion"] == "undecided" and "is gone" in slows["summary"]
    halves = verdict("hp.02", run([], lambda step: 2 * math.exp(-step / 170)))
    assert halves["conclusion"] == "problem"  # half of what is left goes in the last fifth
    small = verdict("hp.02", run([], lambda step: 0.001 + 2 * math.exp(-step / 60)))
    assert small["conclusion"] == "undecided" and "levelled off" in small["summary"]  # near zero a halving is nothing


def test_warm_up_does_not_disturb(verdict):
    def warmed(step):
        return 2.3 if step < 60 else falling(step - 60)

    assert verdict("hp.02", run([2.3, *SETTLED[:-1]], warmed, rate=lambda share: min(0.1, share)))["conclusion"] == "ok"


def test_too_few_evaluations(verdict):
    assert verdict("hp.02", run([1.0, 0.5, 0.4]))["conclusion"] == "undecided"
    assert verdict("hp.02", run([]))["conclusion"] == "undecided"
    assert verdict("hp.02", run(OVER, name="seconds"))["conclusion"] == "undecided"


def test_losses_that_are_not_finite_give_no_curve(verdict):
    broken = run([])
    broken.steps[100]["loss"] = "nan"
    assert verdict("hp.02", broken)["conclusion"] == "undecided"


def folds(count, each=60):
    """The same curve again and again, each with a network of its own."""
    losses = [0.05 + 1.0 * math.exp(-n / 15) for n in range(each)] * count
    made = run([0.98, 0.9, 0.9, 0.9][:count], name="accuracy", epochs=count)
    made.steps = [{"step": n + 1, "loss": loss, "lr": 0.1} for n, loss in enumerate(losses)]
    for number, one in enumerate(made.facts["evaluation"]["evaluations"]):
        one["step"] = each * (number + 1)
    spans = [(n * each, (n + 1) * each - 1) for n in range(count)]
    phases = [phase("train", first_step=first, last_step=last) for first, last in spans]
    made.facts["modes"]["phases"] = phases
    made.facts["network"]["networks"] = [{"id": n, "class": "Net", "role": "train"} for n in range(count)]
    return made.set("run", {"training_steps": count * each})


def test_folds_are_no_curve(verdict):
    entry = verdict("hp.02", folds(4))
    assert entry["conclusion"] == "undecided" and "after step 180" in entry["summary"], entry["summary"]
    one = folds(4)
    one.facts["network"]["networks"] = one.facts["network"]["networks"][:1]
    assert verdict("hp.02", one)["conclusion"] == "problem"  # one network: its score fell


def test_best_weights_by_any_name(verdict):
    code = "if v < top:\n    top, kept = v, {p.name: p.asnumpy().copy() for p in net.get_parameters()}\n"
    assert verdict("hp.02", run(OVER, source={"train.py": code}))["conclusion"] == "ok"
    other = code.replace("top, kept = v", "last, kept = v")
    assert verdict("hp.02", run(OVER, source={"train.py": other}))["conclusion"] == "problem"


def test_numbers_without_a_name_are_told(verdict):
    made = Run()
    made.facts["evaluation"] = {
        "evaluations": [
            {"step": step, "metrics": {"evaluate": 0.5}, "via": "function", "place": {"file": "train.py", "line": 9}}
            for step in (10, 20, 30, 40)
        ],
        "without_result": [],
    }
    entry = verdict("hp.02", made)
    assert entry["conclusion"] == "undecided" and "evaluate" in entry["would_decide"]


def test_functions_that_return_nothing_are_told(verdict):
    made = Run()
    made.facts["evaluation"] = {"evaluations": [], "without_result": [{"file": "train.py", "line": 9}]}
    entry = verdict("hp.02", made)
    assert entry["conclusion"] == "undecided" and "train.py:9" in entry["would_decide"]


def test_a_score_of_few_samples(verdict):
    """Three right answers of 64 more or less are within their error; thirty of 640 are not."""
    score = [0.5 + 0.025 * n if n < 8 else 0.703 - min(n - 8, 10) * 0.0047 for n in range(30)]
    for samples, conclusion in ((64, "ok"), (640, "problem")):
        made = run(score, name="acc")
        for one in made.facts["evaluation"]["evaluations"]:
            one["samples"] = samples
        assert verdict("hp.02", made)["conclusion"] == conclusion


def by_heart(step):
    return 0.002 + 2.3 * math.exp(-step / 25)


PLATEAU = [0.4 + 0.005 * (-1) ** n for n in range(10)]


def test_a_gap_without_a_turn(verdict):
    entry = verdict("hp.02", run(PLATEAU, by_heart, name="accuracy"))
    assert entry["conclusion"] == "problem" and "Overfitting" in entry["summary"]
    entry = verdict("hp.02", run([1.6 + value / 10 for value in PLATEAU], by_heart))
    assert entry["conclusion"] == "problem" and "a constant prediction reaches" in entry["summary"]


@pytest.mark.parametrize(("right", "conclusion"), [(1.0, "problem"), (0.9, "ok")])
def test_samples_known_by_heart_beside_smoothed_labels(verdict, right, conclusion):
    """Smoothing leaves a loss: what the last weights predict of the samples tells."""
    made = run(PLATEAU, lambda step: 0.8 + 1.5 * math.exp(-step / 25), name="accuracy")
    made.facts["probes"] = {**made.facts.get("probes", {}), "labels": {"accuracy": right, "majority": 0.1}}
    assert verdict("hp.02", made)["conclusion"] == conclusion


def test_what_looks_like_a_gap(verdict):
    good = [{"accuracy": 0.92}] * 10
    assert verdict("hp.02", run([1.6 + value / 10 for value in PLATEAU], by_heart, more=good))["conclusion"] == "ok"
    assert verdict("hp.02", run([0.3 + value / 10 for value in PLATEAU], by_heart))["conclusion"] == "ok"
    slow = run(PLATEAU, lambda step: 0.8 + 1.5 * math.exp(-step / 60), name="accuracy")
    assert verdict("hp.02", slow)["conclusion"] == "ok"  # not learnt by heart
    code = "stop = EarlyStopping(patience=3)\n"
    kept = run(PLATEAU, by_heart, name="accuracy", source={"train.py": code})
    assert verdict("hp.02", kept)["conclusion"] == "ok"
    assert verdict("hp.02", run(PLATEAU, by_heart, name="train_accuracy"))["conclusion"] != "problem"


@pytest.mark.parametrize(("shift", "conclusion"), [(0, "ok"), (1, "problem")])
def test_tokens_that_are_copied_tell_no_gap(verdict, shift, conclusion):
    """The targets are what the network is given (td.05), and the score is of the next tokens."""
    made = run(PLATEAU, by_heart, name="accuracy")
    seen = {"shift": shift, "before": 0.0, "after": 1.0, "place": None, "loss_place": None}
    made.facts["probes"] = {**made.facts.get("probes", {}), "seen_targets": seen}
    assert verdict("hp.02", made)["conclusion"] == conclusion


def test_a_few_labelled_nodes_of_one_graph_are_learnt_by_heart_by_right(verdict):
    nodes = dataset(batch_size=1440)
    nodes["columns"].insert(0, {**nodes["columns"][0], "name": "adjacency", "shape": [1440]})
    nodes["pipeline"] = [{"op": "arguments of the training step", "args": {}, "place": {"file": "train.py", "line": 9}}]
    assert verdict("hp.02", run(PLATEAU, by_heart, name="accuracy", datasets=[nodes]))["conclusion"] == "ok"


@pytest.mark.parametrize(("score", "conclusion"), [(0.3, "problem"), (0.85, "undecided")])
def test_three_epochs_that_brought_the_loss_down_a_little(verdict, score, conclusion):
    """Whoever is right 85 times of 100 has not hardly begun, whatever a smoothed loss says."""
    entry = verdict(
        "hp.02", run([score / 2, score * 0.8, score], lambda step: 3.0 - step / 60, name="accuracy", epochs=3)
    )
    assert entry["conclusion"] == conclusion, entry["summary"]


def test_nothing_is_ok_on_a_training_that_learnt_nothing(verdict):
    entry = verdict("hp.02", run([2.3] * 10, lambda step: 2.3026))
    assert entry["conclusion"] == "undecided" and "learnt nothing" in entry["summary"]


@pytest.mark.parametrize(
    ("scores", "conclusion", "says"),
    [
        ([0.1, 0.11, 0.1, 0.11, 0.1, 0.11], "undecided", "learnt nothing"),
        ([0.15, 0.2, 0.25, 0.3, 0.35, 0.4], "undecided", "still getting better"),
        ([0.3, 0.4, 0.41, 0.4, 0.4, 0.41], "ok", "has not turned"),
        ([0.3, 0.5, 0.6, 0.7, 0.8, 0.9], "ok", "has not turned"),
    ],
)
def test_a_poor_score_is_not_ok(verdict, scores, conclusion, says):
    entry = verdict("hp.02", run(scores, lambda step: 1.6 + 0.6 * math.exp(-step / 60), name="accuracy"))
    assert entry["conclusion"] == conclusion and says in entry["summary"], entry["summary"]


@pytest.mark.parametrize(
    ("epochs", "each", "end", "conclusion"),
    [
        (2, 20, 1.4, "problem"),
        (2, 20, 0.5, "undecided"),  # it came far
        (2, 80, 1.4, "undecided"),  # more updates, and it may be a trial
    ],
)
def test_two_passes_that_break_off(verdict, epochs, each, end, conclusion):
    total = epochs * each
    rows = [
        {"step": n, "epoch": 1 + (n - 1) // each, "loss": 2.3 - (2.3 - end) * n / total, "lr": 0.1, "batch": 32}
        for n in range(1, total + 1)
    ]
    made = Run(steps=rows, run={"training_steps": total}, train_step=[train_step(count=total)], evaluation=[])
    entry = verdict("hp.02", made)
    assert entry["conclusion"] == conclusion, entry["summary"]
