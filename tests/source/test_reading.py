"""Files, names, constants, arguments: what `msprec.source` makes of real-looking projects."""

import ast
from pathlib import Path

import pytest

from msprec.source import UNKNOWN, Project, collect
from msprec.source.files import LARGEST, File
from msprec.source.names import public_name
from msprec.source.project import module_name
from msprec.source.signatures import arguments
from msprec.source.values import Record, Values


def project(**files) -> Project:
    """A project of texts: ``models__net="…"`` is models/net.py."""
    found = []
    for name, text in files.items():
        path = name.replace("__init__", "INIT").replace("__", "/").replace("INIT", "__init__")
        found.append(File(path.replace("_yaml", ".yaml") if path.endswith("_yaml") else f"{path}.py", None, text))
    return Project(found)


def value(found: Project, expression: str, module: str = "train"):
    """The value of an expression at the end of a module."""
    scope = found.modules[module].scope
    return Values(found).of(ast.parse(expression, mode="eval").body, scope)


def qualified(found: Project, expression: str, module: str = "train"):
    return found.qualified(ast.parse(expression, mode="eval").body, found.modules[module].scope)


# --- files


def test_what_cannot_be_read_is_passed_over_with_its_reason(tmp_path):
    (tmp_path / "good.py").write_text("import mindspore\n")
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / "old.py").write_text("print 'hello'\n")
    (tmp_path / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\nname = '\xe9'\n")
    (tmp_path / "bytes.py").write_bytes(b"name = '\xff\xfe'\n")
    (tmp_path / "nul.py").write_bytes(b"x = 1\0\n")
    (tmp_path / "notes.ipynb").write_text("{}")
    (tmp_path / "huge.py").write_text("x = 1\n" * (LARGEST // 6 + 1))
    (tmp_path / "deep.py").write_text("x = " + "(" * 5000 + ")" * 5000 + "\n")
    (tmp_path / ".hidden.py").write_text("x = 1\n")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "cached.py").write_text("x = 1\n")
    files, passed = collect([tmp_path], base=tmp_path)
    found = Project(files, passed)
    assert sorted(found.modules) == ["good", "latin"]
    why = {entry.name: entry.why for entry in found.passed}
    assert why.pop("deep.py") in ("deep", "syntax")
    assert why == {
        "broken.py": "syntax",
        "old.py": "python2",
        "bytes.py": "unreadable",
        "nul.py": "syntax",
        "notes.ipynb": "notebook",
        "huge.py": "large",
    }


def test_a_link_that_loops_does_no_harm(tmp_path):
    (tmp_path / "train.py").write_text("x = 1\n")
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    files, passed = collect([tmp_path, tmp_path / "train.py", tmp_path / "missing"], base=tmp_path)
    assert [file.name for file in files] == ["train.py"]
    assert {entry.why for entry in passed} == {"unreadable", "missing"}


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("train.py", ("train", False)),
        ("models/net.py", ("models.net", False)),
        ("models/__init__.py", ("models", True)),
        ("/home/u/p/a.py", ("home.u.p.a", False)),
        ("../other/a.b.py", ("_up.other.a_b", False)),
    ],
)
def test_names_of_modules(file, name):
    assert module_name(file) == name


def test_the_modules_beside_a_script_are_read_too(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "__init__.py").write_text("from .net import Net\n")
    (tmp_path / "models" / "net.py").write_text("from mindspore import nn\nclass Net(nn.Cell):\n    pass\n")
    (tmp_path / "train.py").write_text("from models import Net\nimport somewhere\nnet = Net()\n")
    files, passed = collect([tmp_path / "train.py"], base=tmp_path)
    found = Project(files, passed)
    assert qualified(found, "Net") == "models.net.Net"
    assert [dotted for _, _, dotted in found.unresolved_imports()] == ["somewhere"]
    assert found.bases(found.definition("models.net.Net")) == ["mindspore.nn.Cell"]


# --- names


@pytest.mark.parametrize(
    ("imports", "expression", "wanted"),
    [
        ("import mindspore.nn as nn", "nn.Conv2d", "mindspore.nn.Conv2d"),
        ("import mindspore as ms", "ms.nn.Dense", "mindspore.nn.Dense"),
        ("from mindspore.nn.layer.conv import Conv2d as C", "C", "mindspore.nn.Conv2d"),
        ("from mindspore.ops import operations as P", "P.Cast", "mindspore.ops.Cast"),
        ("import mindspore.ops.functional as F", "F.depend", "mindspore.ops.depend"),
        ("from mindspore.nn import *", "Dropout", "mindspore.nn.Dropout"),
        ("from mindspore import nn\nlayers = nn\nMake = layers.Dense", "Make", "mindspore.nn.Dense"),
        (
            "try:\n    import missing.nn as nn\nexcept ImportError:\n    import mindspore.nn as nn",
            "len",
            "builtins.len",
        ),
        (
            "from mindspore.train.loss_scale_manager import DynamicLossScaleManager",
            "DynamicLossScaleManager",
            "mindspore.amp.DynamicLossScaleManager",
        ),
        ("from mindspore import value_and_grad", "value_and_grad", "mindspore.value_and_grad"),
        ("import torch.nn.functional as F", "F.dropout", "torch.nn.functional.dropout"),
        ("from helper import Layer", "Layer", "mindspore.nn.Dense"),
        ("import helper as h", "h.inner.make", "helper.inner.make"),
        ("x = y\ny = x", "x", None),
        ("", "unknown", None),
    ],
)
def test_qualified_names(imports, expression, wanted):
    found = project(
        train=imports, helper="from mindspore.nn import Dense as Layer\nclass inner:\n    def make(self): pass\n"
    )
    assert qualified(found, expression) == wanted


def test_relative_imports_and_reexports():
    found = project(
        pkg____init__="from .layers import Block\nfrom . import tools",
        pkg__layers="from ..base import Root\nclass Block(Root): pass",
        pkg__tools="def run(): pass",
        base="from mindspore import nn\nclass Root(nn.Cell):\n    def go(self): pass",
        train="import pkg\nfrom pkg.tools import run as start",
    )
    assert qualified(found, "pkg.Block") == "pkg.layers.Block"
    assert qualified(found, "start") == "pkg.tools.run"
    block = found.definition("pkg.layers.Block")
    assert found.bases(block) == ["base.Root", "mindspore.nn.Cell"]
    assert found.method(block, "go").qualified == "base.Root.go"


def test_public_names_are_stable():
    for name in ("mindspore.nn.Conv2d", "numpy.array", "torch.nn.Linear", "mindspore.amp.auto_mixed_precision"):
        assert public_name(name) == name


# --- constants

SETTINGS = """
import argparse, math, os
from dataclasses import dataclass, field
import yaml
from easydict import EasyDict as edict
WIDTH = 16
DEPTH = WIDTH * 2 + 1
TWICE = 1
TWICE = 2
pair = (1, 2)
first, second = pair
a, (b, c) = 1, (2, 3)
@dataclass
class Config:
    rate: float = 0.1
    drop: float = field(default=0.3)
    names: list = field(default_factory=list)
class Plain:
    momentum = 0.1
    def __init__(self, width=8):
        self.width = width
        self.eps = 1e-5
config = Config(rate=0.5)
plain = Plain()
cfg = edict({"lr": 0.01, "inner": {"p": 0.2}})
table = {"k": 3, "open": unknown()}
parser = argparse.ArgumentParser()
group = parser.add_argument_group("training")
group.add_argument("-d", "--drop-rate", type=float, default=0.1)
parser.add_argument("--scale", default="1024", type=float)
parser.add_argument("--half", action="store_true")
parser.add_argument("data")
parser.set_defaults(extra=4)
args = parser.parse_args()
args.changed = 3
settings = yaml.safe_load(open(os.path.join(os.path.dirname(__file__), "settings.yaml")))
def get_config(): return edict(lr=0.2)
def double(x, factor=2): return x
half = 0.5 if WIDTH == 16 else 0.25
text = f"{WIDTH}"
"""


@pytest.mark.parametrize(
    ("expression", "wanted"),
    [
        ("DEPTH", 33),
        ("TWICE", UNKNOWN),
        ("first", 1),
        ("c", 3),
        ("config.rate", 0.5),
        ("config.drop", 0.3),
        ("config.names", UNKNOWN),
        ("Config.rate", 0.1),
        ("plain.momentum", 0.1),
        ("plain.eps", 1e-5),
        ("plain.width", 8),
        ("Plain.momentum", 0.1),
        ("cfg.lr", 0.01),
        ("cfg.inner.p", 0.2),
        ("cfg['lr']", 0.01),
        ("table['k']", 3),
        ("table['open']", UNKNOWN),
        ("table.get('k', 1)", 3),
        ("args.drop_rate", 0.1),
        ("args.scale", 1024.0),
        ("args.half", False),
        ("args.data", None),
        ("args.extra", 4),
        ("settings['train']['momentum']", 0.9),
        ("get_config().lr", 0.2),
        ("half", 0.5),
        ("text", UNKNOWN),
        ("double(3)", UNKNOWN),
        ("1 - config.drop", 0.7),
        ("-WIDTH", -16),
        ("2 ** 16", 65536),
        ("2 ** 99999999", UNKNOWN),
        ("1 / 0", UNKNOWN),
        ("float('0.25')", 0.25),
        ("int(3.7)", 3),
        ("WIDTH > 3 and not args.half", True),
        ("math.pi", 3.141592653589793),
        ("[1, WIDTH]", [1, 16]),
        ("undefined", UNKNOWN),
        ("unknown() or 3", UNKNOWN),
    ],
)
def test_constants(expression, wanted):
    found = project(train=SETTINGS, settings_yaml="train:\n  momentum: 0.9\n  drop: [1, 2]\n")
    result = value(found, expression)
    if wanted is UNKNOWN:
        assert result is UNKNOWN
    else:
        assert result == pytest.approx(wanted) if isinstance(wanted, float) else result == wanted


def test_the_command_outranks_the_defaults():
    found = project(train=SETTINGS)
    values = Values(found, ["set", "--drop-rate=0.4", "--half", "--scale", "8"])
    scope = found.modules["train"].scope
    read = {
        name: values.of(ast.parse(f"args.{name}", mode="eval").body, scope)
        for name in ("drop_rate", "half", "scale", "extra")
    }
    assert read == {"drop_rate": 0.4, "half": True, "scale": 8.0, "extra": 4}


def test_a_parameter_has_the_value_of_its_calls():
    found = project(train="def make(p=0.5, q=1):\n    return p, q\nmake(0.1)\nmake(p=0.1, q=2)\n")
    scope = found.definition("train.make")
    values = Values(found)
    assert values.of(ast.Name(id="p", ctx=ast.Load()), scope) == 0.1
    assert values.of(ast.Name(id="q", ctx=ast.Load()), scope) is UNKNOWN


def test_a_broken_settings_file_is_unknown():
    found = project(train="import yaml\ns = yaml.safe_load(open('settings.yaml'))", settings_yaml="a: [1, 2\n")
    assert value(found, "s") is UNKNOWN
    assert isinstance(value(project(train="d = dict(a=1)"), "d"), Record)


# --- arguments


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        ("nn.Conv2d(3, 16, 3)", {"has_bias": (False, False), "pad_mode": ("same", False), "kernel_size": (3, True)}),
        ("nn.Dropout(0.1)", {"keep_prob": (0.1, True), "p": (None, False)}),
        ("nn.Dropout(p=rate)", {"keep_prob": (0.5, False), "p": (0.3, True)}),
        ("nn.BatchNorm2d(16, 0.001, 0.1)", {"eps": (1e-3, True), "momentum": (0.1, True)}),
        ("Conv(3, 16, 3)", {"has_bias": (True, True), "stride": (2, True)}),
        ("nn.Conv2d(*sizes)", {"in_channels": (UNKNOWN, False), "has_bias": (UNKNOWN, False)}),
        ("nn.Conv2d(3, 16, 3, **options)", {"has_bias": (True, True), "pad_mode": (UNKNOWN, False)}),
        ("mint.nn.BatchNorm2d(16)", {"momentum": (0.1, False)}),
    ],
)
def test_effective_arguments(call, wanted):
    found = project(
        train="from functools import partial\nfrom mindspore import mint, nn\nrate = 0.3\n"
        f"options = dict(has_bias=True)\nConv = partial(nn.Conv2d, has_bias=True, stride=2)\n"
        f"{call}\n"
    )
    made = next(entry for entry in found.calls() if ast.unparse(entry.node) == call)
    effective = arguments(found, Values(found), found.callee(made.node, made.scope), made.node, made.scope)
    for name, (expected, given) in wanted.items():
        assert (effective[name].value is UNKNOWN) == (expected is UNKNOWN)
        assert expected is UNKNOWN or effective[name].value == expected
        assert effective[name].given == given


def test_nothing_is_imported(tmp_path):
    import subprocess
    import sys

    (tmp_path / "train.py").write_text("raise SystemExit('ran')\n")
    code = (
        "import sys\nfrom msprec.cli import main\n"
        f"try: main(['checklist', {str(tmp_path / 'train.py')!r}])\nexcept SystemExit as stop: assert not stop.code\n"
        "print('IMPORTED', sorted({'mindspore', 'torch'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "IMPORTED []" in done.stdout
    assert not Path(tmp_path / "msprec_runs").exists()
