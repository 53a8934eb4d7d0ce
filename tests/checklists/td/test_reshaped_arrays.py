"""td.05: a reshape that puts the sizes of an array's shape into another order."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.reshaped_arrays import reshaped_arrays

_FUNCTION = "def rows(a):\n    t, n, c = a.shape\n    return a.reshape({})\n"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (_FUNCTION.format("n, t, c") + "x = rows(y)\n", 3),
        (_FUNCTION.format("(n, t, c)") + "x = list(map(rows, y))\n", 3),
        ("t, n = a.shape\nb = np.reshape(a, [n, t])\n", 2),
        ("b = a.reshape(a.shape[1], a.shape[0], -1)\nc = a.reshape(a.shape[1], a.shape[0])\n", 2),
        ("a = np.stack([f(k) for k in range(F)])\nb = a.reshape(-1, F)\n", 2),
        ("a = np.stack([f(k) for k in range(F)])\nb = a.reshape((n, F))\n", 2),
        ("a = np.stack([f(k) for k in range(F)])\nb = a.reshape(F, -1)\n", None),
        ("a = np.stack([f(k) for k in range(F)], axis=1)\nb = a.reshape(-1, F)\n", None),
        ("a = np.stack([x[i:i + W] for i in range(n)], axis=1)\nb = a.reshape(-1, W, 2)\n", 2),
        ("a = np.stack([x[i:W + i] for i in starts], axis=1)\na = a.reshape(n, W, c)\n", 2),
        ("a = np.stack([x[i:i + W] for i in starts], axis=1)\na = a.reshape(W, -1, c)\n", None),
        ("a = np.stack([x[i:i + W] for i in starts])\na = a.reshape(-1, W, c)\n", None),
        ("a = np.array([f(k) for k in range(F)])\nb = a.reshape(-1, F)\n", None),  # numbers, in a row
        ("p = np.stack((u, v), axis=0).reshape(-1, 2)\n", 1),
        ("p = np.vstack([u, v, w]).reshape(n, 3)\n", 1),
        ("p = np.stack((u, v), axis=1).reshape(-1, 2)\n", None),
        ("p = np.stack((u, v)).reshape(2, -1)\n", None),
        ("p = np.stack((u, v)).reshape(-1, 8)\n", None),
        ("n = a.shape[2]\nb = a.reshape(n, 64) / 16\n", 2),
        ("n = a.shape[2]\nb = np.reshape(a, (n, -1))\n", 2),
        ("n = a.shape[2]\na = a.transpose(2, 0, 1)\nb = a.reshape(n, 64)\n", None),
        ("n = a.shape[2]\nb = c.reshape(n, 64)\n", None),
        ("n = a.shape[0]\nb = a.reshape(n, 64)\n", None),
        ("n = a.shape[2]\nb = a.reshape(-1, n)\n", None),
        # rows that were to become columns; one row, an unknown count, rows first
        ("b = a.reshape(n, a.shape[0])\n", 1),
        ("b = a.images.reshape(64, len(a.images))\n", 1),
        ("b = a.reshape(1, a.shape[0])\n", None),
        ("b = a.reshape(-1, a.shape[0])\n", None),
        ("b = a.reshape(a.shape[0], n).T\n", None),
        ("b = c.reshape(n, a.shape[0])\n", None),
        # another array by then; a network's
        ("t, n = a.shape\na = a.T\nb = a.reshape(n, t)\n", None),
        ("class N:\n    def construct(self, a):\n        t, n = a.shape\n        return a.reshape(n, t)\n", None),
        # nothing calls it; the same order; other sizes
        (_FUNCTION.format("n, t, c"), None),
        (_FUNCTION.format("t, n, c") + "x = rows(y)\n", None),
        (_FUNCTION.format("n * t, c") + "x = rows(y)\n", None),
        (_FUNCTION.format("t, n, c, 1") + "x = rows(y)\n", None),
        ("t, n = a.shape\nc = b.reshape(n, t)\n", None),
    ],
)
def test_sizes_in_another_order(tmp_path, code, line):
    found = reshaped_arrays(run_data(tmp_path, Run(source={"train.py": code})))
    assert (found.locations[0]["line"] if found is not None else None) == line


def test_what_the_run_saw(tmp_path):
    run = Run(source={"train.py": "docs = counts.reshape(DOCS, WORDS)\n"})
    place = {"file": "train.py", "line": 1}
    run.facts["datasets"]["reshapes"] = [{"place": place, "array": "counts", "shape": [40, 1500], "sizes": [1500, 40]}]
    told = reshaped_arrays(run_data(tmp_path, run))
    assert [one["line"] for one in told.locations] == [1] and "counts" in str(told.summary)
