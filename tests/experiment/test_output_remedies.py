"""What the remedies between the network's output and the loss edit, in the styles that scripts are written in."""

import json
import textwrap

import pytest
from small_run import line_of, write_run

from msprec.experiment.case import Case
from msprec.experiment.plan import make_plan
from msprec.experiment.source_edit import Project

_CELL = """
    import mindspore as ms
    from mindspore import nn, ops

    class Body(nn.Cell):
        def __init__(self):
            super().__init__()
            {made}

        def construct(self, x):
            {returned}

    net = Body()
    {loss}
"""
_REACHED = {"kind": "softmax_cross_entropy"}
_BEYOND = {"kind": "mse", "targets": {"below": 3, "above": 0}}
_SHARES = {"kind": "bce"}
_SIGMOID = {"operator": "Sigmoid", "name": "sigmoid"}
_SOFTMAX = {"operator": "Softmax", "name": "softmax"}


def after(folder, remedy: str, script: str, probes: dict, network: dict, place: int) -> list:
    """The lines of the script that an edit made or changed; None where it is not planned."""
    script = textwrap.dedent(script)
    run = write_run(folder, ("cg.04",), script)
    (run / "facts" / "probes.json").write_text(json.dumps(probes))
    (run / "facts" / "network.json").write_text(json.dumps({"networks": [{"role": "train", **network}]}))
    items = [
        {"id": "cg.04", "summary": "", "conclusion": "problem", "locations": [{"file": "train.py", "line": place}]}
    ]
    (run / "checklist.json").write_text(json.dumps({"items": items}))
    case = Case(run)
    found = [one for one in make_plan(case).remedies if one.id == remedy]
    if not found:
        return None
    project = Project(case)
    found[0].edit(project)
    changed = [text for _, text in project.changed().values()]
    compile(changed[0], "train.py", "exec")
    return [line.strip() for line in changed[0].splitlines() if line not in script.splitlines()]


def activation(
    folder,
    script: str,
    loss: dict,
    used: str,
    made=None,
    operator=None,
    cell=None,
    network=None,
    remedy="output_activation",
):
    """What a remedy makes of a script whose output is limited at the line that holds ``used``."""
    script = textwrap.dedent(script)
    output = {"plain": True, "low": 0.0, "high": 1.0, "linear": False, **(operator or _SIGMOID)}
    output["place"] = {"file": "train.py", "line": line_of(script, used)}
    output["created"] = made and {"file": "train.py", "line": line_of(script, made)}
    entry = {"output": output, "predicted": {"source": {"cell": cell}}, "targets": {}, **loss}
    return after(folder, remedy, script, {"losses": [entry]}, network or {}, output["place"]["line"])


@pytest.mark.parametrize(
    ("made", "returned", "loss", "operator", "expected"),
    [
        ("self.act = nn.Sigmoid()", "return self.act(self.fc(x))", _REACHED, _SIGMOID, ["return self.fc(x)"]),
        ("self.act = nn.Sigmoid()", "return self.act(x + 1).squeeze(-1)", _BEYOND, _SIGMOID, ["return (x + 1).squeeze(-1)"]),
        ("self.act = nn.Sigmoid()", "return self.act(self.b(self.act(x)))", _BEYOND, _SIGMOID, ["return self.b(self.act(x))"]),
        ("self.act = nn.Softmax(axis=1)", "return self.act(x)", _SHARES, _SOFTMAX, ["self.act = nn.Sigmoid()"]),
        ('self.fc = nn.Dense(4, 3, activation="sigmoid")', "return self.fc(x)", _REACHED, _SIGMOID, ["self.fc = nn.Dense(4, 3)"]),
        ("self.net = nn.SequentialCell(nn.Dense(4, 3), nn.Sigmoid())", "return self.net(x)", _REACHED, _SIGMOID,
         ["self.net = nn.SequentialCell(nn.Dense(4, 3))"]),
        ("self.net = nn.SequentialCell([nn.Dense(4, 3), nn.Softmax()])", "return self.net(x)", _SHARES, _SOFTMAX,
         ["self.net = nn.SequentialCell([nn.Dense(4, 3), nn.Sigmoid()])"]),
    ],
)  # fmt: skip
def test_an_activation_that_is_a_cell(tmp_path, made, returned, loss, operator, expected):
    script = _CELL.format(made=made, returned=returned, loss="loss_fn = nn.MSELoss()")
    assert activation(tmp_path, script, loss, returned, made, operator) == expected


@pytest.mark.parametrize(
    ("returned", "loss", "expected"),
    [
        ("return ops.sigmoid(self.fc(x))", _REACHED, ["return self.fc(x)"]),
        ("return self.fc(x).sigmoid()", _BEYOND, ["return self.fc(x)"]),
        ("return ops.sigmoid(self.b(ops.sigmoid(self.a(x))))", _BEYOND, ["return self.b(ops.sigmoid(self.a(x)))"]),
    ],
)
def test_an_activation_that_is_a_function(tmp_path, returned, loss, expected):
    script = _CELL.format(made="pass", returned=returned, loss="")
    assert activation(tmp_path, script, loss, returned) == expected


_RATINGS = {"kind": "mse", "targets": {"below": 0, "above": 9, "min": 1.0, "max": 5.0}}


@pytest.mark.parametrize(
    ("made", "returned", "loss", "operator", "expected"),
    [
        ("self.act = nn.Sigmoid()", "return self.act(self.fc(x)).squeeze(-1)", _RATINGS, _SIGMOID,
         ["return (1 + 4 * self.act(self.fc(x))).squeeze(-1)"]),
        ("pass", "return ops.tanh(self.fc(x))", _RATINGS, {"operator": "tanh", "name": "tanh", "low": -1.0},
         ["return (3 + 2 * ops.tanh(self.fc(x)))"]),
        ("pass", "return ops.relu(self.fc(x))", _RATINGS, {"operator": "relu", "name": "relu", "high": None}, None),
        ("pass", "return ops.sigmoid(self.fc(x))", _REACHED, _SIGMOID, None),
    ],
)  # fmt: skip
def test_an_output_stretched_to_the_targets(tmp_path, made, returned, loss, operator, expected):
    script = _CELL.format(made=made, returned=returned, loss="")
    held = made if "nn." in made else None
    assert activation(tmp_path, script, loss, returned, held, operator, remedy="output_range") == expected


def test_a_statement_that_would_assign_a_name_to_itself_is_dropped(tmp_path):
    script = _CELL.format(made="pass", returned="x = ops.sigmoid(x)\n            return x", loss="")
    assert activation(tmp_path, script, _BEYOND, "x = ops.sigmoid(x)") == []


def test_the_last_of_a_list_of_cells_that_a_loop_made(tmp_path):
    script = """
        from mindspore import nn
        layers = []
        for _ in range(3):
            layers.append(nn.Dense(4, 4))
            layers.append(nn.Sigmoid())
        net = nn.SequentialCell(layers)
    """
    top = {"path": "", "class": "SequentialCell", "created": {"file": "train.py", "line": 7}}
    network = {"cells": [top, *({"path": str(number), "class": "x"} for number in range(6))]}
    given = {"used": "nn.Sigmoid", "made": "nn.Sigmoid", "network": network}
    assert activation(tmp_path / "last", script, _REACHED, cell="5", **given) == [
        "net = nn.SequentialCell(layers[:-1])"
    ]
    assert activation(tmp_path / "inner", script, _REACHED, cell="3", **given) is None


@pytest.mark.parametrize(
    ("loss", "output"),
    [
        ({"kind": "mse", "targets": {"below": 0, "above": 0}}, {}),  # the targets lie inside
        (_SHARES, {}),  # a sigmoid is what it wants
        ({"kind": None}, {}),  # an own loss
        (_REACHED, {"plain": False}),  # 1 + 4 * sigmoid(x)
        (_REACHED, {"low": None, "high": None}),
    ],
)
def test_an_output_that_is_not_known_to_be_wrong_stays(tmp_path, loss, output):
    script = _CELL.format(made="pass", returned="return ops.sigmoid(self.fc(x))", loss="")
    assert activation(tmp_path, script, loss, "ops.sigmoid", operator={**_SIGMOID, **output}) is None


@pytest.mark.parametrize(
    ("line", "name", "expected"),
    [
        ("loss_fn = nn.NLLLoss()", "NLLLoss", ["loss_fn = nn.CrossEntropyLoss()"]),
        ('loss_fn = nn.BCELoss(reduction="mean")', "BCELoss", ['loss_fn = nn.BCEWithLogitsLoss(reduction="mean")']),
        ("loss_fn = nn.BCELoss(None)", "BCELoss", None),  # the arguments of the other one stand in another order
        ("loss_fn = nn.MSELoss()", "MSELoss", None),
    ],
)
def test_a_loss_that_is_given_logits(tmp_path, line, name, expected):
    script = _CELL.format(made="pass", returned="return self.fc(x)", loss=line)
    place = {"file": "train.py", "line": line_of(textwrap.dedent(script), line)}
    probes = {"losses": [{"name": name, "place": place, "output": {"linear": True}}]}
    assert after(tmp_path, "loss_form", script, probes, {}, place["line"]) == expected


@pytest.mark.parametrize(
    ("made", "returned", "operator", "expected"),
    [
        ("self.softmax = nn.Softmax(axis=0)", "p = self.softmax(x)", "Softmax", ["self.softmax = nn.Softmax(axis=1)"]),
        ("pass", "p = ops.softmax(x, 0)", "softmax", ["p = ops.softmax(x, 1)"]),
        ("pass", "p = ops.log_softmax(x)", "log_softmax", ["p = ops.log_softmax(x, axis=1)"]),
    ],
)
def test_a_softmax_along_the_classes(tmp_path, made, returned, operator, expected):
    script = _CELL.format(made=made, returned=returned, loss="")
    place = {"file": "train.py", "line": line_of(textwrap.dedent(script), returned)}
    entry = {"operator": operator, "place": place, "shape": [40, 10], "axes": [0]}
    assert after(tmp_path, "loss_form", script, {"softmax_axes": [entry]}, {}, place["line"]) == expected


@pytest.mark.parametrize(
    ("shapes", "loss", "at", "expected"),
    [
        ([[32, 1], [32]], "loss_fn = nn.MSELoss()", "loss_fn", ["return self.fc(x).squeeze(-1)"]),
        ([[32], [32, 1]], "loss_fn = nn.MSELoss()", "loss_fn", ["return self.fc(x).expand_dims(-1)"]),
        (
            [[32, 1], [32]],
            "f = lambda x, y: loss_fn(net(x), y)",
            "f =",
            ["f = lambda x, y: loss_fn(net(x).squeeze(-1), y)"],
        ),
        ([[32, 3], [32]], "loss_fn = nn.MSELoss()", "loss_fn", None),
    ],
)
def test_the_output_in_the_shape_of_the_targets(tmp_path, shapes, loss, at, expected):
    script = _CELL.format(made="pass", returned="return self.fc(x)", loss=loss)
    text = textwrap.dedent(script)
    place = {"file": "train.py", "line": line_of(text, at)}
    output = {"place": {"file": "train.py", "line": line_of(text, "return self.fc")}, "linear": True}
    broadcast = {"operator": "MSELoss", "place": place, "shapes": shapes, "label": 1}
    probes = {"losses": [{"kind": "mse", "output": output}], "broadcasts": [broadcast]}
    assert after(tmp_path, "output_shape", script, probes, {}, place["line"]) == expected
