"""Scripts that are read beside a run (``--also``): their pipelines (dp.02) and the mode of their networks (api.02)."""

import json

import pytest
from building import Run, dataset
from click.testing import CliRunner

from msprec.cli import main
from msprec.engine import conclude
from msprec.source.static_input import keep_also, kept_also, read_scripts, with_modules

RESCALE, NORMALIZE = "Rescale(rescale=0.00392156862745098, shift=0.0)", "Normalize(mean=[0.5], std=[0.25], is_hwc=True)"
FLIP, LAYOUT = "RandomHorizontalFlip(prob=0.5)", "HWC2CHW()"
TRAIN = """import mindspore as ms
from data import create
ms.Model(net()).train(3, create("train", True))
"""
DATA = """import numpy as np
import mindspore.dataset as ds
from mindspore.dataset import vision


def normalise(x):
    return x / 255


def patterns(seed, size):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 140, (size, 12, 12, 1)), rng.integers(0, 3, size)


def create(path, training, source=ds.MnistDataset):
    data = ds.MnistDataset(path, shuffle=training)
    steps = [vision.RandomHorizontalFlip()] if training else []
    steps += [vision.Rescale(1 / 255, 0.0), vision.Normalize([0.5], [0.25]), vision.HWC2CHW()]
    return data.map(steps, input_columns="image").batch(30)
"""
HEAD = """import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn
from mindspore.dataset import vision
from data import create, normalise, patterns


class Net(nn.Cell):
    def construct(self, x):
        return x


def batches(*steps):
    return ds.MnistDataset("test").map(list(steps), input_columns="image").batch(30)


net = Net()
model = ms.Model(net)
"""


def recorded(*operations, source="MnistDataset", args=None, line=17, train=TRAIN):
    pipeline = [
        {"op": source, "args": args or {"shuffle": True}, "place": {"file": "data.py", "line": line}},
        {
            "op": "map",
            "args": {"input_columns": ["image"], "operations": list(operations)},
            "place": {"file": "data.py", "line": 20},
        },
        {"op": "batch", "args": {"batch_size": 30}, "place": {"file": "data.py", "line": 20}},
    ]
    return Run(source={"train.py": train, "data.py": DATA}, datasets=[dataset(pipeline=pipeline)])


USUAL = (FLIP, RESCALE, NORMALIZE, LAYOUT)


@pytest.fixture
def read(tmp_path, monkeypatch):
    """The entries of dp.02 and api.02 of a run beside a script."""

    def concluded(script, run=None, lang="en"):
        folder = (run or recorded(*USUAL)).write(tmp_path / "run")
        project = tmp_path / "project"
        project.mkdir(exist_ok=True)
        (project / "eval.py").write_text(HEAD + script, encoding="utf-8")
        monkeypatch.chdir(project)
        keep_also(with_modules(read_scripts(["eval.py"])), folder)
        items = {item["id"]: item for item in conclude(folder, lang)["items"]}
        return items["dp.02"], items["api.02"]

    return concluded


ALL = "vision.Rescale(1 / 255, 0.0), vision.Normalize([0.5], [0.25]), vision.HWC2CHW()"


@pytest.mark.parametrize(
    "script",
    [
        "model.eval(create('test', False))",
        f"model.eval(batches({ALL}))",
        "model.eval(batches(vision.ToTensor(), vision.Normalize([0.5], [0.25], is_hwc=False)))",
        "model.eval(batches(vision.Normalize([127.5], [63.75]), vision.HWC2CHW()))",
        "for image, label in create('test', training=False).create_tuple_iterator(num_epochs=1):\n    net(image)",
        "def test(size=30):\n    for batch in create('test', False).create_dict_iterator():\n        net(batch['image'])\ntest()",
        "if False:\n    model.train(1, create('train', True))\nmodel.eval(create('test', False))",
    ],
)
def test_the_same_steps(read, script):
    found, _ = read(script)
    assert found["conclusion"] == "ok" and "eval.py" in found["summary"], found["summary"]


@pytest.mark.parametrize(
    ("script", "says", "place"),
    [
        ("model.eval(create('test', True))", "RandomHorizontalFlip", "data.py:19"),
        ("model.eval(batches(vision.Rescale(1 / 255, 0.0), vision.HWC2CHW()))", "0.01569·x + -2", "eval.py:15"),
        (
            "SCALE = 1 / 127\nmodel.eval(batches(vision.Rescale(SCALE, 0), vision.Normalize([0.5], [0.25]), vision.HWC2CHW()))",
            "0.0315·x",
            "eval.py:15",
        ),
        (f"model.eval(batches(vision.Resize((32, 32)), {ALL}))", "Resize", "eval.py:15"),
        ("model.eval(batches(vision.Rescale(1 / 255, 0.0), vision.Normalize([0.5], [0.25])))", "HWC2CHW", "eval.py:15"),
        ("model.eval(ds.MnistDataset('x').batch(4))", "0.01569·x", "eval.py:20"),
    ],
)
def test_steps_that_differ(read, script, says, place):
    found, _ = read(script)
    assert found["conclusion"] == "problem" and says in found["summary"], found["summary"]
    assert place in [f"{p['file']}:{p['line']}" for p in found["locations"]]


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("import os\nmodel.eval(batches(vision.Rescale(float(os.environ['S']), 0), vision.HWC2CHW()))", "Rescale"),
        (
            "import os\nd = create('test', False)\nif os.path.exists('a'):\n    d = d.map(vision.Resize(9), 'image')\n"
            "model.eval(d)",
            "depends on runtime values",
        ),
        ("model.eval(batches(normalise, vision.HWC2CHW()))", "data.normalise"),
        ("model.eval(ds.ImageFolderDataset('x', decode=True).map([vision.HWC2CHW()], 'image'))", "other kinds"),
        ("for image, label in create('test', False).create_tuple_iterator():\n    net(image * 2)", "calculated with"),
        (
            "d = ds.NumpySlicesDataset(np.load('x.npy'), ['image']).map([vision.HWC2CHW()], 'image')\nmodel.predict(d)",
            "other kinds",
        ),
        ("net(ms.Tensor(np.load('x.npy')))", "no pipeline"),
        (
            "for row in ds.MnistDataset('x').create_dict_iterator():\n    print(row['image'].asnumpy().max())",
            "was not seen to be given",
        ),
        ("evaluate_somehow(net, create('test', True))", "was not seen to be given"),
        ("tta = True\nmodel.eval(create('test', True))", "random augmentation"),
        ("from elsewhere import more\nmodel.eval(create('test', False).map(more, 'image'))", "more"),
    ],
)
def test_what_the_source_cannot_tell(read, script, says):
    found, _ = read(script)
    assert found["conclusion"] == "undecided" and says in found["summary"], found["summary"]


@pytest.mark.parametrize(
    "script",
    [
        "ms.export(net, ms.Tensor([1.0]), file_name='x')",
        "print('plots')",
        "ms.save_checkpoint(net, 'x')",
        "g = ms.value_and_grad(net, None, w)\nfor x, y in create('a', True).create_tuple_iterator():\n    net(x)",
    ],
)
def test_scripts_that_evaluate_nothing_are_passed_over(read, script):
    found, _ = read(script)
    assert (
        found["conclusion"] == "undecided" and "trained only" in found["summary"] and "--also" in found["would_decide"]
    )


def test_functions_of_one_module_are_the_same_and_copies_of_one_text_are(read):
    run = recorded("data.normalise", LAYOUT)
    assert read("model.eval(batches(normalise, vision.HWC2CHW()))", run)[0]["conclusion"] == "ok"
    copy = "def normalise(x):\n    return x / {}\nmodel.eval(batches(normalise, vision.HWC2CHW()))"
    assert read(copy.format(255), run)[0]["conclusion"] == "ok"
    assert read(copy.format(127), run)[0]["conclusion"] == "undecided"


def test_functions_of_the_training_script_are_recorded_without_its_name(read):
    run = recorded("scale", LAYOUT, train=TRAIN + "def scale(x):\n    return x / 255\n")
    assert read("from train import scale\nmodel.eval(batches(scale, vision.HWC2CHW()))", run)[0]["conclusion"] == "ok"
    assert read("from data import normalise as scale\nmodel.eval(batches(scale))", run)[0]["conclusion"] == "undecided"


@pytest.mark.parametrize(
    ("mine", "theirs", "conclusion"),
    [
        ("Resize(py_size=(8, 8), c_size=(8, 8), interpolation=Inter.BILINEAR)", "vision.Resize((8, 8))", "ok"),
        ("Resize(py_size=8, c_size=(8,), interpolation=Inter.BILINEAR)", "vision.Resize(8)", "ok"),
        ("Resize(py_size=8, c_size=(8,), interpolation=Inter.BILINEAR)", "vision.Resize((8, 8))", "problem"),
        (
            "Resize(py_size=(8, 8), c_size=(8, 8), interpolation=Inter.BILINEAR)",
            "vision.Resize((8, 8), vision.Inter.NEAREST)",
            "problem",
        ),
        (
            "Resize(py_size=(8, 8), c_size=(8, 8), interpolation=Inter.BILINEAR)",
            "vision.Resize((8, 8), interpolation=vision.Inter.LINEAR)",
            "ok",
        ),
        ("CenterCrop(size=(8, 8))", "vision.CenterCrop(8)", "ok"),
        ("CenterCrop(size=(8, 8))", "vision.CenterCrop((8, 9))", "problem"),
        ("Pad(padding=(2, 2, 2, 2), fill_value=(0, 0, 0), padding_mode=Border.CONSTANT)", "vision.Pad(2)", "ok"),
        ("Pad(padding=(2, 2, 2, 2), fill_value=(0, 0, 0), padding_mode=Border.CONSTANT)", "vision.Pad(3)", "problem"),
        ("RandomResizedCrop(size=(8, 8), scale=(0.5, 1.0))", "vision.Resize(10), vision.CenterCrop(8)", "ok"),
        ("RandomResizedCrop(size=(8, 8), scale=(0.5, 1.0))", "vision.Resize((16, 16))", "undecided"),
        (
            "ConvertColor(convert_mode=ConvertMode.COLOR_RGB2BGR)",
            "vision.ConvertColor(vision.ConvertMode.COLOR_RGB2BGR)",
            "ok",
        ),
        (
            "ConvertColor(convert_mode=ConvertMode.COLOR_RGB2BGR)",
            "vision.ConvertColor(vision.ConvertMode.COLOR_BGR2RGB)",
            "ok",
        ),  # one and the same to MindSpore
        (
            "ConvertColor(convert_mode=ConvertMode.COLOR_BGR2RGB)",
            "vision.ConvertColor(vision.ConvertMode.COLOR_RGB2GRAY)",
            "problem",
        ),
        ("Pad(padding=(1, 2, 1, 2), fill_value=(0, 0, 0), padding_mode=Border.CONSTANT)", "vision.Pad((1, 2))", "ok"),
    ],
)
def test_arguments_in_one_form(read, mine, theirs, conclusion):
    found, _ = read(f"model.eval(batches({theirs}, vision.HWC2CHW()))", recorded(mine, LAYOUT))
    assert found["conclusion"] == conclusion, found["summary"]


ARRAYS = {"source": "NumpySlicesDataset", "args": {"source": "_NumpySlicesDataset"}}
SLICES = "d = ds.NumpySlicesDataset({}, ['image', 'label']).map([{}], 'image')\nmodel.eval(d)"


def test_arrays_of_one_function(read):
    train = "import mindspore.dataset as ds\nfrom data import patterns\nimport mindspore as ms\n"
    train += "d = ds.NumpySlicesDataset(patterns(1, 100), ['image', 'label'])\nms.Model(net()).train(1, d)\n"
    run = recorded(RESCALE, LAYOUT, train=train, **ARRAYS)
    run.facts["datasets"]["datasets"][0]["pipeline"][0]["place"] = {"file": "train.py", "line": 4}
    same = "vision.Rescale(1 / 255, 0), vision.HWC2CHW()"
    assert read(SLICES.format("patterns(2, 30)", same), run)[0]["conclusion"] == "ok"
    assert read(SLICES.format("patterns(2, 30)", "vision.HWC2CHW()"), run)[0]["conclusion"] == "problem"
    scaled = SLICES.format("(patterns(2, 30)[0] / 2, patterns(2, 30)[1])", same)
    assert read(scaled, run)[0]["conclusion"] == "undecided"
    assert read(SLICES.format("np.load('x.npy')", same), run)[0]["conclusion"] == "undecided"


SOURCE = """class Pictures:
    def __init__(self, path{more}):
        self.path = path

    def __getitem__(self, index):
        return {body}

    def __len__(self):
        return 9


"""


def test_a_class_of_the_project_as_a_source(read):
    def both(mine, theirs, call="Pictures('test')", made="Pictures('train')"):
        train = f"{mine}import mindspore.dataset as ds\nd = ds.GeneratorDataset({made}, ['image'])\n"
        run = recorded(RESCALE, LAYOUT, source="GeneratorDataset", args={"source": "Pictures"}, train=train)
        run.facts["datasets"]["datasets"][0]["pipeline"][0]["place"] = {"file": "train.py", "line": train.count("\n")}
        script = f"{theirs}d = ds.GeneratorDataset({call}, ['image'])\n"
        return read(f"{script}model.eval(d.map([vision.Rescale(1 / 255, 0), vision.HWC2CHW()], 'image'))", run)[0][
            "conclusion"
        ]

    plain = SOURCE.format(more="", body="index")
    assert both(plain, plain) == "ok"
    assert both(plain, "from train import Pictures\n") == "ok"
    assert both(plain, SOURCE.format(more="", body="index / 2")) == "undecided"
    sized = SOURCE.format(more=", size=3, seed=1", body="index * 2")
    assert both(sized, sized, "Pictures('test', seed=7)") == "ok"
    assert both(sized, sized, "Pictures('test', 5)") == "undecided"
    assert both(sized, sized, "Pictures('test')", "Pictures('train', 5)") == "undecided"
    assert both(sized, sized, "Pictures('test', size=5)", "Pictures('train', 5)") == "ok"
    hanging = SOURCE.format(more=", train=True", body="index if self.path else 2")
    assert both(hanging, hanging) == "undecided"


# --- modes ---------------------------------------------------------------------------------------------------------
def test_an_evaluation_in_training_mode_is_a_problem(read):
    _, modes = read("net.set_train()\nfor x, y in create('test', False).create_tuple_iterator():\n    net(x)")
    assert modes["conclusion"] == "problem" and "training mode" in modes["summary"]
    assert modes["locations"] == [{"file": "eval.py", "line": 22}]


@pytest.mark.parametrize(
    "script",
    [
        "net.set_train(False)\nnet(1)",
        "net(1)",
        "net.set_train(True)\nnet.set_train(mode=False)\nnet(1)",
        "net.set_train(True)\nmodel.eval(create('test', False))\nnet(1)",
        "import os\nif os.environ.get('A'):\n    net.set_train(True)\nnet(1)",
        "net.set_train()\nms.value_and_grad(net, None, net.trainable_params())\nnet(1)",
        "class Other(nn.Cell):\n    pass\nother = Other()\nother.set_train()\nother(1)",
        "def unused():\n    net.set_train()\nmodel.predict(1)",
    ],
)
def test_modes_that_are_right_or_not_known(read, script):
    assert read(script)[1]["conclusion"] == "ok"


# --- keeping and the command line ----------------------------------------------------------------------------------
def test_what_is_kept_concludes_the_same_elsewhere(tmp_path, read, monkeypatch):
    found, modes = read("from helper import more\nmodel.eval(create('test', True))")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "project" / "eval.py").unlink()
    items = {item["id"]: item for item in conclude(tmp_path / "run")["items"]}
    assert (items["dp.02"], items["api.02"]) == (found, modes)
    assert kept_also(tmp_path / "run").entries == ["eval.py"]


def test_modules_beside_the_script_come_along(tmp_path, monkeypatch):
    (tmp_path / "helper.py").write_text("def more(x):\n    return x\n", encoding="utf-8")
    (tmp_path / "eval.py").write_text("from helper import more\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    keep_also(with_modules(read_scripts(["eval.py"])), tmp_path / "run")
    listed = json.loads((tmp_path / "run" / "also" / "scripts.json").read_text(encoding="utf-8"))
    assert listed == {"scripts": ["eval.py"], "files": ["eval.py", "helper.py"]}


def test_names_that_lead_out_of_the_folder_are_left_out(tmp_path):
    (tmp_path / "also").mkdir()
    (tmp_path / "secret.py").write_text("x = 1", encoding="utf-8")
    listed = {"scripts": ["../secret.py"], "files": ["../secret.py", 3, None]}
    (tmp_path / "also" / "scripts.json").write_text(json.dumps(listed), encoding="utf-8")
    assert kept_also(tmp_path) is None
    for text in ("", "[]", "{", '{"scripts": 3, "files": [1]}'):
        (tmp_path / "also" / "scripts.json").write_text(text, encoding="utf-8")
        assert kept_also(tmp_path) is None


def test_scripts_named_beside_a_recorded_run(tmp_path, monkeypatch):
    recorded(*USUAL).write(tmp_path / "run")
    (tmp_path / "infer.py").write_text(HEAD + "model.eval(create('test', True))", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["checklist", "--run", "run", "--only", "dp", "--json", "-", "infer.py"])
    items = {item["id"]: item for item in json.loads(done.output)["items"]}
    assert items["dp.02"]["conclusion"] == "problem" and "infer.py" in items["dp.02"]["summary"]


@pytest.mark.parametrize("name", ["gone.py", "folder", "notes.txt", "bad.py", "old.ipynb"])
def test_a_script_that_cannot_be_read_is_one_line_before_anything_runs(tmp_path, monkeypatch, name):
    (tmp_path / "folder").mkdir()
    for other in ("notes.txt", "bad.py", "old.ipynb"):
        (tmp_path / other).write_text("hello (", encoding="utf-8")
    (tmp_path / "train.py").write_text("open('ran', 'w')", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["run", "--also", name, "train.py"])
    assert done.exit_code == 2 and name in done.output and not (tmp_path / "ran").exists()
