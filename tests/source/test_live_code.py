"""api.01 on scripts that are only read: what no start reaches is no problem, and a value is followed to where it is given."""

import pytest

from msprec.engine import conclude
from msprec.source.static_input import read_scripts

HEAD = "import argparse\nfrom mindspore import nn\n"
BRANCH = """
def norm(channels, res_base=False):
    if res_base:
        return nn.BatchNorm2d(channels, eps=1e-5, momentum=0.1)
    return nn.BatchNorm2d(channels, eps=1e-4, momentum=0.9)


class Block(nn.Cell):
    def __init__(self, channels, res_base=False):
        super().__init__()
        self.bn = norm(channels, {handed})
        self.conv = nn.Conv2d(channels, channels, 3, pad_mode="pad", padding=1, has_bias=False)

    def construct(self, x):
        return self.conv(self.bn(x))


{net}
"""
KINDS = """
class BlockBase(nn.Cell):
    def __init__(self, channels, width=4, res_base=True):
        super().__init__()
        self.bn = norm(channels, res_base)

    def construct(self, x):
        return self.bn(x)


class ResNet(nn.Cell):
    def __init__(self, block, channels, res_base=False):
        super().__init__()
        self.res_base = res_base
        self.bn = norm(channels, self.res_base)
        self.layer = self._make_layer(block, channels)

    def _make_layer(self, block, channels):
        return nn.SequentialCell([block(channels) for _ in range(2)])

    def construct(self, x):
        return self.layer(self.bn(x))


def base():
    return ResNet(Block, 8)


def old():
    return ResNet(BlockBase, 8)


"""
LAYER = """
class Layer(nn.Cell):
    def __init__(self, channels, momentum=0.9, act=None, frozen_norm=None):
        super().__init__()
        if frozen_norm is None:
            frozen_norm = nn.Identity
        else:
            self.extra = nn.BatchNorm2d(channels, momentum=0.01)
        self.bn = nn.BatchNorm2d(channels, momentum=momentum)

    def construct(self, x):
        return self.bn(x)

"""
STAGE = """
class Stage(nn.Cell):
    def __init__(self, channels, bn_momentum=0.9):
        super().__init__()
        self.layer = Layer(channels, momentum=bn_momentum)

    def construct(self, x):
        return self.layer(x)

"""


def judged(folder, code: str) -> dict:
    script = folder / "train.py"
    script.write_text(HEAD + code, encoding="utf-8")
    found = conclude(None, "en", {"api.01"}, scripts=read_scripts([script]))
    return next(entry for entry in found["items"] if entry["id"] == "api.01")


def lines(folder, entry: dict) -> list:
    texts = (folder / "train.py").read_text(encoding="utf-8").splitlines()
    return [texts[place["line"] - 1].strip() for place in entry["locations"]]


@pytest.mark.parametrize(
    ("code", "conclusion"),
    [
        # a branch whose condition every call leaves at False
        (BRANCH.format(handed="res_base", net="net = Block(8)"), "ok"),
        (BRANCH.format(handed="False", net="net = Block(8, res_base=True)"), "ok"),
        (BRANCH.format(handed="res_base", net="def unused():\n    return Block(8, True)\n\n\nnet = Block(8)"), "ok"),
        # one call takes it: directly, as a keyword of a class that is handed on, by an option of the command line
        (BRANCH.format(handed="res_base", net="nets = Block(8), Block(8, True)"), "problem"),
        (
            BRANCH.format(handed="res_base", net="def make(block):\n    return block(8, res_base=True)\n\n\nmake(Block)"),
            "problem",
        ),
        # networks of two kinds by one class: the block that is handed on brings its own default
        (BRANCH.format(handed="res_base", net=KINDS + "net = base()"), "ok"),
        (BRANCH.format(handed="res_base", net=KINDS + "net = old()"), "problem"),
        (
            BRANCH.format(
                handed="res_base",
                net="parser = argparse.ArgumentParser()\nparser.add_argument('--base', action='store_true')\n"
                "args = parser.parse_args()\nnet = Block(8, args.base)",
            ),
            "problem",
        ),
        # an argument that is always None, and one that once is not
        (LAYER + "net = Layer(8)", "ok"),
        (LAYER + "net = nn.SequentialCell(Layer(8), Layer(8, frozen_norm=None))", "ok"),
        (LAYER + "net = nn.SequentialCell(Layer(8), Layer(8, frozen_norm=nn.BatchNorm2d))", "problem"),
        # frozen statistics: at the call, by a wrapper's default, and a wrapper that is told otherwise
        ("net = nn.BatchNorm2d(8, momentum=0.1, use_batch_statistics=False)", "ok"),
        (
            "class Norm(nn.Cell):\n    def __init__(self, n, momentum=0.1, train=False):\n        super().__init__()\n"
            "        self.bn = nn.BatchNorm2d(n, momentum=momentum, use_batch_statistics=train)\n\n\nnet = Norm(8)",
            "ok",
        ),
        (
            "class Norm(nn.Cell):\n    def __init__(self, n, momentum=0.1, train=False):\n        super().__init__()\n"
            "        self.bn = nn.BatchNorm2d(n, momentum=momentum, use_batch_statistics=train)\n\n\nnet = Norm(8, train=True)",
            "problem",
        ),
        # nobody calls it; the same, called
        ("def old():\n    return nn.BatchNorm2d(8, momentum=0.1)\n\n\nnet = nn.BatchNorm2d(8)", "ok"),
        ("FAST = False\nif FAST:\n    net = nn.BatchNorm2d(8, momentum=0.1)\nelse:\n    net = nn.BatchNorm2d(8)", "ok"),
        ("def old():\n    return nn.BatchNorm2d(8, momentum=0.1)\n\n\nnet = old()", "problem"),
        (
            "def make(old=False):\n    if not old:\n        return nn.BatchNorm2d(8)\n"
            "    return nn.BatchNorm2d(8, momentum=0.1)\n\n\nnet = make()",
            "ok",
        ),
    ],
)  # fmt: skip
def test_only_what_can_happen_is_judged(tmp_path, code, conclusion):
    assert judged(tmp_path, code)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (LAYER + STAGE + "net = Stage(8, 0.1)", "net = Stage(8, 0.1)"),
        (LAYER + STAGE + "nets = [Stage(8)]\nnets.append(Stage(8, bn_momentum=0.1))", "nets.append(Stage(8, bn_momentum=0.1))"),
        (LAYER + STAGE + "MOMENTUM = 0.1\nnet = Stage(8, MOMENTUM)", "MOMENTUM = 0.1"),
    ],
)  # fmt: skip
def test_a_value_through_wrappers_is_named_where_it_is_given(tmp_path, code, line):
    entry = judged(tmp_path, code)
    assert entry["conclusion"] == "problem"
    assert lines(tmp_path, entry) == [line]


def test_what_nothing_reaches_is_a_note(tmp_path):
    entry = judged(tmp_path, BRANCH.format(handed="res_base", net="net = Block(8)"))
    titles = [piece["title"] for piece in entry["evidence"]]
    assert "The same in code that no training reaches (not judged)" in titles


def test_relative_imports_are_followed_whatever_the_folder_that_the_reading_starts_in(tmp_path, monkeypatch):
    home = tmp_path / "deep" / "work"
    (home / "zoo" / "nets").mkdir(parents=True)
    (home / "zoo" / "__init__.py").write_text("from . import nets\n", encoding="utf-8")
    (home / "zoo" / "nets" / "__init__.py").write_text("from .one import *\n", encoding="utf-8")
    (home / "zoo" / "nets" / "one.py").write_text(
        "from mindspore import nn\nnet = nn.BatchNorm2d(8, momentum=0.1)\n", encoding="utf-8"
    )
    (home / "elsewhere").mkdir()
    monkeypatch.chdir(home / "elsewhere")
    (home / "train.py").write_text("from zoo import nets\n", encoding="utf-8")
    found = conclude(None, "en", {"api.01"}, scripts=read_scripts([home / "train.py"]))
    entry = next(one for one in found["items"] if one["id"] == "api.01")
    assert [place["file"].rpartition("/")[2] for place in entry["locations"]] == ["one.py"]


BLOCKS = """
class Wide(nn.Cell):
    def __init__(self, channels, keep=0.8):
        super().__init__()
        self.drop = nn.Dropout(p=keep)

    def construct(self, x):
        return self.drop(x)


class Narrow(Wide):
    pass
"""
STACK = """
def stack(wide, depth=3):
    block = Wide if wide else Narrow
    return nn.SequentialCell([block(8{handed}) for i in range(depth)])


net = stack(True)
"""


@pytest.mark.parametrize(
    ("code", "conclusion"),
    [
        (
            BLOCKS + STACK.format(handed=", 0.2 * i / depth"),
            "ok",
        ),  # the default of a class that is called by a variable
        (BLOCKS + STACK.format(handed=", keep=0.1 * i"), "ok"),
        (BLOCKS + STACK.format(handed=""), "problem"),
        (BLOCKS + "net = Wide(8)\n", "problem"),
        (BLOCKS + STACK.format(handed=", 0.2") + "other = Wide(8)\n", "problem"),
    ],
)
def test_the_default_of_what_a_variable_calls_counts_where_nothing_is_handed_over(tmp_path, code, conclusion):
    assert judged(tmp_path, code)["conclusion"] == conclusion


RESIDUAL = """
def norm(channels, momentum=0.1, use_batch_statistics=True):
    return nn.BatchNorm2d(channels, momentum=momentum, use_batch_statistics=use_batch_statistics)


class Unit(nn.Cell):
    def __init__(self, channels, momentum=0.1, training=False):
        super().__init__()
        self.norm = norm(channels, momentum, training)


class Trunk(nn.Cell):
    def __init__(self, block):
        super().__init__()
        trained = {trained}
        self.norm = norm(8, use_batch_statistics=trained)
        self.layer = self._stage(block, 8, training=trained)

    def _stage(self, block, channels, training=False):
        return nn.SequentialCell([block(channels, training=training) for _ in range(2)])


net = Trunk(Unit)
"""


@pytest.mark.parametrize(("trained", "conclusion"), [("False", "ok"), ("True", "problem"), ("None", "problem")])
def test_statistics_frozen_through_a_method_and_a_variable_have_no_momentum(tmp_path, trained, conclusion):
    assert judged(tmp_path, RESIDUAL.format(trained=trained))["conclusion"] == conclusion


WIDE = """
def crop(picture, resize):
    return resize(picture, 0, 0, 224, 224, 1, 1, 3)


crop(None, print)
"""


@pytest.mark.parametrize(("trained", "conclusion"), [("False", "ok"), ("True", "problem")])
def test_a_call_with_more_arguments_than_a_class_takes_is_none_of_it(tmp_path, trained, conclusion):
    assert judged(tmp_path, RESIDUAL.format(trained=trained) + WIDE)["conclusion"] == conclusion


COLUMN = """
class Layer(nn.Cell):
    def __init__(self, channels, bn=False):
        super(Layer, self).__init__()
        self.bn = nn.BatchNorm2d(channels, momentum=0) if bn else None


class Columns(nn.Cell):
    def __init__(self, bn=False):
        super(Columns, self).__init__()
        self.branches = nn.CellList([Layer(8, bn=bn), Layer(16, bn=bn)])


"""


@pytest.mark.parametrize(("made", "conclusion"), [("Columns()", "ok"), ("Columns(bn=True)", "problem")])
def test_a_class_that_super_names_is_not_handed_on(tmp_path, made, conclusion):
    assert judged(tmp_path, COLUMN + f"net = {made}\n")["conclusion"] == conclusion


MODELS = """
class Old(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(8, momentum=0.1)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(8, momentum=0.9)


net = Net()
"""


@pytest.mark.parametrize(
    ("asked", "conclusion"),
    [
        ("for cell in net.cells():\n    print(isinstance(cell, (nn.Dense, Old)))\n", "ok"),
        ("old: Old = net.norm\n", "ok"),
        ("print(issubclass(type(net), Old), Old())\n", "problem"),
    ],
)
def test_a_class_that_is_only_asked_about_is_not_made(tmp_path, asked, conclusion):
    assert judged(tmp_path, MODELS + asked)["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("start", "conclusion"),
    [
        ("net.set_train(False)\nprint(net(images))", "ok"),
        ("load_checkpoint('net.ckpt', net)\nModel(net, metrics={'acc'}).eval(images)", "ok"),
        ("Model(net, loss, optimizer).train(3, images)", "problem"),
        ("print(net(images))", "problem"),  # whether it trains is not known
    ],
)
def test_a_momentum_that_only_an_evaluation_reaches_is_a_note(tmp_path, start, conclusion):
    code = (
        MODELS.replace("net = Net()", "net = Old()")
        + f"def main():\n    {start.replace(chr(10), chr(10) + '    ')}\n\n\nmain()\n"
    )
    entry = judged(tmp_path, code)
    assert entry["conclusion"] == conclusion
    if conclusion == "ok":
        assert "The same in code that no training reaches (not judged)" in [
            piece["title"] for piece in entry["evidence"]
        ]
