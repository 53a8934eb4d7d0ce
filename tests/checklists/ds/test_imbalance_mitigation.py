"""ds.03 by pixel: what excuses a large background is the loss that was trained with, not a word in the source."""

import pytest
from building import Run, dataset

PREVAILS = {"0": 30000, "1": 300, "2": 200}
SCORE = "\ndef dice_score(p, m):\n    return 2 * (p * m).sum() / (p.sum() + m.sum())\n"
FORWARD = "\ndef forward_fn(x, y):\n    return {loss}(net(x), y)\n"
LEFT = "\nclass FocalLoss(nn.Cell):\n    def construct(self, p, y):\n        return p\n"
HELD = """
class Criterion(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Both()

    def construct(self, p, y):
        return self.inner(p, y)


class Both(nn.Cell):
    def construct(self, p, y):
        return overlap(p, y)


def overlap(p, y):
    dice = 2 * (p * y).sum() / (p.sum() + y.sum())
    return 1 - dice
"""


def pixels(source="", losses=None):
    made = dataset(label={"kind": "sequence", "counts": None})
    made["columns"][-1].update({"shape": [16, 16], "min": 0, "max": 2, "values": None, "element_values": PREVAILS})
    found = Run(datasets=[made])
    found.source["train.py"] += source
    if losses is not None:
        found.set("loss", losses)
    return found


def cell(name, line=6, builtin=False, file_class=None):
    place = {"file": "train.py", "line": line}
    return {"class": name, "builtin": builtin, "args": "", "place": place, "file_class": file_class}


@pytest.mark.parametrize(
    ("source", "losses", "conclusion"),
    [
        ("", None, "problem"),
        (SCORE, None, "problem"),  # of the evaluation
        (LEFT, None, "problem"),  # a class that nothing uses
        ("\nfrom mindspore.nn import Dice\n", None, "problem"),
        (SCORE + FORWARD.format(loss="dice_score"), None, "ok"),
        (FORWARD.format(loss="loss_fn") + "\nloss_fn = nn.CrossEntropyLoss(weight=w)\n", None, "ok"),
        (FORWARD.format(loss="loss_fn") + "\nloss_fn = nn.CrossEntropyLoss(weight=None)\n", None, "problem"),
        ("\ngrad_fn = ms.value_and_grad(lambda x, y: dice_score(net(x), y))\n" + SCORE, None, "ok"),
        (HELD, [cell("Criterion", file_class={"file": "train.py", "line": 12})], "ok"),
        (HELD, None, "problem"),
        ("", [cell("MultiClassDiceLoss", builtin=True)], "ok"),
        (LEFT, [cell("FocalLoss", file_class={"file": "train.py", "line": 12})], "ok"),
        (SCORE, [], "ok"),  # nothing of the loss was recorded: any word counts
    ],
)
def test_what_makes_up_for_the_background(verdict, source, losses, conclusion):
    entry = verdict("ds.03", pixels(source, losses))
    assert entry["conclusion"] == conclusion, entry["summary"]
