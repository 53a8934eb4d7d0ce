"""Inputs that a division of whole numbers has left with next to nothing (dp.01)."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.dp.normalization import floored

BINARY = {"min": 0.0, "max": 1.0, "mean": 0.2, "std": 0.4}
SPREAD = {"min": 0.0, "max": 1.0, "mean": 0.3, "std": 0.37}
CONSTANT = {"min": -3.0, "max": 3.0, "mean": 0.0, "std": 0.8, "channels": {"std": [0.0, 0.0, 1.0]}}


@pytest.mark.parametrize(
    ("facts", "made", "well", "found"),
    [
        (BINARY, "images // 16", False, True),
        (CONSTANT, "np.sin(2 * np.pi * (hour // 24))", False, True),
        (BINARY, "images // 16", True, False),
        (SPREAD, "images // 16", False, False),
        (BINARY, "images / 16", False, False),
        (BINARY, "images[len(images) // 2:]", False, False),
        (BINARY, "images[rows // 2]", False, False),
        (BINARY, "scaler.transform(raw).astype(int)", False, True),
        (BINARY, "flags.astype(int)", False, False),  # they were whole before
        (BINARY, "np.round(raw / 255).astype(int)", False, False),  # on purpose
        (BINARY, "(raw / 255 > 0.5).astype(np.int32)", False, False),
        (CONSTANT, "table.astype(np.float16)", False, True),
        (CONSTANT, "table.astype(np.float32)", False, False),
    ],
)
def test_what_is_left(tmp_path, monkeypatch, facts, made, well, found):
    monkeypatch.setattr(floored, "learnt_well", lambda _: well)
    data = dataset([column("x", shape=[3], **facts)])
    data["pipeline"] = [{"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 2}}]
    code = f"x = {made}\nds = NumpySlicesDataset((x, y))\n"
    made_of = run_data(tmp_path, Run(source={"train.py": code}, datasets=[data]))
    told = floored.floored_inputs(made_of, made_of.datasets[0])
    assert ([one["line"] for one in told.locations] if told else None) == ([1] if found else None)


@pytest.mark.parametrize(
    ("kind", "made", "found"),
    [
        ("regression", "(digits.data / 16.0).astype(np.int32)", True),
        ("regression", "(digits.data / 16.0).round().astype(np.int32)", False),
        ("class", "(digits.data / 16.0).astype(np.int32)", False),  # learnt all the same
    ],
)
def test_what_gives_its_inputs_back(tmp_path, monkeypatch, kind, made, found):
    monkeypatch.setattr(floored, "learnt_well", lambda _: True)
    data = dataset([column("x", shape=[3], **BINARY)], label={"column": "label", "kind": kind})
    data["pipeline"] = [{"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 2}}]
    code = f"x = {made}\nds = NumpySlicesDataset((x, x))\n"
    made_of = run_data(tmp_path, Run(source={"train.py": code}, datasets=[data]))
    assert (floored.floored_inputs(made_of, made_of.datasets[0]) is not None) is found


@pytest.mark.parametrize(("code", "found"), [("discriminator = Critic()\n", True), ("", False)])
def test_what_a_network_is_to_imitate(tmp_path, monkeypatch, code, found):
    """Pictures that enter a discriminator, not the network that is trained with the noise beside them."""
    monkeypatch.setattr(floored, "learnt_well", lambda _: False)
    monkeypatch.setattr(floored, "entering", lambda _, columns: [])
    data = dataset([column("x", shape=[3], **CONSTANT)])
    data["pipeline"] = [{"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 2}}]
    source = {"train.py": f"x = pixels // 8 - 1\nds = NumpySlicesDataset((x, z))\n{code}"}
    made_of = run_data(tmp_path, Run(source=source, datasets=[data]))
    assert (floored.floored_inputs(made_of, made_of.datasets[0]) is not None) is found


HELPER = """def to_tensors(x, y):
    return ms.Tensor(x.astype({kind})), ms.Tensor(y)
def load():
    a = {made}
    return to_tensors(a, labels)
x, y = load()
for start in range(0, 300, 30):
    step(x[start : start + 30], y[start : start + 30])
"""


@pytest.mark.parametrize(
    ("made", "kind", "line"),
    [
        ("scaler.fit_transform(raw)", "np.int32", 2),
        ("scaler.fit_transform(raw)", "np.float32", None),
        ("tokens.reshape(-1, 3)", "np.int32", None),  # never scaled
        ("scaler.fit_transform(raw)", "np.float32), ms.Tensor(y.astype(np.int32)", None),  # the labels are cast
    ],
)
def test_what_a_helper_casts(tmp_path, monkeypatch, made, kind, line):
    monkeypatch.setattr(floored, "learnt_well", lambda _: False)
    values = {"min": 0.0, "max": 1.0, "mean": 0.0016, "std": 0.03952}
    data = dataset([column("input_0", shape=[3], kind="int", **values), column("input_1", shape=[1])])
    data["pipeline"] = [{"op": "arguments of the training step", "args": {}, "place": {"file": "train.py", "line": 8}}]
    code = HELPER.format(made=made, kind=kind)
    made_of = run_data(tmp_path, Run(source={"train.py": code}, datasets=[data]))
    told = floored.floored_inputs(made_of, made_of.datasets[0])
    assert (told.locations[0]["line"] if told else None) == line


CUT = {"min": -2.0, "max": 2.0, "mean": 0.01, "std": 0.9}
_SCALER = "class Scaler:\n    def __call__(self, a):\n        return (a - self.m) / self.s\ns = Scaler()\n"


@pytest.mark.parametrize(
    ("facts", "levels", "made", "line"),
    [
        (CUT, 5, "((raw - m) / d).astype(np.int32)", 5),
        (CUT, 5, "s(raw).astype(int)", 5),
        (CUT, 5, "scaler.fit_transform(raw).astype('int64')", 5),
        (CUT, 900, "((raw - m) / d).astype(np.int32)", None),  # the cast is another's
        (CUT, 5, "boards.astype(np.int32)", None),
        (CUT, 5, "((raw - m) / d).astype(np.float32)", None),
        (CUT, None, "((raw - m) / d).astype(np.int32)", None),
        ({**CUT, "min": 0.0, "mean": 1.0}, 3, "(pixels / 100).astype(np.int32)", None),  # counts
    ],
)
def test_what_a_cast_cuts(tmp_path, facts, levels, made, line):
    seen = None if levels is None else {"features": 3, "levels": levels, "neighbours": 0.0, "apart": 0.0}
    data = dataset([column("x", shape=[3], between_features=seen, **facts)])
    data["pipeline"] = [{"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 6}}]
    code = f"{_SCALER}x = {made}\nds = NumpySlicesDataset((x.astype(np.float32), y))\n"
    made_of = run_data(tmp_path, Run(source={"train.py": code}, datasets=[data]))
    told = floored.cut_inputs(made_of, made_of.datasets[0])
    assert (told.locations[0]["line"] if told else None) == line
