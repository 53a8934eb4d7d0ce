"""Which variables and printed expressions hold scores, by the source alone."""

import ast

import pytest

from msprec.observe.evaluation.assigned_names import scores_after, value_of
from msprec.observe.evaluation.returned_metrics import number_of


def scores(tmp_path, text, line):
    file = tmp_path / f"script{abs(hash(text))}.py"
    file.write_text(text, encoding="utf-8")
    return {one.name: ast.unparse(one.expression) for one in scores_after(str(file), 1, "<module>", line)}


@pytest.mark.parametrize(
    ("after", "found"),
    [
        ("acc = (out == y).mean()", {"acc": "acc"}),
        ("avg_loss = total / 10", {}),  # of the training: not computed of the output
        ("hit = (out == y).sum()\nprint('acc', hit / 8)", {"acc": "hit / 8"}),
        ("hit = (out == y).sum()\nprint(f'epoch {e} test acc: {hit / 8:.3f} loss {loss}')", {"acc": "hit / 8"}),
        ("v = out.mean()\nprint('train acc', v / 2)", {}),
        ("train_acc = out.mean()", {}),
        ("val_loss = 0\nval_loss += out", {}),  # it still grows
        ("val_loss = 0\nval_loss += out\nval_loss /= 4", {"val_loss": "val_loss"}),
        ("rows = []\nrows.append(out)\nprint('val mse', np.mean(rows))", {"mse": "np.mean(rows)"}),
        ("acc = out.mean()\nprint('acc', acc)", {"acc": "acc"}),
        ("shift = out + 1", {}),
    ],
)
def test_scores(tmp_path, after, found):
    assert scores(tmp_path, f"out = net(x)\n{after}\n", 1) == found


def test_only_what_comes_later(tmp_path):
    text = "acc = train(out)\nfor e in r:\n    for b in d:\n        right += hits(net(b))\n    accuracy = right / n\n"
    assert scores(tmp_path, text, 4) == {"accuracy": "accuracy"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a / n", 0.75),
        ("round(100 * a / n, 2)", 75.0),
        ("-a", -3.0),
        ("np.mean(rows)", 2.0),
        ("sum(rows) / len(rows)", 2.0),
        ("a / zero", None),
        ("open('x')", None),
        ("net(x)", None),
        ("unknown", None),
        ("rows", None),
        ("float(a)", 3.0),
    ],
)
def test_values(text, value):
    names = {"a": 3, "n": 4, "rows": [1.0, 3.0], "zero": 0}
    assert value_of(ast.parse(text, mode="eval").body, names, number_of) == value
