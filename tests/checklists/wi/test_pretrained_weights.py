"""wi.02 on recorded facts: what each load put where, what it left out, and the reference weights."""

import json

import numpy as np
import pytest
from building import STILL, ZERO, Run, parameter
from click.testing import CliRunner

from msprec.cli import main
from msprec.references import reference_options

PLACE = {"file": "train.py", "line": 5}
SHAPES = {
    "conv.weight": [8, 1, 3, 3],
    "mid.weight": [128, 128],
    "mid.bias": [128],
    "fc.weight": [10, 128],
    "fc.bias": [10],
}


def load(missing=(), file_shapes=None, left_over=(), **changes):
    """A load into a network of `SHAPES` that left these names out."""
    names = list(SHAPES)
    end = max((i for i, name in enumerate(names) if name not in missing), default=-1)
    base = {
        "function": "load_param_into_net",
        "file": "a/best.ckpt",
        "parameters": 5,
        "network": "Net",
        "optimizer": False,
        "network_parameters": 5,
        "loaded": 5 - len(missing),
        "not_loaded": list(missing),
        "not_in_network": [name for name, _ in left_over],
        "strict": False,
        "place": PLACE,
        "step": 0,
        "network_used": True,
        "missing": [
            {"name": n, "shape": SHAPES[n], "file_shape": (file_shapes or {}).get(n), "last": names.index(n) > end}
            for n in missing
        ],
        "left_over": [{"name": name, "shape": shape} for name, shape in left_over],
        "modules": [
            ["conv", 1, "conv.weight" not in missing],
            ["mid", 2, 2 - sum(n.startswith("mid") for n in missing)],
            ["fc", 2, 2 - sum(n.startswith("fc") for n in missing)],
        ],
        "at_start": {"trained": 5, "overwritten": [], "kept": 5},
    }
    return {**base, **changes}


def read(**start):
    return {
        "function": "load_checkpoint",
        "file": "a/best.ckpt",
        "parameters": 5,
        "place": PLACE,
        "step": 0,
        "at_start": {"trained": 5, **start} if start else None,
    }


HEAD = ("fc.weight", "fc.bias")


@pytest.mark.parametrize(
    "loads",
    [
        [load()],
        [load(HEAD, {"fc.weight": [1000, 128], "fc.bias": [1000]})],
        [load(HEAD, left_over=[("classifier.weight", [1000, 128])])],
        [load(HEAD, {"fc.weight": [10, 128], "fc.bias": [10]})],  # taken out by the script: to be trained anew
        [load(left_over=[("decoder.weight", [4, 4]), ("moments.conv.weight", [8, 1, 3, 3])])],
        [load(at_start={"trained": 5, "overwritten": ["fc.weight", "fc.bias"], "kept": 3})],  # a new head by set_data
        [load(at_start={"trained": 5, "overwritten": ["mid.weight"], "kept": 4}), load()],  # loaded over
        [read(names_in_network=5, kept=5)],
        [read(names_in_network=0, kept=4)],
        [{**read(), "error": "ValueError: no such file"}, load()],
        [load(optimizer=True, loaded=0), load()],
        [load(("conv.weight",), {"conv.weight": [8, 3, 3, 3]})],  # an input layer for other channels
    ],
)
def test_right_loads(verdict, loads):
    entry = verdict("wi.02", Run(weights_loaded=loads))
    assert entry["conclusion"] == "ok", entry["summary"]


@pytest.mark.parametrize(
    "loads, says",
    [
        ([load(tuple(SHAPES))], "nothing of best.ckpt"),
        ([load(network_used=False)], "another Net"),
        ([load(("mid.weight",), left_over=[("module.middle.weight", [128, 128])])], "names do not match"),
        ([load(("mid.bias",))], "layers after them"),
        (
            [
                load(
                    ("conv.weight", "mid.weight", "fc.weight"),
                    {"conv.weight": [8, 3, 3, 3], "mid.weight": [256, 256], "fc.weight": [10, 256]},
                )
            ],
            "another network",
        ),
        ([load(at_start={"trained": 5, "overwritten": ["conv.weight", "mid.weight"], "kept": 3})], "2 of 5"),
        ([load(at_start={"trained": 5, "overwritten": ["mid.weight"], "kept": 4})], "1 of 5"),
        ([{**read(), "error": "ValueError: no such file"}], "failed"),
        ([read(names_in_network=5, kept=0)], "only 0"),
    ],
)
def test_wrong_loads(verdict, loads, says):
    entry = verdict("wi.02", Run(weights_loaded=loads))
    assert entry["conclusion"] == "problem" and says in entry["summary"], entry["summary"]
    assert entry["locations"] == [{"file": "train.py", "line": 5}]


@pytest.mark.parametrize("loads", [[load(("mid.weight", "mid.bias"))], [read(names_in_network=0, kept=0)], [read()]])
def test_loads_that_may_be_meant(verdict, loads):
    assert verdict("wi.02", Run(weights_loaded=loads))["conclusion"] == "undecided"


def test_nothing_loaded(verdict):
    assert verdict("wi.02", Run())["conclusion"] == "not_applicable"
    asked = Run(run={"command": ["python", "train.py", "--pretrained=resnet.ckpt"]})
    assert verdict("wi.02", asked)["conclusion"] == "undecided"


def reference(**changes):
    entries = [
        {"name": name, "shape": shape, "min": -0.1, "max": 0.1, "mean": 0.0, "std": 0.05, **changes.get(name, {})}
        for name, shape in {"conv.weight": [8, 1, 3, 3], "fc.weight": [10, 128]}.items()
    ]
    return {"reference_weights": {"file": "ref.npz", "parameters": entries}}


def test_reference_weights(verdict):
    assert verdict("wi.02", Run(), handed=reference())["conclusion"] == "ok"
    half = {"mean": 0.00001, "std": 0.05002}
    assert verdict("wi.02", Run(), handed=reference(**{"conv.weight": half}))["conclusion"] == "ok"
    other = verdict("wi.02", Run(), handed=reference(**{"conv.weight": {"std": 0.04}, "fc.weight": {"mean": 0.02}}))
    assert other["conclusion"] == "problem" and "2 of 2" in other["summary"]
    head = reference(**{"fc.weight": {"shape": [1000, 128]}})
    assert verdict("wi.02", Run(), handed=head)["conclusion"] == "ok"
    stranger = {"reference_weights": {"file": "x.npz", "parameters": [{"name": "a", "shape": [1], "min": 0, "max": 0}]}}
    assert verdict("wi.02", Run(), handed=stranger)["conclusion"] == "undecided"


def test_reference_files(tmp_path):
    run = Run(parameters=[parameter("conv.weight", [8, 1, 3, 3])]).write(tmp_path / "run")
    file = tmp_path / "ref.npz"
    np.savez(
        file, **{"conv.weight": np.linspace(-1, 1, 72, dtype=np.float16).reshape(8, 1, 3, 3), "names": np.array(["a"])}
    )
    facts = reference_options.read_weights(str(file))
    assert facts["parameters"][0]["max"] == 1.0 and len(facts["parameters"]) == 1 and len(facts["md5"]) == 32
    done = CliRunner().invoke(main, ["checklist", "--run", str(run), "--json", "-", "--reference-weights", str(file)])
    item = next(i for i in json.loads(done.output)["items"] if i["id"] == "wi.02")
    assert item["conclusion"] == "problem" and any(e["source"] == "reference" for e in item["evidence"])


@pytest.mark.parametrize("name, content", [("w.npz", b"no archive"), ("w.txt", b""), ("absent.npz", None)])
def test_references_that_cannot_be_read(tmp_path, name, content):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    run = Run().write(tmp_path / "run")
    done = CliRunner().invoke(
        main, ["checklist", "--run", str(run), "--json", "-", "--reference-weights", str(tmp_path / name)]
    )
    assert done.exit_code == 2 and name in done.output and "Traceback" not in done.output


def test_a_run_that_ended_before_it_loaded(verdict):
    ended = {"training_steps": 0, "exit": {"kind": "exception", "code": 1, "exception": None}}
    crashed = Run(run=ended, steps=[], datasets=[], train_step=[], modes=[])
    assert verdict("wi.02", crashed)["conclusion"] == "not_applicable"
    crashed.source["train.py"] += "ms.load_checkpoint('a.ckpt', net)\n"
    entry = verdict("wi.02", crashed)
    assert entry["conclusion"] == "undecided" and entry["locations"] == [{"file": "train.py", "line": 11}]
    trained = Run()
    trained.source["train.py"] += "if resume:\n    ms.load_checkpoint('a.ckpt', net)\n"
    assert verdict("wi.02", trained)["conclusion"] == "not_applicable"


@pytest.mark.parametrize(
    ("alike", "conclusion"), [(5, "problem"), (4, "problem"), (2, "undecided"), (None, "undecided")]
)
def test_a_prefix_that_does_not_fit(verdict, alike, conclusion):
    """Two of five names are alike by chance; nearly all of them are not."""
    loads = [read(names_in_network=0, names_alike=alike, kept=0)]
    source = {"train.py": 'def take(file, prefix="backbone."):\n    pass\n\n\n    weights = load_checkpoint(file)\n'}
    entry = verdict("wi.02", Run(weights_loaded=loads, source=source))
    assert entry["conclusion"] == conclusion, entry["summary"]
    lines = [place["line"] for place in entry["locations"]]
    assert (1 in lines) == (conclusion == "problem"), "the line of the prefix"


@pytest.mark.parametrize(
    ("changes", "loads", "conclusion"),
    [
        ({"requires_grad": False, "in_optimizer": False, "moved": STILL}, 1, "problem"),
        ({}, 1, "ok"),  # a new head that is trained
        ({"requires_grad": False, "moved": STILL, "initial": ZERO}, 1, "ok"),  # the script gave it its values
        ({"requires_grad": False, "in_optimizer": False, "moved": STILL}, 2, "ok"),  # which of them is not known
    ],
)
def test_a_last_layer_that_is_neither_loaded_nor_trained(verdict, changes, loads, conclusion):
    run = Run(weights_loaded=[load(HEAD)] * loads, parameters=[parameter("teacher.fc.weight", [10, 128], **changes)])
    assert verdict("wi.02", run)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("code", "conclusion"),
    [
        ("ms.load_checkpoint('a.ckpt')\n", "problem"),
        ("weights = ms.load_checkpoint('a.ckpt')\n", "undecided"),
        ("ms.load_checkpoint('a.ckpt', net)\n", "undecided"),
        ("ms.load_checkpoint(ckpt_file_name='a.ckpt', net=net)\n", "undecided"),
        ("show(ms.load_checkpoint('a.ckpt'))\n", "undecided"),
    ],
)
def test_a_checkpoint_that_is_read_and_thrown_away(verdict, code, conclusion):
    read = {"function": "load_checkpoint", "file": "a.ckpt", "place": {"file": "train.py", "line": 1}}
    entry = verdict("wi.02", Run(source={"train.py": code}, weights_loaded=[read]))
    assert entry["conclusion"] == conclusion, entry["summary"]
