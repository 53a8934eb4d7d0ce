"""api.01 on scripts that are only read: values of the other framework, and a reference to hold them against."""

import pytest

from msprec.engine import conclude
from msprec.source.static_input import read_reference, read_scripts

HEAD = "import mindspore as ms\nfrom mindspore import mint, nn, ops\nfrom mindspore.common.initializer import HeNormal, Normal\n"
TORCH = "import torch\nimport torch.nn.functional as F\nfrom torch import nn, optim\n"


def verdict(folder, code: str, reference=None) -> dict:
    script = folder / "train.py"
    script.write_text(HEAD + code, encoding="utf-8")
    given = None
    if reference is not None:
        head = "" if "mindspore" in reference else TORCH
        (folder / "reference.py").write_text(head + reference, encoding="utf-8")
        given = read_reference(folder / "reference.py")
    found = conclude(None, "en", {"api.01"}, scripts=read_scripts([script]), reference=given)
    return next(entry for entry in found["items"] if entry["id"] == "api.01")


@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("net = nn.Dropout(0.1)", "problem"),
        ("net = nn.Dropout(keep_prob=0.2)", "problem"),
        ("net = nn.Dropout(keep_prob=0.4)", "ok"),  # as it is named, so it is meant
        ("keep = 0.1\nnet = nn.Dropout(keep_prob=keep)", "problem"),
        ("net = nn.Dropout(0.5)", "ok"),
        ("net = nn.Dropout(0.9)", "ok"),
        ("net = nn.Dropout(p=0.1)", "ok"),
        ("net = nn.Dropout(p=0.9)", "problem"),
        ("net = nn.Dropout(p=unknown())", "ok"),
        ("net = nn.Dropout(unknown())", "undecided"),
        ("net = mint.nn.Dropout(0.1)", "ok"),
        (
            "rate = 0.1\ndef block(p=rate):\n    return nn.SequentialCell(nn.Dense(3, 4), nn.Dropout(p))\nnet = block()",
            "problem",
        ),
        ("net = nn.BatchNorm2d(8, 1e-5, 0.1)", "problem"),
        ("net = nn.BatchNorm2d(8, momentum=1 - 0.1)", "ok"),
        ("net = nn.BatchNorm2d(8)", "ok"),
        ("net = mint.nn.BatchNorm2d(8, momentum=0.1)", "ok"),
        ("net = nn.SyncBatchNorm(8, momentum=0.01)", "problem"),
        ("x = ops.dropout(x, p=0.1)", "ok"),
        ("drop = ops.Dropout(keep_prob=0.1)", "problem"),
        ("keep_prob = 0.75\nx = ops.dropout(x, keep_prob)", "problem"),  # a share to keep, as the share to drop
        ("net = nn.Dropout(p=config.keep_rate)", "ok"),  # its value is not known, and names mislead
        ("keep_prob = 0.75\nx = ops.dropout(x, 1 - keep_prob)", "ok"),
        ("keep = 0.1\nx = ops.dropout(x, keep)", "ok"),
        ("keeper = 0.3\nx = ops.dropout(x, keeper)", "ok"),
        ("net = nn.Conv2d(3, 8, 3)", "ok"),
        ("# as in PyTorch\nnet = nn.Conv2d(3, 8, 3)", "undecided"),
        ("net = nn.Conv2d(3, 8, 3)\nms.load_param_into_net(net, convert('resnet.pth'))", "undecided"),
        ("net = nn.Conv2d(3, 8, 3, pad_mode='valid', has_bias=False)", "ok"),
        ("net = nn.Conv2d(3, 8, 1, has_bias=True)", "ok"),
        ("net = nn.MaxPool2d(2)", "undecided"),
        ("net = nn.MaxPool2d(2, 2)", "ok"),
        ("loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)", "undecided"),
        ("loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')", "ok"),
        ("net = nn.Dense(3, 4)\nopt = nn.Adam(net.trainable_params(), 1e-3)", "ok"),
        ("from somewhere import Net\nnet = Net()\nhead = nn.Dense(3, 4)", "undecided"),
        (
            "class Unused(nn.Cell):\n    def __init__(self):\n        self.drop = nn.Dropout(0.1)\nnet = nn.Dense(3, 4)",
            "ok",
        ),
        (
            "class Tail(nn.Cell):\n    def __init__(self, drop=0.0):\n        if drop > 0:\n"
            "            self.drop = nn.Dropout(drop)\nnet = Tail()",
            "ok",  # a share of 0 to keep would be refused
        ),
        ("class Used(nn.Cell):\n    def __init__(self):\n        self.drop = nn.Dropout(0.1)\nnet = Used()", "problem"),
    ],
)
def test_without_a_reference(code, wanted, tmp_path):
    entry = verdict(tmp_path, code)
    assert entry["conclusion"] == wanted, entry["summary"]
    assert entry["locations"] or wanted != "problem"


@pytest.mark.parametrize(
    ("code", "reference", "wanted"),
    [
        (
            "net = nn.Conv2d(3, 8, 3, pad_mode='pad', padding=1, has_bias=True)",
            "net = nn.Conv2d(3, 8, 3, padding=1)",
            "ok",
        ),
        ("net = nn.Conv2d(3, 8, 3, has_bias=True)", "net = nn.Conv2d(3, 8, 3, padding=1)", "ok"),
        (
            "net = nn.Conv2d(3, 8, 3, stride=2, has_bias=True)",
            "net = nn.Conv2d(3, 8, 3, stride=2, padding=1)",
            "problem",
        ),
        ("net = nn.Conv2d(3, 8, 3)", "net = nn.Conv2d(3, 8, 3, padding=1)", "problem"),
        (
            "net = nn.Conv2d(3, 8, 3, pad_mode='pad', padding=(1, 1, 2, 2), has_bias=True)",
            "net = nn.Conv2d(3, 8, 3, padding=(1, 2))",
            "ok",
        ),
        ("net = nn.BatchNorm2d(8, momentum=0.9)", "net = nn.BatchNorm2d(8)", "ok"),
        ("net = nn.BatchNorm2d(8, momentum=0.99)", "net = nn.BatchNorm2d(8)", "problem"),
        ("net = mint.nn.BatchNorm2d(8)", "net = nn.BatchNorm2d(8)", "ok"),
        ("net = nn.Dropout(p=0.3)", "def f(x):\n    return F.dropout(x, 0.3)\nf(1)", "ok"),
        ("net = nn.Dropout(0.7)", "net = nn.Dropout(0.3)", "ok"),
        ("net = nn.LeakyReLU()", "net = nn.LeakyReLU(0.2)", "ok"),
        ("net = nn.LeakyReLU()", "net = nn.LeakyReLU()", "problem"),
        ("net = nn.MaxPool2d(2, 2)", "net = nn.MaxPool2d(2)", "ok"),
        ("net = nn.MaxPool2d(2)", "net = nn.MaxPool2d(2)", "problem"),
        ("net = nn.GELU(approximate=True)", "net = nn.GELU(approximate='tanh')", "ok"),
        ("net = nn.Softmax()", "net = nn.Softmax(dim=1)", "undecided"),
        ("net = nn.LayerNorm((8,))", "net = nn.LayerNorm(8)", "problem"),
        ("loss = nn.SmoothL1Loss(reduction='mean')", "loss = nn.SmoothL1Loss()", "ok"),
        ("loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True)", "loss = nn.CrossEntropyLoss()", "problem"),
        ("opt = nn.Adam(p, learning_rate=1e-3)", "opt = optim.Adam(p)", "ok"),
        ("opt = nn.Adam(p, learning_rate=1e-3, weight_decay=0.01)", "opt = optim.AdamW(p)", "problem"),
        ("opt = nn.Adam(p, learning_rate=1e-3)", "opt = optim.Adam(p, lr=1e-4)", "undecided"),
        (
            "opt = nn.Adam(p, learning_rate=1e-3)\nd = nn.Dropout(p=0.1)",
            "opt = optim.Adam(p, lr=1e-4)\nd = nn.Dropout(0.3)",
            "problem",
        ),
        ("opt = nn.SGD(p)", "opt = optim.SGD(p)", "problem"),
        ("opt = nn.Adam(p, learning_rate=schedule())", "opt = optim.Adam(p, lr=0.1)", "ok"),
        (
            "opt = nn.Momentum(p, 0.1, 0.9, weight_decay=1e-4)",
            "opt = optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=1e-4)",
            "ok",
        ),
        ("opt = nn.RMSProp(p, 0.01)", "opt = optim.RMSprop(p)", "problem"),
        ("net = nn.Embedding(9, 8)", "net = nn.Embedding(9, 8)", "problem"),
        ("net = nn.Embedding(9, 8, embedding_table=Normal(1.0))", "net = nn.Embedding(9, 8)", "ok"),
        (
            "net = nn.Embedding(9, 8)\nd = nn.Dense(8, 2)",
            "net = nn.Embedding(9, 8)\nnn.init.normal_(net.weight, std=0.01)\nd = nn.Linear(8, 2)",
            "ok",
        ),
        (
            "a = nn.Conv2d(3, 8, 3, has_bias=True)\nb = nn.Conv2d(8, 8, 1, has_bias=False)",
            "b = nn.Conv2d(8, 8, 1, bias=False)\na = nn.Conv2d(3, 8, 3, padding=1)",
            "ok",
        ),
        ("a = nn.Dropout(p=0.1)\nb = nn.Dropout(p=0.1)", "a = nn.Dropout(0.1)", "ok"),
        (
            "net = nn.Dense(3, 4)",
            "import mindspore\nfrom mindspore import nn\nnet = nn.Dense(3, 4, has_bias=False)",
            "problem",
        ),
        ("net = nn.Conv2d(3, 8, 3)", "import mindspore\nfrom mindspore import nn\nnet = nn.Conv2d(3, 8, 3)", "ok"),
        ("net = nn.Dense(3, 4)", "x = 1", "undecided"),
        ("net = nn.Dropout(unknown())", "net = nn.Dropout(0.1)", "undecided"),
    ],
)
def test_against_a_reference(code, reference, wanted, tmp_path):
    entry = verdict(tmp_path, code, reference)
    assert entry["conclusion"] == wanted, entry["summary"]
    assert entry["locations"] or wanted != "problem"
