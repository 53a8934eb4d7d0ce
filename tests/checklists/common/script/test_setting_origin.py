"""Where the number of a setting is written, back from the call that it is given to."""

import pytest
from building import Run, run_data

from msprec.checklists.common.script.setting_origin import (
    BATCH,
    RATE,
    UNITS,
    ArgumentName,
    argument_origin,
    count_origins,
    epochs_origin,
)
from msprec.engine.run_data import place


def lines(found: list) -> list:
    return [one.line for one in found]


@pytest.fixture
def reading(tmp_path):
    def read(code: str, command=("python", "train.py")):
        made = Run(source={"train.py": code})
        made.run["command"] = list(command)
        return run_data(tmp_path, made)

    return read


@pytest.mark.parametrize(
    ("code", "line", "found"),
    [
        ("lr = 0.1\nopt = nn.SGD(ps, lr)\n", 2, [1]),
        ("opt = nn.SGD(ps, learning_rate=0.1)\n", 1, []),  # on the line of the call itself
        ("base = 0.1\nlr = 10 * base\nopt = nn.SGD(ps, lr)\n", 3, [2, 1]),
        ("lr = 0.1 / len(x)\nopt = nn.SGD(ps, lr)\n", 2, [1]),
        ("def make(ps, lr=0.1):\n    return nn.SGD(ps, lr)\n\nmake(ps)\n", 2, [1]),
        ("def make(ps, lr=0.1):\n    return nn.SGD(ps, lr)\n\nmake(ps, 3.0)\n", 2, [4]),
        ("c = SimpleNamespace(\n    lr=0.1,\n)\nopt = nn.SGD(ps, c.lr)\n", 4, [2]),
        ("c = {\n    'lr': 0.1,\n}\nopt = nn.SGD(ps, c['lr'])\n", 4, [2]),
        ("class C:\n    lr = 0.1\n\nopt = nn.SGD(ps, C.lr)\n", 4, [2]),
        ("p.add_argument('--lr', default=0.1)\na = p.parse_args()\nopt = nn.SGD(ps, a.lr)\n", 3, [1]),
        ("lr = 0.1\nlr = 0.2\nopt = nn.SGD(ps, lr)\n", 3, []),  # two ways, and which one counts is not asked
        ("lr = nn.ExponentialDecayLR(0.1, 0.6, 1)\nopt = nn.SGD(ps, lr)\n", 2, [1]),
        ("def rates():\n    return [0.1]\n\nlr = rates()\nopt = nn.SGD(ps, lr)\n", 5, [4, 2]),
        ("base = 1\nlr = [base / n for n in range(1, 9)]\nopt = nn.SGD(ps, lr)\n", 3, [2]),
        ("base = 1\nlr = np.linspace(base, 0, 9)\nopt = nn.SGD(ps, lr)\n", 3, [2]),
        ("rates = [0.1]\nfor lr in rates:\n    opt = nn.SGD(ps, lr)\n", 3, [1]),
        ("rates, names = [0.1], ['a']\nfor n, lr in zip(names, rates):\n    opt = nn.SGD(ps, lr)\n", 3, [1]),
        ("rates = [0.1]\nfor n, lr in enumerate(rates[:1]):\n    opt = nn.SGD(ps, lr)\n", 3, [1]),
        ("lr = BASE / STEPS\nopt = nn.SGD(ps, lr)\n", 2, [1]),
        ("lr = read()\nopt = nn.SGD(ps, lr)\n", 2, []),
        ("opt = nn.SGD(ps,\n             rates(3)[0])\n", 1, [2]),
        (
            "kind = (\n    'SGD', {'lr': 0.1})\nname, kw = kind\nm = Model(net, loss, getattr(nn, name)(ps, **kw))\n",
            4,
            [2],
        ),
    ],
)
def test_rates(reading, code, line, found):
    assert lines(argument_origin(reading(code), place("train.py", line), RATE, "SGD")) == found


def test_a_rate_of_the_command_line_stands_nowhere_in_the_source(reading):
    code = "p.add_argument('--lr', default=0.1)\na = p.parse_args()\nopt = nn.SGD(ps, a.lr)\n"
    run_data = reading(code, ("python", "train.py", "--lr=3"))
    assert argument_origin(run_data, place("train.py", 3), RATE, "SGD") == []


def test_the_value_of_the_run_tells_two_calls_apart(reading):
    code = "def load(x, size):\n    return x.batch(size)\n\ntrain = load(a, 1400)\ntest = load(b, 32)\n"
    run_data = reading(code)
    assert lines(argument_origin(run_data, place("train.py", 2), BATCH, "batch", 1400)) == [4]
    assert argument_origin(run_data, place("train.py", 2), BATCH, "batch") == []
    named = reading("n = 1400\nm = 32\n" + code.replace("1400", "n").replace("32", "m"))
    assert lines(argument_origin(named, place("train.py", 4), BATCH, "batch", 1400)) == [1]


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("epochs = 2\nfor t in range(epochs):\n    run()\n", [1]),
        ("for epoch in range(1, 3):\n    run()\n", [1]),
        ("model.train(\n    4, data)\n", [2]),
        ("model.fit(train_set, epoch=4)\n", [1]),
        ("net.train()\nfor i in range(9):\n    print(i)\n", []),
    ],
)
def test_epochs(reading, code, found):
    assert lines(epochs_origin(reading(code))) == found


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("n, b = 2, 16\nfor r in range(n):\n    for k in range(0, 99, b):\n        step(x[k:k + b])\n", [1]),
        ("n = 99\nfor k in range(n):\n    # of one pass\n    step(x[k])\n", []),
    ],
)
def test_a_loop_around_the_loop_of_the_steps(reading, code, found):
    assert lines(epochs_origin(reading(code), [place("train.py", 4)])) == found


@pytest.mark.parametrize(("each", "found"), [(1, [1]), (3, [3])])
def test_a_loop_around_a_call_of_an_epoch(reading, each, found):
    code = f"n = 2\nfor k in range(n):\n    model.train({each}, data)\n"
    assert lines(epochs_origin(reading(code), [place("train.py", 3)])) == found


def test_of_nested_loops_around_a_call_of_an_epoch_the_inner_one(reading):
    code = "folds = 5\nn = 2\nfor f in range(folds):\n    for k in range(n):\n        model.train(1, data)\n"
    assert lines(epochs_origin(reading(code), [place("train.py", 5)])) == [2]


@pytest.mark.parametrize("size", ["x.shape[0]", "len(x)"])
def test_a_batch_of_the_whole_set(reading, size):
    code = f"n = {size}\ndata = source.batch(n)\n"
    assert lines(argument_origin(reading(code), place("train.py", 2), BATCH, "batch")) == [1]


@pytest.mark.parametrize(
    ("code", "line", "found"),
    [
        ("code = 1\nnet = [nn.Dense(64, 48), nn.Dense(48, code)]\n", 2, [1]),  # the one of the two that has so many
        (
            "p.add_argument('--hid', default=[8, 1])\na = p.parse_args()\n"
            "def dense(i, o):\n    return nn.Dense(i, o)\n\n"
            "dims = [64] + a.hid\nnet = [dense(p, q) for p, q in zip(dims, dims[1:])]\nlast = dense(1, 10)\n",
            4,
            [1],
        ),
        ("c = {\n    'blocks': [1, 'M'],\n}\nfor b in c['blocks']:\n    net.append(nn.Dense(8, b))\n", 5, [2]),
    ],
)
def test_units(reading, code, line, found):
    assert lines(argument_origin(reading(code), place("train.py", line), UNITS, value=1)) == found


@pytest.mark.parametrize(
    ("code", "line", "found"),
    [
        (
            "def table(wide):\n    return nn.Embedding(9, 4, weight_init=Normal(wide))\n\nf = table(0.0)\n",
            2,
            [4],
        ),
        ("wide = 0.0\nlayer = nn.Dense(9, 4, weight_init=Normal(sigma=wide))\n", 2, []),  # by name: not followed
        ("layer = nn.Dense(9, 4, weight_init=Normal(0.0))\n", 1, []),
    ],
)
def test_how_wide_an_initializer_draws(reading, code, line, found):
    wanted = ArgumentName(("weight_init",), 99)
    assert lines(argument_origin(reading(code), place("train.py", line), wanted)) == found


_DEEP = """DEPTH = 12
SIZES = [8] * 9
def build(depth):
    cells = []
    for _ in range(depth - 1):
        cells.append(nn.Dense(8, 8))
    for size in SIZES:
        cells.append(nn.Dense(size, size))
    cells += [nn.ReLU() for _ in range(DEPTH)]
    cells.append(nn.Dense(8, 1))
    return nn.SequentialCell(cells)
class Net(nn.Cell):
    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
net = build(depth=DEPTH)
"""


@pytest.mark.parametrize(("line", "origin"), [(6, 1), (8, 2), (9, 1), (10, None), (15, None), (17, None)])
def test_how_often_something_is_made(tmp_path, line, origin):
    data = run_data(tmp_path, Run(source={"train.py": _DEEP}))
    assert [one.line for one in count_origins(data, [place("train.py", line)])] == ([origin] if origin else [])
