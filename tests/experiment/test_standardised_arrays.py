"""Where the array of training and test data is standardised in the source."""

import pytest

from msprec.experiment.remedies.standardised_arrays import put_in
from msprec.experiment.source_edit import NoPlace, SourceFile, line_after

EDIT = '{0} = (({0} - [2.0, 3.0]) / [4.0, 5.0]).astype("float32")'
SLICED = """
import mindspore.dataset as ds
X = load()
y = X[:, 0] * 2
train = ds.NumpySlicesDataset((X[:80], y[:80]), ["x", "y"]).batch(8)
print(net(X[80:]))
"""
SPLIT = """
X, y = load()
x_train, x_test, y_train, y_test = train_test_split(X, y, test_size=0.2)
x_train = x_train.astype(np.float32)
train = ds.NumpySlicesDataset({"x": x_train, "y": y_train}).batch(8)
"""
TUPLE = """
def main():
    data = np.array(rows)
    first, second = data[:80], data[80:]
    for size in sizes:
        pass
    return ds.NumpySlicesDataset(data=(first, target), column_names=["x", "y"])
"""
LOADED = """
(x_train, y_train), (x_test, y_test) = load()
train = ds.NumpySlicesDataset((x_train, y_train), ["x", "y"])
"""
OF_THE_MODULE = """
x = load()
def pipeline(part):
    return ds.NumpySlicesDataset((x[part], y[part]), ["x", "y"])
"""
IN_A_LOOP = """
x = load()
for rows in folds:
    train = ds.NumpySlicesDataset((x[rows], y[rows]), ["x", "y"])
"""
OF_A_PARAMETER = """
def pipelines(data, target):
    train = ds.NumpySlicesDataset((data[:80], target[:80]), ["x", "y"])
    return train, data[80:]
"""
OF_A_CLASS = """
train = ds.NumpySlicesDataset(Rows(X[:80]), ["x", "y"])
"""


def edited(tmp_path, text, position=0):
    path = tmp_path / "train.py"
    path.write_text(text)
    file = SourceFile(path)
    line = next(i for i, one in enumerate(text.splitlines(), 1) if "NumpySlicesDataset" in one)
    put_in(file, line, position, "x", ([2.0, 3.0], [4.0, 5.0]))
    return file.text()


@pytest.mark.parametrize(
    ("text", "name", "in_front_of"),
    [
        (SLICED, "X", "train ="),
        (SPLIT, "X", "x_train, x_test"),
        (TUPLE, "data", "    first, second"),
        (OF_A_PARAMETER, "data", "    train ="),
    ],
    ids=["sliced", "split", "tuple", "parameter"],
)
def test_in_front_of_the_cut(tmp_path, text, name, in_front_of):
    lines = edited(tmp_path, text).splitlines()
    at = next(i for i, one in enumerate(lines) if one.startswith(in_front_of))
    assert lines[at - 1].strip() == EDIT.format(name)
    assert [one for i, one in enumerate(lines) if i != at - 1] == text.splitlines()


@pytest.mark.parametrize(
    ("text", "position"),
    [(LOADED, 0), (OF_A_CLASS, 0), (SLICED, -1), (SLICED, 2)],
    ids=["loaded", "class", "no", "two"],
)
def test_without_a_cut_of_a_named_array(tmp_path, text, position):
    with pytest.raises(NoPlace):
        edited(tmp_path, text, position)


def test_the_cut_of_an_outer_loop_is_not_known(tmp_path):
    text = "for fold in folds:\n    part = X[fold]\ntrain = ds.NumpySlicesDataset((part, y), names)\n"
    with pytest.raises(NoPlace):
        edited(tmp_path, text)


@pytest.mark.parametrize(("line", "expected"), [(1, 1), (2, 2), (3, 4), (5, 6)])
def test_a_line_after_an_edit(line, expected):
    before = "a\nb\nc\nd\ne\n"
    assert line_after(before, "a\nB\nnew\nc\nd\ne\n", line) == expected
