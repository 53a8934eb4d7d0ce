"""wi.02: the weights that a script keeps, read from its source."""

import types

import pytest

from msprec.checklists.common.weights import kept_weights
from msprec.source.user_code import Code

LOOP = """
best = {start}
for epoch in range(9):
    {value} = {call}(net)
    if {test}:
        best = {value}
        ms.save_checkpoint(net, "best.ckpt")
"""


def read(code):
    """`run_data` of one script."""
    return types.SimpleNamespace(source=Code({"train.py": code}), code=lambda *_: None)


@pytest.mark.parametrize(
    ("value", "call", "test", "wrong"),
    [
        ("val", "accuracy", "best is None or val < best", True),
        ("val", "accuracy", "best is None or val > best", False),
        ("val_acc", "evaluate", "val_acc < best", True),
        ("val_acc", "evaluate", "best < val_acc", False),
        ("val_loss", "evaluate", "val_loss > best", True),
        ("val_loss", "evaluate", "val_loss < best", False),
        ("fid_score", "evaluate", "fid_score < best", False),
        ("val_wer", "evaluate", "val_wer > best", True),
        ("cer", "evaluate", "cer < best", False),
        ("val", "evaluate", "val < best", False),
    ],
)
def test_comparisons(value, call, test, wrong):
    code = LOOP.format(start="None", value=value, call=call, test=test)
    found = kept_weights.kept_at_worst(read(code))
    assert (found is not None) == wrong
    if wrong:
        assert [one["line"] for one in found.locations] == [5, 7]
        assert "worst" in found.summary.render("en")


NAMED = """
class {kind}(nn.Cell):
    pass
cell = {kind}(net)
best = 0
for epoch in range(9):
    val = float(cell(x{more}))
    if val {sign} best:
        best = val
        kept = [p.asnumpy().copy() for p in net.get_parameters()]
"""


@pytest.mark.parametrize(
    ("kind", "sign", "wrong"),
    [("NodeLoss", ">", True), ("NodeLoss", "<", False), ("NodeScore", ">", False), ("Accuracy", "<", True)],
)
@pytest.mark.parametrize("more", ["", ").asnumpy("])
def test_class_that_gives_the_metric(kind, sign, wrong, more):
    code = NAMED.format(kind=kind, sign=sign, more=more)
    assert (kept_weights.kept_at_worst(read(code)) is not None) == wrong


KEEPER = """
class Keeper:
    def look(self, score):
        if score {sign} self.best:
            self.best = score
            self.state = [p.asnumpy().copy() for p in self.net.get_parameters()]
for epoch in range(9):
    keeper.look({given})
"""


@pytest.mark.parametrize(
    ("sign", "given", "wrong"),
    [
        ("<", "accuracy(net)", True),
        (">", "accuracy(net)", False),
        (">", "val_loss", True),
        ("<", "val_loss", False),
        ("<", "evaluate(net)", False),  # neither name tells
        (">", "float(errors(net, x).mean())", True),
        ("<", "float(errors(net, x).mean())", False),
        (">", "value)\nvalue = (float(errors(net).mean())", True),
        ("<", "value)\nvalue = (float(errors(net).mean())", False),
    ],
)
def test_a_metric_that_the_caller_gives(sign, given, wrong):
    assert (kept_weights.kept_at_worst(read(KEEPER.format(sign=sign, given=given))) is not None) == wrong


@pytest.mark.parametrize(
    ("test", "wrong"),
    [
        ("val_loss > best + 1e-4", True),
        ("val_loss < best - 1e-4", False),
        ("accuracy + 0.01 < best", True),
        ("accuracy > best + cfg.min_delta", False),
    ],
)
def test_a_margin(test, wrong):
    code = LOOP.format(start="None", value=test.split()[0], call="evaluate", test=test)
    assert (kept_weights.kept_at_worst(read(code)) is not None) == wrong


@pytest.mark.parametrize(("sign", "wrong"), [(">=", False), ("<", True)])
def test_weights_kept_where_the_comparison_fails(sign, wrong):
    code = f"""
for epoch in range(9):
    if val_loss {sign} best:
        waited += 1
    else:
        best = val_loss
        ms.save_checkpoint(net, "best.ckpt")
"""
    assert (kept_weights.kept_at_worst(read(code)) is not None) == wrong
