"""What the numbers that an evaluation returns are called."""

import pytest

from msprec.observe.evaluation.returned_names import name_of


def named(tmp_path, source, call="evaluate(net, data)", position=None, count=1, key=None):
    """The name of what ``evaluate`` of a script returns, called in the script's last line."""
    file = tmp_path / f"script_{abs(hash((source, call)))}.py"
    text = f"{source}\n{call}\n"
    file.write_text(text)
    code = compile(text, str(file), "exec")
    function = next(one for one in code.co_consts if hasattr(one, "co_name") and one.co_name != "helper")
    return name_of(function, (str(file), text.count("\n")), position, count, key)


PAIR = "def evaluate(net, data):\n    return total / n, right_share\n"
ACCURACY = "def accuracy(net, data):\n    return (d < 1).mean(), d[same].mean(), d[~same].mean()\n"
ERRORS = "def errors(net, data):\n    return abs(d).mean(), (d * d).mean()\n"
INNER = "def evaluate(net, data):\n    def helper():\n        return acc\n    return helper()\n"


@pytest.mark.parametrize(
    ("source", "call", "position", "count", "expected"),
    [
        ("def evaluate(net, data):\n    return total_loss / n", "evaluate(net, data)", None, 1, "total_loss"),
        ("def evaluate(net, data):\n    return correct / total", "evaluate(net, data)", None, 1, "accuracy"),
        ("def evaluate(net, data):\n    return total / n", "val_acc = evaluate(net, data)", None, 1, "val_acc"),
        ("def evaluate(net, data):\n    return total / n", "print(evaluate(net, data))", None, 1, "evaluate"),
        (PAIR, "val_loss, val_acc = evaluate(net, data)", 1, 2, "val_acc"),
        (PAIR, "result = evaluate(net, data)", 1, 2, "evaluate[1]"),
        ("def mean_iou(net, data):\n    return value", "mean_iou(net, data)", None, 1, "mean_iou"),
        (INNER, "evaluate(net, data)", None, 1, "evaluate"),
        (ACCURACY, "share, same, different = accuracy(net, data)", 0, 3, "accuracy"),
        (ACCURACY, "share, same, different = accuracy(net, data)", 1, 3, "returned[1]"),
        (ERRORS, "a, b = errors(net, data)", 0, 2, "errors"),
        (ERRORS, "a, b = errors(net, data)", 1, 2, "errors"),
    ],
)
def test_names(tmp_path, source, call, position, count, expected):
    assert named(tmp_path, source, call, position, count) == expected


def test_the_key_of_a_dictionary(tmp_path):
    source = "def evaluate(net, data):\n    return dict(zip(names, values))"
    assert named(tmp_path, source, position=0, count=2, key="bleu") == "bleu"
    assert named(tmp_path, source, position=0, count=2, key="seconds") == "evaluate[seconds]"
