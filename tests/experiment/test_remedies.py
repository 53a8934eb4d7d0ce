"""What each remedy edits, and that a patch of all of them applies."""

import json
import subprocess

import pytest
from click.testing import CliRunner
from small_run import PROBLEMS, write_run

from msprec.cli import main
from msprec.experiment.case import CannotExperiment, Case
from msprec.experiment.patch import unified_diff
from msprec.experiment.plan import make_plan
from msprec.experiment.remedies import REMEDIES

EDITS = {
    "standardise": '.batch(16).map(lambda x: ((x - 50.0) / 20.0).astype("float32"), input_columns=["x"])',
    "shuffle": 'train = ds.GeneratorDataset(Source(), ["x", "y"], shuffle=True)',
    "all_parameters": "nn.Momentum(net.trainable_params(), 0.001, 0.9)",
    "initial_weights": 'nn.Dense(8, 3, weight_init="he_uniform")',
    "logits": "        return self.head(self.body(x))  # probabilities",
    "evaluation_mode": "    net.set_train(False)\n    for x, y in test.create_tuple_iterator():",
    "lr_range_test": "nn.Momentum(net.body.trainable_params(), 0.02, 0.9)",
    "lr_range_middle": "nn.Momentum(net.body.trainable_params(), 0.08944, 0.9)",
    "lr_range_upper": "nn.Momentum(net.body.trainable_params(), 0.2, 0.9)",
    "lr_lower": "nn.Momentum(net.body.trainable_params(), 0.0001, 0.9)",
    "lr_much_lower": "nn.Momentum(net.body.trainable_params(), 1e-05, 0.9)",
    "lr_much_higher": "nn.Momentum(net.body.trainable_params(), 0.1, 0.9)",
    "lr_far_higher": "nn.Momentum(net.body.trainable_params(), 1, 0.9)",
    "lr_higher": "nn.Momentum(net.body.trainable_params(), 0.01, 0.9)",
    "unscale_first": "            grads = scaler.unscale(grads)\n            grads = ops.clip_by_norm(grads, 1.0)\n",
    "float32": "net.to_float(ms.float32)",
    "class_weights": "nn.CrossEntropyLoss(weight=ms.Tensor([0.5333, 1.0667, 5.3333], ms.float32))",
    "batch_size": "train.batch(32)  # of 64",
    "more_epochs": "for epoch in range(10):",
    "many_epochs": "for epoch in range(40):",
    "most_epochs": "for epoch in range(160):",
}


@pytest.fixture
def case(tmp_path):
    return Case(write_run(tmp_path))


@pytest.mark.parametrize("name", sorted(EDITS))
def test_edit(case, name):
    (remedy,) = make_plan(case, (name,)).remedies
    text, folder = unified_diff(case, (remedy,))
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    subprocess.run(["git", "apply", "--check", "-"], input=text.encode(), cwd=folder, check=True)
    assert {path: path.read_bytes() for path in before} == before
    (case.run / "remedy.patch").write_text(text)
    subprocess.run(["git", "apply", str(case.run / "remedy.patch")], cwd=folder, check=True)
    after = (folder / "train.py").read_text() + (folder / "network.py").read_text()
    assert EDITS[name] in after


def test_a_steepest_fall_outside_of_the_range_is_no_rate(tmp_path):
    """A curve that is rough where the rate is tiny: the middle of the range in which the loss falls is taken."""
    run = write_run(tmp_path)
    test = {"lower": 0.001, "upper": 0.4, "steepest": 2e-7, "used": 2.0}
    (run / "facts" / "range_test.json").write_text(json.dumps(test))
    (remedy,) = make_plan(Case(run), ("lr_range_test",)).remedies
    assert remedy.factor == pytest.approx(0.02 / 2.0)


def test_edits_of_one_expression_go_together(case):
    plan = make_plan(case, ("standardise", "shuffle", "batch_size", "all_parameters", "lr_higher"))
    text, folder = unified_diff(case, plan.remedies)
    subprocess.run(["git", "apply", "-"], input=text.encode(), cwd=folder, check=True)
    after = (folder / "train.py").read_text()
    assert "nn.Momentum(net.trainable_params(), 0.01, 0.9)" in after and "train.batch(32).map(lambda x" in after


def test_a_function_that_makes_two_data_sets_is_edited_once(tmp_path):
    run = write_run(tmp_path)
    facts = json.loads((run / "facts" / "datasets.json").read_text())
    facts["datasets"][1]["pipeline"] = facts["datasets"][0]["pipeline"]
    (run / "facts" / "datasets.json").write_text(json.dumps(facts))
    case = Case(run)
    text, _ = unified_diff(case, make_plan(case, ("standardise",)).remedies)
    assert text.count(".map(lambda x") == 1


@pytest.mark.parametrize(("line", "planned"), [(11, ["logits"]), (10, [])])
def test_a_softmax_that_the_finding_names_is_dropped(tmp_path, line, planned):
    """Also where the loss is a cell of the user's own; elsewhere it is not known whether the loss takes logits."""
    run = write_run(tmp_path)
    place = [{"file": "network.py", "line": line}]
    items = [{"id": "cg.04", "summary": "", "conclusion": "problem", "locations": place}]
    (run / "checklist.json").write_text(json.dumps({"items": items}))
    (run / "facts" / "loss.json").write_text(json.dumps({"losses": []}))
    assert [one.id for one in make_plan(Case(run)).remedies] == planned


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("h = ops.stop_gradient(h)", []),
        ("return self.head(ops.stop_gradient(h))", ["    return self.head(h)"]),
        ("return ops.stop_gradient(h + 1) * 2", ["    return (h + 1) * 2"]),
    ],
)
def test_a_stop_gradient_that_the_finding_names_is_taken_out(tmp_path, line, expected):
    script = f"def construct(self, h):\n    {line}\n    return ops.stop_gradient(self.other(h))\n"
    run = write_run(tmp_path, ("cg.02",), script)
    items = [{"id": "cg.02", "summary": "", "conclusion": "problem", "locations": [{"file": "train.py", "line": 2}]}]
    (run / "checklist.json").write_text(json.dumps({"items": items}))
    (run / "facts" / "parameters.json").write_text(json.dumps({}))
    text, _ = unified_diff(Case(run), make_plan(Case(run)).remedies)
    assert [one[1:] for one in text.splitlines() if one.startswith("+") and not one.startswith("+++")] == expected


@pytest.mark.parametrize(
    ("weight", "bias", "planned"),
    [(20.0, 0.0, '+d = nn.Dense(8, 3, weight_init="he_uniform", bias_init=c)'),
     (0.4, -3.0, '+d = nn.Dense(8, 3, weight_init=w, bias_init="zeros")'),
     (0.1, 0.5, None)],
)  # fmt: skip
def test_weights_that_begin_far_too_large_are_drawn_anew(tmp_path, weight, bias, planned):
    """The usual standard deviation of 8 inputs is 0.5."""
    run = write_run(tmp_path, ("td.03",), "d = nn.Dense(8, 3, weight_init=w, bias_init=c)\n")
    place = {"created": {"file": "train.py", "line": 1}, "cell_class": "Dense"}
    weights = {"name": "w", "kind": "weight", "shape": [3, 8], "initial": {"std": weight, "mean": 0.0}, **place}
    biases = {
        "name": "b",
        "kind": "bias",
        "shape": [3],
        "initial": {"constant": True, "mean": bias, "std": 0.0},
        **place,
    }
    (run / "facts" / "parameters.json").write_text(json.dumps({"parameters": [weights, biases]}))
    remedies = [one for one in make_plan(Case(run)).remedies if one.id == "initial_weights"]
    assert bool(remedies) == (planned is not None)
    assert planned is None or planned in unified_diff(Case(run), tuple(remedies))[0]


def test_arrays_of_a_loop_are_not_standardised_by_a_hook_that_cannot_reach_them(tmp_path):
    run = write_run(tmp_path, ("dp.01",))
    facts = json.loads((run / "facts" / "datasets.json").read_text())
    facts["datasets"][0]["pipeline"] = [
        {"op": "arguments of the training step", "place": {"file": "train.py", "line": 9}}
    ]
    (run / "facts" / "datasets.json").write_text(json.dumps({"datasets": facts["datasets"][:1]}))
    plan = make_plan(Case(run))
    assert not plan.remedies and [one.id for one in plan.described] == ["standardise"]


def test_plan_follows_the_findings(tmp_path):
    plan = make_plan(Case(write_run(tmp_path, ("dp.03", "ds.02"))))
    assert [one.id for one in plan.remedies] == ["shuffle"]
    assert [one.item for one in plan.unanswered] == ["ds.02"]
    assert plan.runs() == (4, 18)


def test_every_remedy_has_a_finding_and_words(case):
    ids = [kind.id for kind in REMEDIES]
    assert len(set(ids)) == len(ids)
    for kind in REMEDIES:
        assert kind(case).problems, kind.id
        assert kind.title.zh and kind.title.en


def test_without_a_sure_place_nothing_is_edited(tmp_path):
    run = write_run(tmp_path)
    (tmp_path / "project" / "train.py").write_text("import mindspore\nfrom here import anything\n" * 20)
    case = Case(run)
    known = {"more_epochs", "standardise", "shuffle", "all_parameters", "lr_lower", "evaluation_mode", "unscale_first"}
    assert not [kind.id for kind in REMEDIES if kind.id in known and kind(case).can_edit()]


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda run: (run / "run.json").unlink(), "no longer there"),
        (lambda run: (run.parent / "project" / "train.py").unlink(), "no longer there"),
        (lambda run: (run / "run.json").write_text(json.dumps({"schema": 1, "script": "train.py"})), "no longer there"),
    ],
)
def test_no_case(tmp_path, damage, said):
    run = write_run(tmp_path)
    damage(run)
    with pytest.raises(CannotExperiment, match=said):
        Case(run)


def test_the_time_of_a_run_is_the_scripts_own(tmp_path):
    """Probes begin after run.json is written; their time is no part of it."""
    run = write_run(tmp_path)
    (run / "facts" / "probes.json").write_text(json.dumps({"budget": 30.0, "seconds": 3.5}))
    assert Case(run).seconds() == 4.0


def test_the_root_folder_is_not_copied(tmp_path):
    run = write_run(tmp_path)
    facts = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**facts, "cwd": "/"}))
    with pytest.raises(CannotExperiment, match="root folder"):
        Case(run)


def test_a_script_that_changed_is_refused(tmp_path):
    run = write_run(tmp_path)
    facts = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(json.dumps({**facts, "source_files": {"train.py": "source/train.py"}}))
    (run / "source").mkdir()
    (run / "source" / "train.py").write_text("an older one")
    with pytest.raises(CannotExperiment, match="has changed"):
        Case(run)


def test_dry_run(tmp_path):
    run = write_run(tmp_path)
    plan = json.loads(CliRunner().invoke(main, ["remedy", "--dry-run", "--lang", "en", str(run)]).stdout)
    assert {one["id"] for one in plan["remedies"]} >= set(EDITS)
    assert plan["seconds_a_run"] == 4.0 and plan["args"] == ["--epochs", "3"]
    assert {item for one in plan["remedies"] for item in one["items"]} == set(PROBLEMS)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["nowhere"], "no such script: nowhere"),
        (["--budget", "soon", "RUN"], "a time is wanted"),
        (["--only", "magic", "RUN"], "there is no remedy magic"),
        (["RUN", "--epochs", "3"], "takes no arguments"),
    ],
)
def test_bad_input_is_one_line(tmp_path, given, said):
    run = str(write_run(tmp_path))
    done = CliRunner().invoke(main, ["remedy", *(run if one == "RUN" else one for one in given)])
    assert done.exit_code == 2 and said in done.stderr and done.stderr.count("\n") == 1


def test_nothing_to_try(tmp_path):
    done = CliRunner().invoke(main, ["remedy", "--lang", "en", str(write_run(tmp_path, ()))])
    assert done.exit_code == 0 and "there is nothing to try" in done.stderr
