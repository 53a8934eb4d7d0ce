"""A run of the benchmark beside the run (``--reference-run``): what is read, pointed at, concluded and reported."""

import json
import math

import pytest
from building import DYNAMIC, ONE, PLACE, Run, column, dataset, one_pass, optimizer, parameter, train_step
from click.testing import CliRunner

from msprec.cli import main
from msprec.engine import conclude
from msprec.references.errors import BadReference
from msprec.references.reference_options import READERS
from msprec.references.reference_run import FIRST, MOST

STEPS = 120


def course(loss, lr=0.1, batch=32, **columns):
    """Rows of steps.csv; ``loss`` and ``lr`` are functions of the step, or numbers."""
    rows = []
    for step in range(1, STEPS + 1):
        rate = lr(step) if callable(lr) else lr
        row = {"step": step, "epoch": 1 + (step - 1) // 40, "loss": loss(step), "lr": rate, "batch": batch}
        rows.append({**row, **{name: value(step) for name, value in columns.items()}})
    return rows


def falls(step):
    return 0.3 + 2.0 * math.exp(-step / 30)


def training(loss=falls, **changes):
    lr, columns = changes.pop("lr", 0.1), changes.pop("columns", {})
    return Run(steps=course(loss, lr, **columns), run={"training_steps": STEPS}, **changes)


@pytest.fixture
def beside(tmp_path):
    def concluded(reference, run, lang="en"):
        facts = READERS["reference_run"](str(reference.write(tmp_path / "reference")))
        json.dumps(facts, allow_nan=False)
        found = conclude(run.write(tmp_path / "run"), lang, None, None, None, None, {"reference_run": facts})
        return found, {item["id"]: item for item in found["items"]}

    return concluded


def told(items, id):
    return " ".join(e["text"] for e in items[id]["evidence"] if e["kind"] == "text" and e["source"] == "reference")


def pointed(items):
    return {id for id in items if told(items, id)}


# --- reading -------------------------------------------------------------------------------------------------------
def test_a_run_folder_is_read_with_its_facts(tmp_path):
    facts = READERS["reference_run"](str(training().write(tmp_path / "run")))
    assert facts["kind"] == "run" and facts["recorded"] == STEPS and facts["course"]["lr"][0] == 0.1
    assert facts["parameters"][0]["initial"]["std"] == 0.05 and facts["datasets"][0]["batch_size"] == 32
    assert "histogram" not in facts["datasets"][0]["columns"][0]


def test_a_csv_and_a_log_are_read_for_their_losses(tmp_path):
    table = tmp_path / "losses.csv"
    table.write_text("step,loss\n" + "".join(f"{s},{falls(s)!r}\n" for s in range(1, 9)), encoding="utf-8")
    log = tmp_path / "train.log"
    log.write_text("".join(f"step: {s}, loss: {falls(s):.4f}\n" for s in range(1, 9)), encoding="utf-8")
    facts = READERS["reference_run"](str(table))
    assert facts["kind"] == "losses" and facts["course"]["step"] == list(range(1, 9))
    assert max(facts["course"]["rounding"]) < 1e-15
    assert READERS["reference_run"](str(log))["course"]["rounding"][0] == pytest.approx(5e-5)


def test_a_csv_may_hold_the_learning_rate(tmp_path):
    table = tmp_path / "losses.csv"
    table.write_text("step;loss;LR\n1;2.0;0.1\n2;1.9;\n3;1.8;0.05\n", encoding="utf-8")
    assert READERS["reference_run"](str(table))["course"]["lr"] == [0.1, None, 0.05]


def test_a_long_course_is_thinned_after_its_beginning(tmp_path):
    table = tmp_path / "losses.csv"
    table.write_text("step,loss\n" + "".join(f"{s},{1 / s!r}\n" for s in range(1, 40_001)), encoding="utf-8")
    facts = READERS["reference_run"](str(table))
    steps = facts["course"]["step"]
    assert (
        facts["recorded"] == 40_000
        and len(steps) <= MOST
        and steps[:FIRST] == list(range(1, FIRST + 1))
        and steps[-1] == 40_000
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gone.csv", None),
        ("empty.csv", ""),
        ("header.csv", "step,loss\n"),
        ("noise.log", "hello\nworld\n"),
        ("folder", "…"),
    ],
)
def test_what_cannot_be_read_is_one_line_and_exit_2(tmp_path, monkeypatch, name, text):
    run, path = training().write(tmp_path / "run"), tmp_path / name
    if name == "folder":
        path.mkdir()
    elif text is not None:
        path.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["checklist", "--run", str(run), "--json", "-", "--reference-run", str(path)])
    assert done.exit_code == 2 and name in done.output and len(done.output.strip().splitlines()) == 1, done.output
    assert "--pattern" not in done.output
    with pytest.raises(BadReference):
        READERS["reference_run"](str(path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text("open('ran', 'w')", encoding="utf-8")
    done = CliRunner().invoke(main, ["run", "--reference-run", str(path), "train.py"])
    assert done.exit_code == 2 and name in done.output and not (tmp_path / "ran").exists()


def test_a_csv_that_was_cut_off_leaves_out_its_last_line(tmp_path):
    table = tmp_path / "losses.csv"
    text = "step,loss,lr\n" + "".join(f"{s},{falls(s):.6f},0.1\n" for s in range(1, 31))
    table.write_text(text[: text.rindex(",")][:-3], encoding="utf-8")
    facts = READERS["reference_run"](str(table))
    assert facts["course"]["step"] == list(range(1, 30))


def test_without_a_run_there_is_nothing_to_compare(tmp_path):
    script, table = tmp_path / "train.py", tmp_path / "losses.csv"
    script.write_text("import mindspore\n", encoding="utf-8")
    table.write_text("step,loss\n1,2.0\n2,1.0\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["checklist", "--reference-run", str(table), str(script)])
    assert done.exit_code == 2 and "--run DIR" in done.output


# --- what the losses point at --------------------------------------------------------------------------------------
def test_equal_runs_point_at_nothing(beside):
    found, items = beside(training(), training())
    section = found["reference_run"]
    assert pointed(items) == set() and section["case"] == "equal"
    assert "same problem" in " ".join(section["conclusion"])
    assert [e["kind"] for e in section["evidence"]] == ["figure"]


def test_without_a_reference_run_there_is_no_section(tmp_path):
    assert "reference_run" not in conclude(training().write(tmp_path / "run"))


def keys(*names):
    return [one_pass(1, first_keys=list(names)), one_pass(2)]


def test_a_first_loss_that_differs_from_equal_weights_and_samples_is_the_forward_pass(beside):
    data = {"datasets": [dataset(passes=keys("a", "b"))]}
    found, items = beside(training(**data), training(lambda s: 1.5 + falls(s), **data))
    assert found["reference_run"]["case"] == "first"
    assert pointed(items) == {"cg.03", "cg.04", "api.01"}
    assert "forward pass" in told(items, "cg.04")


def test_a_first_loss_beside_a_csv_may_come_from_anything(tmp_path):
    table = tmp_path / "losses.csv"
    table.write_text("step,loss\n" + "".join(f"{s},{falls(s) + 1!r}\n" for s in range(1, STEPS + 1)), encoding="utf-8")
    handed = {"reference_run": READERS["reference_run"](str(table))}
    found = conclude(training().write(tmp_path / "run"), "en", None, None, None, None, handed)
    items = {item["id"]: item for item in found["items"]}
    assert pointed(items) == {"wi.01", "ds.04", "dp.01", "cg.03", "cg.04", "api.01"}


def test_other_random_weights_and_samples_prove_nothing(beside):
    def drawn(seed):
        values = {
            "min": -0.1 - seed / 1e4,
            "max": 0.1 + seed / 1e4,
            "mean": seed / 1e5,
            "std": 0.05 + seed / 1e4,
            "zeros": 0.0,
            "constant": False,
            "nonfinite": 0,
        }
        return {
            "parameters": [parameter("fc.weight", [10, 128], initial=values)],
            "datasets": [dataset(passes=keys(f"a{seed}", "b"))],
        }

    found, items = beside(training(**drawn(1)), training(lambda s: falls(s) * 1.02, **drawn(3)))
    assert found["reference_run"]["case"] == "first" and pointed(items) == set()
    assert "initial weights and order of the samples" in " ".join(found["reference_run"]["conclusion"])
    assert items["api.01"]["conclusion"] != "problem"


def test_an_equal_first_and_another_second_loss_with_another_optimizer(beside):
    ours = training(lambda s: falls(s) if s == 1 else falls(s) + 0.5, optimizer=[optimizer(weight_decay=1e-4)])
    found, items = beside(training(), ours)
    assert found["reference_run"]["case"] == "second" and pointed(items) == {"api.01"}
    assert items["api.01"]["conclusion"] == "problem" and "weight_decay is 0.0001" in items["api.01"]["summary"]
    assert items["api.01"]["locations"] == [{"file": "train.py", "line": 8}]
    rows = next(e for e in found["reference_run"]["evidence"] if e["kind"] == "table")["rows"]
    assert rows == [["weight_decay", 0.0, 0.0001, "api.01"]]


def test_another_optimizer_of_a_run_that_keeps_up_is_shown_and_no_fault(beside):
    ours = training(lambda s: falls(s) if s == 1 else falls(s) * 0.9, optimizer=[optimizer(**{"class": "Adam"})])
    _, items = beside(training(), ours)
    assert items["api.01"]["conclusion"] != "problem" and "Adam" in told(items, "api.01")


def test_an_equal_first_and_another_second_loss_with_nothing_that_differs(beside):
    found, items = beside(training(), training(lambda s: falls(s) if s == 1 else falls(s) * 1.2))
    assert "hp.01" not in pointed(items) and "api.01" not in pointed(items)
    assert "set alike" in " ".join(found["reference_run"]["conclusion"])


def test_a_later_parting_at_an_overflow_and_at_an_epoch(beside):
    spoilt = training(lambda s: falls(s) if s < 60 else 1.5, columns={"overflow": lambda s: int(s == 59)})
    found, items = beside(training(), spoilt)
    assert (
        found["reference_run"]["case"] == "later" and pointed(items) == {"mp.01"} and "step 60" in told(items, "mp.01")
    )
    _, items = beside(training(), training(lambda s: falls(s) if s < 81 else 1.5))
    assert pointed(items) == {"dp.03"} and "an epoch begins" in told(items, "dp.03")


# --- facts that differ ---------------------------------------------------------------------------------------------
def stands(step):
    return falls(1) if step == 1 else 2.2


def test_a_rate_far_below_the_reference_that_leaves_the_run_behind(beside):
    _, items = beside(training(), training(stands, lr=1e-6))
    assert items["hp.01"]["conclusion"] == "problem"
    assert "1e-06" in items["hp.01"]["summary"] and "too small" in items["hp.01"]["summary"]
    assert "reference run" in items["hp.01"]["advice"] and items["hp.01"]["locations"]


def test_another_rate_of_a_healthy_run_is_shown_and_no_fault(beside):
    _, items = beside(training(), training(lambda s: falls(1) if s == 1 else falls(s) * 0.98, lr=0.05))
    assert items["hp.01"]["conclusion"] != "problem" and "0.05" in told(items, "hp.01")


def test_another_rate_with_another_optimizer_is_not_compared(beside):
    reference = training(optimizer=[optimizer(**{"class": "Adam"})], lr=1e-3)
    _, items = beside(reference, training(stands, lr=1e-6))
    assert items["hp.01"]["conclusion"] != "problem" and items["api.01"]["conclusion"] == "problem"


def test_epochs_and_loss_scales_by_step(beside):
    scaled = {"train_step": [train_step({**DYNAMIC, "kind": "dynamic"})]}
    reference = training(columns={"scale": lambda s: 1024.0}, **scaled)
    ours = training(columns={"scale": lambda s: 1024.0 if s < 30 else 512.0}, datasets=[dataset(passes=None)], **scaled)
    ours.facts["datasets"]["datasets"][0]["passes"] = 5
    found, items = beside(reference, ours)
    rows = next(e for e in found["reference_run"]["evidence"] if e["kind"] == "table")["rows"]
    assert rows == [["loss scale at step 30", 1024.0, 512.0, "mp.02"], ["epochs", 3, 5, "hp.02"]]
    assert "5 times" in told(items, "hp.02") and "step 30" in told(items, "mp.02")


def test_a_rate_that_differs_only_later(beside):
    ours = training(lambda s: falls(s) if s <= 60 else 2.1, lr=lambda s: 0.1 if s < 60 else 10.0)
    _, items = beside(training(), ours)
    assert "step 60" in items["hp.01"]["summary"] and items["hp.01"]["conclusion"] == "problem"


def test_a_batch_grown_without_its_rate(beside):
    large = {"datasets": [dataset(batch_size=1024, samples_per_pass=400_000)], "columns": {"batch": lambda s: 1024}}
    _, items = beside(training(), training(stands, **large))
    assert items["hp.03"]["conclusion"] == "problem" and "1 024" in items["hp.03"]["summary"]
    _, items = beside(training(), training(lambda s: falls(s) * 1.01, **large))
    assert items["hp.03"]["conclusion"] != "problem" and "1 024" in told(items, "hp.03")
    _, items = beside(training(), training(stands, lr=3.2, **large))
    assert items["hp.01"]["conclusion"] != "problem"  # the rate has grown with the batch


def spread(std, name="conv.weight", shape=(64, 3, 3, 3)):
    values = {"min": -3 * std, "max": 3 * std, "mean": 0.0, "std": std, "zeros": 0.0, "constant": False, "nonfinite": 0}
    return parameter(name, list(shape), initial=values, created=PLACE)


def test_weights_that_start_from_another_distribution(beside):
    found, items = beside(
        training(parameters=[spread(0.1)]), training(lambda s: falls(s) + 1, parameters=[spread(0.01)])
    )
    assert items["api.01"]["conclusion"] == "problem" and "conv.weight" in items["api.01"]["summary"]
    assert items["api.01"]["locations"] == [PLACE]
    assert found["reference_run"]["case"] == "first" and pointed(items) == {"api.01"}
    assert "conv.weight" in " ".join(found["reference_run"]["conclusion"])


def test_weights_within_chance_are_other_draws(beside):
    few = {"shape": (3, 4, 1, 2)}
    _, items = beside(
        training(parameters=[spread(0.1, **few)]), training(lambda s: falls(s) + 1, parameters=[spread(0.08, **few)])
    )
    assert items["api.01"]["conclusion"] != "problem"


def test_a_bias_of_the_reference_that_this_network_lacks(beside):
    ours = training(lambda s: falls(s) + 1, parameters=[spread(0.1)])
    both = training(parameters=[spread(0.1), parameter("conv.bias", [64], kind="bias", initial=ONE)])
    _, items = beside(both, ours)
    assert "conv.bias" in told(items, "cg.03") and items["cg.03"]["conclusion"] != "problem"


LOAD = {
    "function": "load_param_into_net",
    "file": "/x/pre.ckpt",
    "network": "Net",
    "network_parameters": 1,
    "loaded": 1,
    "step": 0,
    "network_used": True,
    "missing": [],
    "left_over": [],
    "place": PLACE,
    "at_start": {"trained": 1, "kept": 1, "overwritten": []},
}


def test_a_reference_that_starts_from_loaded_weights(beside):
    reference = training(parameters=[spread(0.1)], weights_loaded=[LOAD])
    _, items = beside(reference, training(lambda s: falls(s) + 1, parameters=[spread(0.02)]))
    assert items["wi.02"]["conclusion"] == "problem" and "pre.ckpt" in items["wi.02"]["summary"]
    _, items = beside(reference, training(parameters=[spread(0.1)], weights_loaded=[LOAD]))
    assert items["wi.02"]["conclusion"] == "ok"
    _, items = beside(reference, training(parameters=[spread(0.13)], weights_loaded=[LOAD]))
    assert items["wi.02"]["conclusion"] == "problem"


def test_a_new_head_of_its_own_in_each_run_is_no_wrong_weight(beside):
    def loaded(head):
        return training(
            parameters=[spread(0.1), spread(0.2, "fc.weight", (10, 64)), spread(head, "head.weight", (10, 64))],
            weights_loaded=[LOAD],
        )

    _, items = beside(loaded(0.3), loaded(0.31))
    assert items["wi.02"]["conclusion"] == "ok"


def test_delivered_data_that_differ_are_told_with_numbers(beside):
    ours = training(lambda s: falls(s) + 1, datasets=[dataset([column(max=255.0, mean=76.0, std=94.0)])])
    _, items = beside(training(), ours)
    assert "76" in told(items, "dp.01") and "reference run" in told(items, "dp.01")


def entry(md5, name="a.csv", via="open"):
    return {"path": f"data/{name}", "name": name, "root": "data", "bytes": 9, "md5": md5 * 32, "dataset": 0, "via": via}


def files(*entries):
    run = training()
    run.facts["data_files"] = {"files": list(entries), "complete": True, "cut": False}
    return run


def test_the_files_of_the_reference_run_stand_for_the_standard_set(beside):
    _, items = beside(files(entry("0")), files(entry("1")))
    assert items["ds.04"]["conclusion"] == "problem"
    _, items = beside(files(entry("0"), entry("3", "settings.json")), files(entry("0"), entry("4", "settings.json")))
    assert items["ds.04"]["conclusion"] == "ok"
    _, items = beside(files(entry("0", "other.csv")), files(entry("0")))
    assert items["ds.04"]["conclusion"] == "undecided"


def test_the_same_conclusion_from_the_folder_and_in_chinese(tmp_path, beside):
    found, _ = beside(training(), training(stands, lr=1e-6), "zh")
    facts = READERS["reference_run"](str(tmp_path / "reference"))
    (tmp_path / "run" / "facts" / "reference_run.json").write_text(json.dumps(facts), encoding="utf-8")
    assert conclude(tmp_path / "run", "zh") == found
    assert "标杆运行" in json.dumps(found["reference_run"], ensure_ascii=False)


# --- the report ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_section_of_the_reports(beside, tmp_path, lang):
    from docx import Document

    from msprec.report.html import write_html
    from msprec.report.markdown import as_markdown
    from msprec.report.word import write_word

    found, _ = beside(training(), training(stands, lr=1e-6), lang)
    title = {"zh": "与标杆运行对比", "en": "Against the reference run"}[lang]
    write_word(found, tmp_path / "r.docx", tmp_path / "run", lang)
    headings = [p.text for p in Document(tmp_path / "r.docx").paragraphs if p.style.name.startswith("Heading 1")]
    assert title in headings
    write_html(found, tmp_path / "r.html", tmp_path / "run", lang)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert f"<h2 id=against>{title}</h2>" in page and "hp.01" in page
    assert f"## {title}" in as_markdown(found)


def test_reports_without_a_reference_run_have_no_such_section(tmp_path):
    from msprec.report.html import write_html
    from msprec.report.markdown import as_markdown

    found = conclude(training().write(tmp_path / "run"))
    write_html(found, tmp_path / "r.html", tmp_path / "run", "en")
    assert "id=against" not in (tmp_path / "r.html").read_text(encoding="utf-8") and "## Against" not in as_markdown(
        found
    )
