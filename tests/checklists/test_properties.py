"""No run folder, however odd, makes a check raise; and what comes out always keeps its contract."""

import copy
import json
import re
import tempfile
from pathlib import Path

import pytest
from building import DYNAMIC, Run, column, dataset, features, optimizer, phase, train_step, write_steps
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msprec.engine import conclude, default_thresholds, items
from msprec.engine.run_data import RunData
from msprec.engine.runner import examine
from msprec.engine.thresholds import resolve_thresholds
from msprec.record.reader import RunFolder

ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.just(10**400),
    st.just(-(10**30)),
    st.just(0),
    st.floats(),
    st.text(max_size=5),
    st.sampled_from(["nan", "inf", "-inf", "NaN", "", "0", "{x}", "train.py"]),
    st.just([]),
    st.just({}),
    st.just([None]),
    st.lists(st.one_of(st.none(), st.integers(), st.text(max_size=3)), max_size=3),
    st.just([{}]),
    st.just({"file": "train.py", "line": 10**9}),
)
STEPS = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            name: st.sampled_from(["", "nan", "inf", "-inf", "0", "1", "x", "1e400", "65536", "-3", "2.5"])
            for name in ("step", "loss", "overflow", "scale", "next_scale", "lr", "batch")
        },
    ),
    max_size=12,
)
RICH = Run(
    datasets=[dataset([column(nan=3), features([0.0, 1.0], [2.0, 9e5], [1.0, 4.0], [0.2, 3e4])]), dataset(role="eval")],
    train_step=[train_step(DYNAMIC, overflow_flag=True), train_step()],
    optimizer=[optimizer(), optimizer(loss_scale=4.0)],
    modes=[phase(), phase("eval", (("bn", True),)), phase("forward", (("bn", True),), gradient=False, first_step=50)],
    precision={"half_compute": True},
    weights_loaded=[
        {
            "function": "load_checkpoint",
            "file": "a",
            "parameters": 3,
            "at_start": {"trained": 3, "kept": 0, "names_in_network": 3},
        },
        {
            "function": "load_param_into_net",
            "network": "Net",
            "network_parameters": 3,
            "loaded": 2,
            "step": 0,
            "network_used": True,
            "missing": [{"name": "fc.bias", "shape": [10], "file_shape": [5], "last": True}],
            "left_over": [{"name": "x.bias", "shape": [10, 2]}],
            "modules": [["conv", 1, 1], ["fc", 2, 1]],
            "at_start": {"trained": 3, "kept": 1, "overwritten": ["conv.weight"]},
        },
    ],
    evaluation=[
        {"step": 20 * n, "epoch": n, "metrics": {"loss": 1.0 + (n - 2) ** 2, "acc": 0.9}, "via": "loop", "dataset": 1}
        for n in range(1, 7)
    ],
)
SET = RICH.facts["datasets"]["datasets"][0]
SET["padding"] = [
    {
        "column": "image",
        "rows": 90,
        "kind": "int",
        "lengths": [4, 12],
        "value": 0.0,
        "share": 0.2,
        "right_only": 50,
        "left_only": 9,
        "both": 1,
        "longest": 7,
        "inside": 4,
        "inside_rows": 4,
        "length": {"column": "n", "agrees": 0.4},
        "mask": {"column": "m", "padded": 90, "real": 300, "padded_on": 9, "real_off": 9, "inverted": False},
    },
]
SET["contradictions"] = {
    "samples": 90,
    "distinct": 80,
    "elements": 64,
    "groups": 4,
    "contradicting": 9,
    "examples": [{"positions": [1, 2], "labels": [0, 1]}],
}
SET["order"]["sketch"] = {"pass": 1, "samples": 90, "distinct": 90, "whole": True, "keys": ["00", "01"]}
SET["pipeline"].insert(
    1,
    {
        "op": "map",
        "args": {
            "input_columns": ["image"],
            "output_columns": ["image"],
            "operations": [
                "Rescale(rescale=0.1, shift=0.0)",
                "Normalize(mean=[0.5], std=[0.5])",
                "RandomCrop(size=(8, 8))",
                "own.function",
            ],
        },
        "place": None,
    },
)
RICH.facts["inputs"] = {
    "inputs": [
        {
            "phase": phase,
            "via": "call",
            "level": "network",
            "network": "Net",
            "place": {"file": "train.py", "line": 9},
            "calls": 9,
            "sampled": 9,
            "samples": 90,
            "arguments": [{"position": 0, **column("x")}],
        }
        for phase in ("train", "forward")
    ]
}
ENTRY = {"path": "d/a.csv", "name": "a.csv", "root": "d", "bytes": 9, "md5": "0" * 32, "dataset": 0, "via": "pipeline"}
RICH.facts["data_files"] = {"files": [ENTRY, {**ENTRY, "path": "mnist/t10k-labels-idx1-ubyte"}], "complete": True}
RICH.facts["label_sheet"] = {"dataset": 0, "samples": [{"position": 1, "label": 2, "values": [0.5]}]}
REFERENCES = {
    "reference_data": {
        "source": "s",
        "files": [{**ENTRY, "md5": "1" * 32}, {"name": "b.csv", "bytes": 3, "md5": None}],
    },
    "reference_weights": {
        "file": "f",
        "parameters": [{"name": "fc.weight", "shape": [10, 128], "min": -0.1, "max": 0.1, "mean": 0.0, "std": 0.06}],
    },
}
SET_THERE = copy.deepcopy(
    {key: SET[key] for key in ("role", "pipeline", "shuffle", "batch_size", "columns", "label", "order", "scanned")}
)
SET_THERE["batch_size"] = 8
SET_THERE["order"]["passes"][0]["first_keys"] = ["a", "c"]
SET_THERE["columns"][0].update(mean=9.0, std=8.0)
REFERENCES["reference_run"] = {
    "source": "/x/other",
    "name": "other",
    "kind": "run",
    "numbered": True,
    "notes": ["unnumbered", "x:y"],
    "recorded": 90,
    "course": {
        "step": list(range(1, 91)),
        "loss": [2.3 / s for s in range(1, 60)] + ["inf"] * 31,
        "lr": [0.2] * 90,
        "scale": [1.0] * 90,
        "rounding": [1e-5] * 90,
    },
    "run": {
        "training_steps": 90,
        "rank_size": 1,
        "versions": {"mindspore": "2.7.1"},
        "seeds": [{"function": "s", "value": 1}],
    },
    "batch": 8,
    "datasets": [SET_THERE],
    "optimizers": [optimizer(weight_decay=0.1)],
    "train_steps": [train_step(DYNAMIC)],
    "losses": [{"class": "MSELoss", "args": ""}],
    "half_compute": True,
    "files": [{**ENTRY, "md5": "2" * 32}],
    "parameters": [
        {
            "name": "fc.weight",
            "shape": [10, 128],
            "size": 1280,
            "kind": "weight",
            "requires_grad": False,
            "initial": {"min": -1.0, "max": 1.0, "mean": 0.4, "std": 0.5},
        }
    ],
    "loads": [{"function": "load_param_into_net", "file": "a.ckpt", "loaded": 2}],
}
PLACED = {"file": "train.py", "line": 3}
ARRAY = {
    "dtype": "Float32",
    "shape": [8, 4],
    "min": 0.0,
    "max": 1.0,
    "distinct": 32,
    "whole": False,
    "one_hot": False,
    "probabilities": True,
    "log_probabilities": False,
    "unit": True,
    "source": {"operator": "Softmax", "place": PLACED, "cell": "3"},
}
LOSS = {
    "kind": "softmax_cross_entropy",
    "name": "CrossEntropyLoss",
    "place": PLACED,
    "settings": {"reduction": "none"},
    "predicted": ARRAY,
    "labels": {**ARRAY, "dtype": "Int32", "shape": [8]},
    "shape": [8],
    "value": 1.2,
    "unreduced": True,
    "recomputed": {"mean": 1.2, "sum": 9.6},
    "equals": "mean",
}
CELL = {
    "path": "a.b",
    "class": "Dense",
    "builtin": True,
    "loss": False,
    "calls": 0,
    "used": False,
    "gradient": False,
    "created": PLACED,
}
OUTPUT = {
    "operator": "Sigmoid",
    "name": "sigmoid",
    "place": PLACED,
    "created": PLACED,
    "low": 0.0,
    "high": 1.0,
    "plain": True,
    "linear": False,
    "flat": False,
    "gradient": True,
    "axes": [1],
    "units": 4,
    "constant": None,
    "shape": [8, 1],
}
TARGETS = {
    "dtype": "float32",
    "shape": [8, 1],
    "min": 0.0,
    "max": 3.0,
    "distinct": 8,
    "whole": False,
    "one_hot": False,
    "input": 1,
    "inputs": 2,
    "input_dtype": "float32",
    "factor": 1.0,
    "offset": 0.0,
    "learnt": False,
    "batches": 2,
    "elements": 16,
    "below": 0,
    "above": 1,
    "beyond_values": 1,
    "rows": 16,
    "several": 1,
    "not_one": 1,
}
REACH = {"even": 1.4, "inside": 0.7, "outside": 0.0, "settles": True}
RICH.facts["probes"] = {
    "budget": 30.0,
    "seconds": 3.0,
    "skipped": {"range_test": "slow"},
    "graph": {
        "cells": [CELL, {**CELL, "path": "a.c", "calls": 1}],
        "unregistered": [{"class": "Dense", "inside": "a"}],
    },
    "labels": {
        "samples": 500,
        "classes": 4,
        "suspects": 60,
        "accuracy": 0.9,
        "examples": [{"position": 3, "label": 1, "predicted": 2, "probability": 0.99, "own": 0.001}],
    },
    "losses": [{**LOSS, "exchanged": False, "output": OUTPUT, "targets": TARGETS, "reach": REACH}],
    "other_losses": [
        {
            "kind": "kl_div",
            "name": "kl_div",
            "place": PLACED,
            "settings": {"log_target": False},
            "predicted": {"shape": [8, 1], "min": -3.0, "max": 0.0},
            "output": OUTPUT,
            "targets": TARGETS,
        }
    ],
    "broadcasts": [{"operator": "sub", "place": PLACED, "shapes": [[8, 1], [8]], "label": 1}],
    "own_losses": [
        {
            "name": "mse",
            "place": PLACED,
            "promise": "mse",
            "value": 1.0,
            "equals": ["mse", "mean"],
            "candidates": {"mse": 1.0},
            "variant": False,
            "predicted": [8, 1],
            "labels": [8, 1],
            "final": True,
            "features": {"probabilities": False, "log_probabilities": False, "unit": False, "source": None},
            "output": OUTPUT,
            "targets": TARGETS,
            "behaviour": {
                "reach": REACH,
                "kind": "binary",
                "repeatable": True,
                "domain": "scores",
                "curve": [3.0, 1.0, "nan"],
                "way": None,
                "pairs": True,
                "sample_shift": None,
                "class_shift": False,
                "settles": True,
                "smallest_at_labels": False,
                "family": {"name": "focal loss", "settings": {"gamma": 2.0}, "domain": "scores", "batches": 4},
            },
        }
    ],
}
RICH.facts["range_test"] = {
    "low": 1e-7,
    "high": 10.0,
    "steps": 40,
    "asked": 40,
    "used": 0.1,
    "by": "probe",
    "batches": 4,
    "rates": [1e-7 * 1.6**n for n in range(40)],
    "losses": [2.0 - 0.03 * n for n in range(36)] + [3.0, 9.0, 80.0, "inf"],
}
RICH.facts["network"] = {
    "networks": [
        {
            "id": 0,
            "class": "Net",
            "role": "train",
            "place": PLACED,
            "cells": [{"path": "a.b", "class": "Dense"}],
            "shared_cells": [
                {
                    "class": "Dense",
                    "builtin": True,
                    "paths": ["a.0", "a.1"],
                    "ways": 2,
                    "parameters": ["w"],
                    "repeated_in": "a",
                    "repeated": 2,
                    "created": PLACED,
                }
            ],
            "shared_parameters": [{"name": "w", "paths": ["a.w", "b.w"], "classes": ["Embedding", "Dense"]}],
            "unregistered": [
                {
                    "holder": "layers",
                    "kind": "list",
                    "length": 2,
                    "class": "Dense",
                    "parameters": ["w"],
                    "in_optimizer": False,
                    "created": PLACED,
                }
            ],
        }
    ]
}


def paths(value, prefix=()):
    """Every place inside a fact."""
    yield prefix
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield from paths(child, (*prefix, key))


def replaced(value, path, new):
    if not path:
        return new
    target = value
    for key in path[:-1]:
        target = target[key]
    target[path[-1]] = new
    return value


@st.composite
def odd_runs(draw):
    """The rich run with a handful of its facts replaced by anything."""
    run = Run()
    run.facts = copy.deepcopy(RICH.facts)
    if draw(st.booleans()):
        run.facts.update(copy.deepcopy(REFERENCES))
    if draw(st.booleans()):
        run.run = {**run.run, "rank_size": 2}
    for _ in range(draw(st.integers(1, 5))):
        name = draw(st.sampled_from([*sorted(run.facts), "run"]))
        fact = run.run if name == "run" else run.facts[name]
        path = draw(st.sampled_from(sorted(paths(fact), key=str)))
        odd = copy.deepcopy(draw(ODD))
        if name == "run":
            run.run = replaced(fact, path or ("exit",), odd)
        else:
            run.facts[name] = replaced(fact, path, odd)
    if draw(st.booleans()):
        run.steps = draw(STEPS)
    return run


def check_contract(checklist):
    json.dumps(checklist, allow_nan=False)
    assert [entry["id"] for entry in checklist["items"] + checklist["beyond"]] == [item.id for item in items()]
    assert len(checklist["items"]) == 24
    for entry in checklist["items"]:
        assert entry["conclusion"] in ("problem", "ok", "not_applicable", "undecided")
        assert entry["summary"] and not re.search(r"\{[a-z_]+\}", entry["summary"].replace("{x}", ""))
        assert bool(entry["would_decide"]) == (entry["conclusion"] == "undecided")
        assert bool(entry["advice"]) == (entry["conclusion"] == "problem")
        assert all(isinstance(place["file"], str) for place in entry["locations"])
        for piece in entry["evidence"]:
            check_evidence(piece)
            assert "could not be made" not in piece.get("text", ""), piece
    section = checklist.get("reference_run", {"conclusion": [], "evidence": []})
    assert all(isinstance(line, str) and "could not be made" not in line for line in section["conclusion"])
    for piece in section["evidence"]:
        check_evidence(piece)


def check_evidence(piece):
    needed = {
        "text": {"text"},
        "code": {"file", "first_line", "highlight", "code"},
        "table": {"columns", "rows"},
        "figure": {"figure", "data"},
    }
    assert {"kind", "source", "title", *needed[piece["kind"]]} <= set(piece)
    assert piece["source"] in ("run", "script", "reference", "design")
    if piece["kind"] == "table":
        assert all(len(row) == len(piece["columns"]) for row in piece["rows"])
        assert all(cell is None or isinstance(cell, (str, int, float, bool)) for row in piece["rows"] for cell in row)


def write_odd(run, folder):
    steps, run.steps = run.steps, []
    schema = run.run.get("schema")
    run.run["schema"] = schema if schema == 1 else None
    run.write(folder)
    write_steps(folder / "rank_0" / "steps.csv", steps)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(odd_runs(), st.sampled_from(["zh", "en"]))
def test_odd_facts_never_break_a_check(run, lang):
    with tempfile.TemporaryDirectory() as home:
        write_odd(run, Path(home))
        run_data = RunData(RunFolder(home), resolve_thresholds(default_thresholds()))
        for item in items():
            if run_data.run.script_imports_mindspore is not False:
                item.check(run_data)  # must not raise: examine() would hide it
        checklist = conclude(home, lang)
        check_contract(checklist)
        assert checklist == conclude(home, lang)


@pytest.mark.parametrize("run", [Run(), RICH])
@pytest.mark.parametrize("lang", ["zh", "en"])
def test_the_contract_of_ordinary_runs(tmp_path, run, lang):
    checklist = conclude(run.write(tmp_path), lang)
    check_contract(checklist)
    assert checklist["run"] == str(tmp_path) and checklist["generated"] == "2026-11-20T10:00:20+00:00"


@pytest.mark.parametrize("missing", [*sorted(Run().facts), "everything"])
def test_a_missing_fact_file_loses_only_what_it_held(tmp_path, missing):
    run = Run()
    for name in list(run.facts) if missing == "everything" else [missing]:
        run.facts.pop(name)
    check_contract(conclude(run.write(tmp_path)))


def test_a_check_that_fails_leaves_its_item_open(tmp_path):
    def broken(run_data):
        raise KeyError("what")

    folder = RunFolder(Run().write(tmp_path))
    finding = examine(items()[0]._replace(check=broken), RunData(folder, resolve_thresholds(default_thresholds())))
    assert finding.conclusion == "undecided" and "KeyError" in finding.summary.render("en")


def test_each_language_speaks_only_its_own(tmp_path):
    chinese = json.dumps(conclude(RICH.write(tmp_path), "zh"), ensure_ascii=False)
    english = json.dumps(conclude(tmp_path, "en"), ensure_ascii=False)
    handed = {"reference_run": REFERENCES["reference_run"]}
    for lang in ("zh", "en"):
        beside = json.dumps(conclude(tmp_path, lang, None, None, None, None, handed), ensure_ascii=False)
        chinese, english = (chinese + beside, english) if lang == "zh" else (chinese, english + beside)
    assert not any("\u4e00" <= letter <= "\u9fff" for letter in english)
    for phrase in ("samples of", "while training", "The run", "weights"):
        assert phrase not in chinese


def test_many_steps_conclude_quickly(tmp_path):
    import time

    steps = [
        {"step": step, "loss": 1.0, "overflow": (step % 997 == 0 and 1) or 0, "scale": 1024.0, "next_scale": 1024.0}
        for step in range(1, 50001)
    ]
    run = Run(steps=steps, train_step=[train_step(DYNAMIC, overflow_flag=True)]).write(tmp_path)
    began = time.process_time()
    conclude(run)
    assert time.process_time() - began < 2
