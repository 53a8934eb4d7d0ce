"""Where arrays come from, and arrays that a shuffle parts from their labels, as the code tells (ds.02, dp.01)."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.common.script.array_origin import argument_origins, array_origins, row_origins
from msprec.checklists.common.script.reordered_alone import reordered_alone
from msprec.engine.run_data import place

_TABLE = "t = load()\nt = t.sample(frac=1)\n"
_LOADED = "X, y = load()\n"
_USED = "a, b = X[:n], y[:n]\n"
_THREE = "X, y, z = load()\ni = rng.permutation(9)\n{}\n"
_USED_THREE = "step(X[:n], z[:n], y[:n])\n"
_MODULE = """class Module:
    def __init__(self):
        self.X, self.y = load()
        i = rng.permutation(9)
        {}

    def data(self):
        return NumpySlicesDataset((self.X, self.y))
"""


_BATCHES = """o = rng.permutation(9)
for i in range(0, 9, 4):
    k = o[i:i + 4]; step({})
"""
_ROWS = """o = rng.permutation(rows)
for i in range(0, 9, 4):
    step(X[o[i:i + 4]], y[{}[i:i + 4]])
"""
_HALVES = """class Halves:
    def __init__(self):
        ids = load()
        self.train, self.rest = ids[:9], ids[9:]
        np.random.shuffle(self.train)

    def __getitem__(self, i):
        if self.training:
            {}
        return {}
"""


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (_HALVES.format("return read(self.train[i])", "read(self.rest[i])"), None),  # one of the two for a call
        (_HALVES.format("log(i)", "read(self.train[i], self.rest[i])"), ("self.train", "self.rest", 5)),
        (_LOADED + "i = np.random.permutation(9)\nX = X[i]\n" + _USED, ("X", "y", 3)),
        (_LOADED + "X = X[rng.permutation(9)]\nd = NumpySlicesDataset((X, y), ['x', 'y'])\n", ("X", "y", 2)),
        (_LOADED + "np.random.shuffle(X)\nnp.random.shuffle(y)\nd = list(zip(X, y))\n", ("X", "y", 2)),
        (
            "def f(X, y):\n    i = np.arange(9)\n    np.random.shuffle(i)\n    X = X[i]\n    return zip(X, y)\n",
            ("X", "y", 4),
        ),
        (_LOADED + "X = shuffle(X)\ny = shuffle(y)\n" + _USED, ("X", "y", 2)),
        (_LOADED + "y = y[rng.permutation(9)]\nX = X[rng.permutation(9)]\n" + _USED, ("y", "X", 2)),
        (_LOADED + "X = np.random.permutation(X)\ny = np.random.permutation(y)\n" + _USED, ("X", "y", 2)),
        (_LOADED + "X = np.random.permutation(X)\n" + _USED, ("X", "y", 2)),
        # turned round, moved on or sorted by itself
        (_LOADED + "y = y[::-1].copy()\n" + _USED, ("y", "X", 2)),
        (_LOADED + "y = np.roll(y, 1, axis=0)\n" + _USED, ("y", "X", 2)),
        (_LOADED + "y = np.sort(y).astype(int)\n" + _USED, ("y", "X", 2)),
        (_LOADED + "X = np.flip(X, axis=0)\n" + _USED, ("X", "y", 2)),
        (_LOADED + "X = np.flip(X, axis=1)\n" + _USED, None),
        (_LOADED + "y = y[:, ::-1]\n" + _USED, None),
        (_LOADED + "X = X[::-1]\ny = y[::-1]\n" + _USED, None),
        ("X = load()\ny = X.copy()\ny = np.roll(y, -1)\n" + _USED, None),  # a series beside the next step
        (_LOADED + "z = np.roll(X, -1)\nstep(X[:n], z[:n])\n", None),
        (_MODULE.format("self.X = self.X[i]"), ("self.X", "self.y", 5)),
        (_LOADED + "rng.shuffle(X[:5])\ny = y.astype(int)\n" + _USED, ("X", "y", 2)),
        (_LOADED + "a = rng.permutation(X)\nb = rng.permutation(y)\nstep(a[:n], b[:n])\n", ("b", "a", 3)),
        (
            "d = load()\na = rng.permutation(d.x)\nb = rng.permutation(d.y)\np = slice(5)\nf(a[p], b[p])\n",
            ("b", "a", 3),
        ),
        (
            _LOADED
            + "X, y = X[:4].copy(), y[:4].copy()\nfor e in range(9):\n    shuffle(X)\n    shuffle(y)\n    "
            + _USED,
            ("X", "y", 4),
        ),
        ("d = load()\ni = rng.permutation(9)\na, b = d.x[i], d.y[i]\np = slice(5)\nf(a[p], b[p])\n", None),
        ("d = load()\na = rng.permutation(d.x)\nb = rng.normal(size=9)\np = slice(5)\nf(a[p], b[p])\n", None),
        # all rows of a table in a drawn order, and the labels of the table as they were, or drawn by one seed
        (_TABLE + "X = t.drop(columns='y').sample(frac=1).values\ny = t['y'].values\n" + _USED, ("X", "y", 3)),
        (
            _TABLE + "X = t.drop(columns='y').values\ny = t['y'].sample(frac=1.0, random_state=2)\n" + _USED,
            ("y", "X", 4),
        ),
        (
            _TABLE
            + "X = t[['a']].sample(frac=1, random_state=2).values\ny = t['y'].sample(frac=1, random_state=2)\n"
            + _USED,
            None,
        ),
        (_TABLE + "X = t[['a']].sample(frac=0.5).values\ny = t['y'].values\n" + _USED, None),
        (_TABLE + "X = t.drop(columns='y').values\ny = t['y'].values\n" + _USED, None),
        # in another branch the partner is not made at all
        (
            "X, z = load()\nif both:\n    y = f(z)\n    i = permutation(9)\n    X = X[i]\n    y = y[i]\n"
            "else:\n    X = permutation(X)\n" + _USED,
            None,
        ),
        # both in one order, however it is written
        (_LOADED + "n = len(X)\no = rng.permutation(n)\nstep(X[o[:4]], y[o[:4]])\n", None),
        # two of three inputs and labels
        (_THREE.format("X, y = X[i], y[i]") + _USED_THREE, ("X", "z", 3)),
        (_THREE.format("X = X[i]\ny = y[i]") + _USED_THREE, ("X", "z", 3)),
        (_THREE.format("X, y, z = X[i], y[i], z[i]") + _USED_THREE, None),
        (_THREE.format("X, y = X[i], y[i]") + _USED, None),  # the third is of no use
        (
            _THREE.format("X, y = X[i], y[i]\nlog(i)") + _USED_THREE,
            None,
        ),  # what else is put into that order is not known
        (_THREE.format("X, y = X[i], y[i]\nz = rng.normal(size=9)") + _USED_THREE, None),  # noise is drawn afterwards
        (
            "N = 9\nrng = RandomState(0)\nX = rng.normal(size=N)\ny = X > 0\nz = rng.normal(size=N)\ni = rng.permutation(N)\n"
            "X, y = X[i], y[i]\n" + _USED_THREE,
            None,  # or before, which belongs to no row
        ),
        # rows of the batches of a loop
        (_LOADED + _BATCHES.format("X[o[i:i + 4]], y[i:i + 4]"), ("X", "y", 4)),
        (_LOADED + _BATCHES.format("X[k], y[i:i + 4]"), ("X", "y", 4)),
        (_LOADED + _BATCHES.format("X[o[i:i + 4]], y[o[i:i + 4]]"), None),
        (
            "X, y = load()\nknown = y < 9\np = rng.permutation(9)\na, b = X[known][p], y[known]\nd = list(zip(a, b))\n",
            ("a", "b", 4),
        ),
        (
            "X, y = load()\nknown = y < 9\np = rng.permutation(9)\na, b = X[known][p], y[known][p]\nd = list(zip(a, b))\n",
            None,
        ),
        (_LOADED + "X = X[rng.permutation(9)]\ns = TripletSampler(X, y, rng)\n", ("X", "y", 2)),
        ("X = load()\ny = others()\n" + _ROWS.format("rows"), ("X", "y", 5)),  # where the order is drawn of these rows
        ("X = load()\ny = others()\n" + _ROWS.format("others"), None),
        (
            "X = load()\ny = others()\n"
            + _ROWS.format("rows").replace("X[o[i:i + 4]]", "X[k]").replace("    s", "    k = o[i:i + 4]\n    s"),
            ("X", "y", 6),
        ),
        (_LOADED + _BATCHES.format("X[k], y[k], y[i:i + 4]"), None),  # drawn beside the others, as to mix them
        ("X = load()\ny = others()\n" + _BATCHES.format("X[k], y[i:i + 4]"), None),  # of another origin
        (_LOADED + "i = np.arange(9)\ni = rng.permutation(i)\na, b = X[i], y[i]\nstep(a[:n], b[:n])\n", None),
        (_LOADED + "rng.shuffle(X[:5])\ny = y[order]\n" + _USED, None),
        (_LOADED + "rng.shuffle(table[0])\ny = y.astype(int)\n" + _USED, None),
        (_MODULE.format("self.X, self.y = self.X[i], self.y[i]"), None),
        (_LOADED + "i = np.random.permutation(9)\nX = X[i]\ny = y[i]\n" + _USED, None),
        (_LOADED + "i = np.random.permutation(9)\nX, y = X[i], y[i]\n" + _USED, None),
        (_LOADED + "seed(0)\nshuffle(X)\nseed(0)\nshuffle(y)\nd = list(zip(X, y))\n", None),
        (_LOADED + "X = shuffle(X, random_state=0)\ny = shuffle(y, random_state=0)\n" + _USED, None),
        (_LOADED + "X = X[RandomState(0).permutation(9)]\ny = y[RandomState(0).permutation(9)]\n" + _USED, None),
        ("X = load()\nnp.random.shuffle(X)\ny = X[:, -1]\nd = list(zip(X, y))\n", None),
        ("X = load()\ny = X[:, -1]\nnp.random.shuffle(X)\nd = list(zip(X, y))\n", None),  # a view moves along
        (_LOADED + "negatives = X[rng.permutation(9)]\nd = NumpySlicesDataset((X, negatives, y))\n", None),
        # nothing that belongs together
        (
            "files = names_in(folder)\nlucky = [1] * n + [0] * m\nnp.random.shuffle(lucky)\nd = list(zip(files, lucky))\n",
            None,
        ),
        ("names = ['x']\nX = load()\nX = X[np.random.permutation(9)]\nd = NumpySlicesDataset(X, names)\n", None),
        ("X, names = load()\nnp.random.shuffle(X)\nprint(X[:5], names[:5])\n", None),
        (
            _LOADED + "i = np.random.permutation(9)\nX = X[i].astype('f4')\ny = y.astype(int)\nd = list(zip(X, y))\n",
            ("X", "y", 3),
        ),
        (_LOADED + "i = rng.permutation(9)\nX = X[i].astype('f4')\ny = y[i].astype(int)\nd = list(zip(X, y))\n", None),
        (_LOADED + "i = np.random.permutation(9)\nfor k in i:\n    step(X[k:k + 2], y[k:k + 2])\n", None),
    ],
)
def test_an_array_that_is_reordered_alone(reading, code, found):
    seen = reordered_alone(reading(code))
    assert (seen and (seen.array, seen.partner, seen.place.line)) == found


_SOURCE = """raw = load()
class Rows:
    def __getitem__(self, i):
        x = raw[i]
        return x, 1
data = GeneratorDataset(Rows(), ["x", "y"])
"""


_HELD = """class Rows:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __getitem__(self, i):
        return self.{}[i], self.{}[i]
y = load()
X = load()
y = y / 2
rows = Rows(X, b=y)
data = GeneratorDataset(rows, ["x", "y"])
"""


_GENERATOR = """raw = load()
pixels = raw.astype(int)
fit, held = split(pixels)
def pairs():
    for i in order: yield fit[i], i
n = 0
d = GeneratorDataset(pairs, ["x", "y"])
"""
_WITHIN = """x = other()
def make():
    x = load()
    def pairs():
        yield x[0], 1
    n = 0
    return GeneratorDataset(pairs, ["x", "y"])
"""
_WINDOWS = """def windows(s):
    xs, ys = [], []
    for i in range(9):
        ys.append(s[i + 4])
        xs.append(s[i:i + 4])
    return np.array(xs)[..., None], np.array(ys)
X, Y = windows(load())
d = NumpySlicesDataset((X, Y), ["x", "y"])
"""


@pytest.mark.parametrize(
    ("code", "line", "found"),
    [
        ("X = load()\nX = X / 2\nd = NumpySlicesDataset((X, y), ['x', 'y'])\n", 3, [2, 1]),
        ("A, B = train_test_split(load())\nd = NumpySlicesDataset({'x': A, 'y': B})\n", 2, [1]),
        ("def make():\n    x = load()\n    return NumpySlicesDataset((x, 0), ['x', 'y'])\n", 3, [2]),
        ("y = load()\nX = np.eye(3)[y]\nd = NumpySlicesDataset((X, y), ['x', 'y'])\n", 3, [2, 1]),
        ("y = load()\nX = rows[y]\nd = NumpySlicesDataset((X, y), ['x', 'y'])\n", 3, [2]),
        (_SOURCE, 6, [4, 1]),
        (_GENERATOR, 7, [5, 3, 2, 1]),
        (_WITHIN, 7, [5, 3]),
        (_WINDOWS, 8, [5, 7]),
        (_HELD.format("a", "b"), 11, [6, 8]),
        (_HELD.format("b", "a"), 11, [6, 9, 7]),
        (
            "x = load()\ny = marks()\na, b, c, e = train_test_split(x, y)\nd = NumpySlicesDataset((a, c), ['x', 'y'])\n",
            4,
            [3, 1],
        ),
        ("d = NumpySlicesDataset((load(), 0), ['x', 'y'])\n", 1, []),
    ],
)
def test_the_lines_that_gave_an_array_its_values(reading, code, line, found):
    place = {"file": "train.py", "line": line}
    sets = dataset([column("x"), column("y")], pipeline=[{"op": "NumpySlicesDataset", "args": {}, "place": place}])
    run_data = reading(code, [sets])
    one = run_data.datasets[0]
    assert [place.line for place in array_origins(run_data, one, one.columns[0])] == found


_LOADER = """def loader(a, b, size):
    a = a.astype(int)
    arrays = (a, b)
    return NumpySlicesDataset(arrays, ["x", "y"]).batch(size)
def both(table):
    return loader(table, 0, 9), loader(table, b=table.y, size=9)
whole = load()
train, test = both(whole)
"""


@pytest.mark.parametrize(
    ("name", "callers", "found"),
    [
        ("x", [6, 8], [2, 6, 8, 7]),
        ("y", [6, 8], [6]),
        ("x", [6], [2, 6]),
        ("x", [7], [2]),
        ("x", [], [2]),
    ],
)
def test_the_calls_that_handed_an_array_in(reading, name, callers, found):
    stack = [{"file": "train.py", "line": line} for line in (4, *callers)]
    pipeline = [{"op": "NumpySlicesDataset", "args": {}, "place": stack[0], "callers": stack[1:]}]
    run_data = reading(_LOADER, [dataset([column("x"), column("y")], pipeline=pipeline)])
    one = run_data.datasets[0]
    wanted = next(entry for entry in one.columns if entry.name == name)
    assert [place.line for place in array_origins(run_data, one, wanted)] == found


@pytest.mark.parametrize(
    ("code", "position", "found"),
    [
        ("x = load()\nx = x / 2\nout = net(Tensor(x)).asnumpy()\n", 0, [2, 1]),
        ("x = load()\nm = mask()\nout = net(Tensor(x), Tensor(m))\n", 1, [2]),
        ("x = load()\nm = 1\nout = net(x)\n", 1, []),
        ("x = load()\nfor part in np.split(x, 4):\n    out = net(Tensor(part))\n", 0, [1]),
        ("x = load()\nfor part in names(x, 4):\n    out = net(Tensor(part))\n", 0, []),
    ],
)
def test_the_lines_that_gave_an_argument_its_values(reading, code, position, found):
    places = argument_origins(reading(code), place("train.py", 3), position)
    assert [one.line for one in places] == found


def test_an_argument_that_a_function_made(reading):
    code = _WINDOWS.replace(
        'd = NumpySlicesDataset((X, Y), ["x", "y"])', "out = net(Tensor(X[order]), Tensor(Y[order]))"
    )
    lines = [[one.line for one in argument_origins(reading(code), place("train.py", 8), n)] for n in (0, 1)]
    assert lines == [[7, 5], [7, 4]]


_PARTS = """class Data:
    def __init__(self, y):
        self.x, self.y = load(), self.code(y)

    def code(self, y):
        return (y / 2).astype("i4")

    def batches(self, size):
        for i in range(0, 9, size):
            yield Tensor(self.x[i:i + size]), Tensor(self.y[i:i + size])


def cut(a, b, size):
    for i in range(0, 9, size):
        yield Tensor(a[i:i + size]), Tensor(b[i:i + size])


wide = load() * 255
for u, v in {}:
    step(u, v)
"""


@pytest.mark.parametrize(
    ("made", "position", "found"),
    [
        ("Data(y).batches(3)", 1, [3, 6]),
        ("cut(wide, y, 3)", 0, [15, 18]),
        ("others(wide, y, 3)", 0, []),
        ("zip(wide, y)", 0, []),
    ],
)
def test_what_a_loop_over_a_generator_of_the_script_is_given(reading, made, position, found):
    places = argument_origins(reading(_PARTS.format(made)), place("train.py", 20), position)
    assert [one.line for one in places] == found


_KEPT = """order = np.arange(len(points))
tr, te = order[:80], order[80:]
keep = np.flatnonzero(y == 1)
x_tr = points[tr]
x_te = points[te]
y = y[keep]
z = y[3]
"""


@pytest.mark.parametrize(("line", "origins"), [(4, [2, 1]), (5, [2, 1]), (6, [3]), (7, [])])
def test_where_rows_come_from(tmp_path, line, origins):
    data = run_data(tmp_path, Run(source={"train.py": _KEPT}))
    assert [one.line for one in row_origins(data, [place("train.py", line)])] == origins


@pytest.mark.parametrize(("network", "origins"), [("Graph", [1]), ("", [2])])
def test_the_call_of_the_network_among_others(tmp_path, network, origins):
    code = "x = Tensor(table)\ny = Tensor(labels)\nnet = Graph(4)\nloss = criterion(net(edges, x)[rows], y)\n"
    data = run_data(tmp_path, Run(source={"train.py": code}))
    found = argument_origins(data, place("train.py", 4), 1, network=network)
    assert [one.line for one in found] == origins
