"""`%load_ext msprec` in a Jupyter kernel: the facts of a script, cell and line, and the notebook's own numbers."""

import json
from pathlib import Path

import pytest

nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
nbformat = pytest.importorskip("nbformat")

MAKE = """
import numpy as np, mindspore as ms, mindspore.dataset as ds
from mindspore import nn
ms.set_seed(1)
x = np.random.RandomState(0).randn(64, 4).astype(np.float32)
y = (x[:, :1] > 0).astype(np.float32)
data = ds.NumpySlicesDataset((x, y), ["x", "y"], shuffle=False).batch(16)
""".strip()
NETWORK = """
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.unused = nn.Dense(4, 8), nn.Dense(8, 1), nn.Dense(3, 3)

    def construct(self, x):
        return self.second(self.first(x))

net = Net()
opt = nn.SGD(net.trainable_params(), 0.1)
loss_fn = nn.MSELoss()
grad_fn = ms.value_and_grad(lambda a, b: loss_fn(net(a), b), None, opt.parameters)
""".strip()
TRAIN = """
net.set_train()
for epoch in range(3):
    for a, b in data.create_tuple_iterator():
        loss, grads = grad_fn(a, b)
        opt(grads)
print(float(loss), np.random.rand(), float(ms.ops.rand(1)[0]))
""".strip()


def run_cells(folder: Path, cells: list, fails: bool = False) -> tuple:
    """Runs a notebook of these cells; its printed text by cell, and what is displayed as Markdown."""
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in cells])
    client = nbclient.NotebookClient(
        book, timeout=200, kernel_name="python3", allow_errors=fails, resources={"metadata": {"path": str(folder)}}
    )
    client.execute(env={**__import__("os").environ, "GLOG_v": "3", "MS_DEV_LAUNCH_BLOCKING": "1"})
    printed = [
        "".join(o.text for o in cell.outputs if o.output_type == "stream" and o.name == "stdout") for cell in book.cells
    ]
    shown = [
        o.data["text/markdown"] for cell in book.cells for o in cell.outputs if "text/markdown" in o.get("data", {})
    ]
    return printed, shown, book


def folders(folder: Path) -> list:
    return sorted(
        (folder / "msprec_runs").glob("*"), key=lambda one: json.loads((one / "run.json").read_text())["started"]
    )


def read(run: Path, name: str) -> dict:
    return json.loads((run / name).read_text(encoding="utf-8"))


def places(value) -> set:
    """All places in it, as (file, line)."""
    found = set()
    if isinstance(value, dict):
        if "file" in value and "line" in value:
            found.add((value["file"], value["line"]))
        for one in value.values():
            found |= places(one)
    for one in value if isinstance(value, list) else ():
        found |= places(one)
    return found


def test_a_notebook_is_recorded_as_the_same_script_is(tmp_path: Path, scripts) -> None:
    bare, _, _ = run_cells(tmp_path, [MAKE, NETWORK, TRAIN, TRAIN])
    cells = [
        "%load_ext msprec",
        MAKE,
        NETWORK,
        f"%%msprec --lang en\n{TRAIN}",
        f"%%msprec --lang en --out again\n{TRAIN}",
    ]
    printed, shown, _ = run_cells(tmp_path, cells)
    assert [text for text in printed if text] == [text for text in bare if text]
    [run] = folders(tmp_path)
    assert len(shown) == 2 and "checklist.docx" in shown[0] and "checklist.html" in shown[0]

    scripts.write("\n".join((MAKE, NETWORK, TRAIN)))
    scripts.observed(options=("--probe-seconds", "30"))
    for one in (run, tmp_path / "again"):
        script, notebook = scripts.run_folder, read(one, "run.json")
        assert notebook["training_steps"] == 12 and notebook["seeds"][0]["value"] == 1
        for name in ("optimizer", "network", "datasets", "loss", "train_step", "modes", "parameters"):
            theirs, ours = read(script, f"facts/{name}.json"), read(one, f"facts/{name}.json")
            assert theirs.keys() == ours.keys(), name
        assert read(one, "facts/datasets.json")["datasets"][0]["samples"] == 192
        [item] = [item for item in read(one, "checklist.json")["items"] if item["id"] == "dp.03"]
        assert item["conclusion"] == "undecided"
    assert not [
        event
        for file in run.glob("rank_0/events.jsonl")
        for event in file.read_text().splitlines()
        if "monitor_error" in event
    ]
    verdicts = [{i["id"]: i["conclusion"] for i in read(one, "checklist.json")["items"]} for one in (script, run)]
    assert verdicts[0] == verdicts[1]
    # places are those of the cells, as a reader counts them
    told = places(read(run, "checklist.json"))
    assert told and {file for file, _ in told} <= {"In[2]", "In[3]", "In[4]"}
    assert ("In[2]", 6) in told
    assert "notebook.py:" not in (run / "checklist.json").read_text(encoding="utf-8")


def test_the_example(tmp_path: Path) -> None:
    import shutil

    example = Path(__file__).parents[2] / "examples" / "notebook" / "digits.ipynb"
    shutil.copy(example, tmp_path)
    book = nbformat.read(tmp_path / "digits.ipynb", 4)
    cells = [cell.source.replace("%%msprec", "%%msprec --lang en") for cell in book.cells if cell.cell_type == "code"]
    _, shown, _ = run_cells(tmp_path, cells)
    conclusions = []
    for run in folders(tmp_path):
        items = {item["id"]: item for item in read(run, "checklist.json")["items"]}
        conclusions.append(items["cg.04"]["conclusion"])
        assert items["wi.01"]["conclusion"] == "ok"
        assert (run / "checklist.docx").stat().st_size > 0 and (run / "checklist.html").exists()
        assert str(run.name) in shown[len(conclusions) - 1]
    assert conclusions == ["problem", "ok"]
    assert "In[" in shown[0]


@pytest.mark.versions
def test_made_before_it_was_loaded(tmp_path: Path) -> None:
    """What earlier cells made is found; what cannot be known is undecided, with that reason. An error of the cell is its own."""
    cells = [MAKE, NETWORK, "%load_ext msprec", f"%%msprec --lang en --probe-seconds 0 --no-word\n{TRAIN}\n1 / 0"]
    _, shown, book = run_cells(tmp_path, cells, fails=True)
    [run] = folders(tmp_path)
    assert [o.ename for o in book.cells[3].outputs if o.output_type == "error"] == ["ZeroDivisionError"]
    facts = read(run, "run.json")
    assert facts["training_steps"] == 12 and facts["exit"]["kind"] == "exception"
    assert facts["exit"]["exception"]["place"]["file"] == "notebook.py"
    assert [one["used"] for one in read(run, "facts/optimizer.json")["optimizers"]] == [True]
    items = {item["id"]: item for item in read(run, "checklist.json")["items"]}
    late = [item for item in items.values() if "before `%load_ext msprec`" in item["summary"]]
    assert late and all(
        item["conclusion"] == "undecided" and "Restart the kernel" in item["would_decide"] for item in late
    )
    assert items["dp.03"]["conclusion"] == "undecided" and len(late) < 8
    assert len(shown) == 1 and "checklist.docx" not in shown[0]


def test_words_after_the_magic() -> None:
    from msprec.notebook.extension import _as_line, _options

    assert _as_line(["%%msprec --out a\n", "x = 1\n"]) == ["%msprec --cell --out a\n", "x = 1\n"]
    assert _as_line(["%%msprecise\n"]) == ["%%msprecise\n"] and _as_line([]) == []
    found = _options("--cell --out 'my run' --lang zh --probe-seconds 2 --no-word")
    assert found == {"cell": True, "out": "my run", "lang": "zh", "probe_seconds": 2.0, "word": False}
    for wrong in ("--outt a", "--out", "--lang fr", "--probe-seconds much"):
        with pytest.raises(ValueError):
            _options(wrong)


def test_places_by_cell() -> None:
    from msprec.record.notebook_cells import NAME, Cells, by_cells

    cells = Cells()
    assert cells.add(2, "a = 1\nb = 2") == 1 and cells.add(5, "c = 3\nd = 4\ne = 5") == 5
    lines = cells.text.splitlines()
    assert (lines[1], lines[5], lines[7]) == ("a = 1", "c = 3", "e = 5")
    code = {"kind": "code", "file": NAME, "first_line": 2, "highlight": [7], "code": "\n".join(lines[1:])}
    document = {
        "locations": [{"file": NAME, "line": 7}, {"file": "other.py", "line": 7}],
        "text": f"{NAME}:3 and {NAME}:99",
    }
    found = by_cells({**document, "evidence": [code]}, {"cells": cells.facts()})
    assert found["locations"] == [{"file": "In[5]", "line": 2}, {"file": "other.py", "line": 7}]
    assert found["text"] == f"In[2]:2 and {NAME}:99"
    assert found["evidence"] == [
        {**code, "file": "In[5]", "first_line": 1, "highlight": [2], "code": "c = 3\nd = 4\ne = 5"}
    ]
    assert by_cells(document, {}) is document and by_cells(document, {"cells": [3, {"first": "x"}]}) is document


def test_a_notebook_without_mindspore(tmp_path: Path) -> None:
    """The cells run as they do by themselves; nothing is left behind."""
    cells = [
        "def score(x):\n    return {'accuracy': x}\nscore(1)",
        "%load_ext msprec",
        "import functools\n@functools.lru_cache\ndef score(x):\n    return {'accuracy': x}\nscore(2)",
        "%%msprec\nimport asyncio\nawait asyncio.sleep(0)\nx = score(3)\nx",
        "from msprec.observe.evaluation.instrumented_functions import hands_over\nhands_over(score.__wrapped__.__code__)",
        "%%msprec --outt a\n1",
        "%%msprec\n1 / 0",
        "%unload_ext msprec\nimport os\nos.path.exists('msprec_runs')",
    ]
    _, shown, book = run_cells(tmp_path, cells, fails=True)
    results = [o.data["text/plain"] for cell in book.cells for o in cell.outputs if o.output_type == "execute_result"]
    assert results == ["{'accuracy': 1}", "{'accuracy': 2}", "{'accuracy': 3}", "True", "False"]
    said = ["".join(o.text for o in cell.outputs if o.output_type == "stream") for cell in book.cells]
    assert "no training step" in said[3] and "no such option" in said[5] and not shown
    [error] = [o for o in book.cells[6].outputs if o.output_type == "error"]
    assert error.ename == "ZeroDivisionError" and "msprec" not in "".join(error.traceback).replace("'msprec'", "")


WATCH = """
import msprec
net.set_train()
with msprec.watch(net, opt) as monitor:
    for epoch in range(3):
        for a, b in monitor.batches(data.create_tuple_iterator(num_epochs=1)):
            loss, grads = grad_fn(a, b)
            opt(grads)
            monitor.step(loss)
""".strip()


def test_watch_alone_tells_as_much_as_in_a_script(tmp_path: Path, scripts) -> None:
    run_cells(tmp_path, [MAKE, NETWORK, WATCH])
    scripts.write("\n".join((MAKE, NETWORK, WATCH)))
    done = scripts.bare()
    assert done.status == 0, done.err
    [kernels], [script] = folders(tmp_path), folders(scripts.folder)
    names = sorted(path.name for path in (script / "facts").iterdir())
    assert {"datasets.json", "network.json", "parameters.json", "optimizer.json", "modes.json"} <= {*names}
    assert sorted(path.name for path in (kernels / "facts").iterdir()) == names
    for name in (f"facts/{name}" for name in names):
        ours, theirs = read(kernels, name), read(script, name)
        assert ours.keys() == theirs.keys(), name
    assert [one["samples"] for one in read(kernels, "facts/datasets.json")["datasets"]] == [192]
    verdicts = []
    for run in (kernels, script):
        told = tmp_path / f"{len(verdicts)}.json"
        done = scripts.msprec("checklist", "--run", str(run), "--json", str(told))
        assert done.status == 0, done.err
        verdicts.append({i["id"]: i["conclusion"] for i in json.loads(told.read_text(encoding="utf-8"))["items"]})
    assert verdicts[0] == verdicts[1]
