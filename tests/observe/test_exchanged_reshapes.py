"""Arrays of the script itself that a reshape gives their own sizes in another order."""

import sys
import types

import numpy as np
import pytest

from msprec.observe import exchanged_reshapes as module
from msprec.observe.exchanged_reshapes import exchanged_reshapes


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("a = np.zeros((4, 6))\nb = a.reshape(6, 4)\n", [(2, "a", [4, 6], [6, 4])]),
        ("n, k = 6, 4\na = np.zeros((4, 6))\nb = np.log1p(a.reshape(n, k))\n", [(3, "a", [4, 6], [6, 4])]),
        ("a = np.zeros((4, 6, 3))\nb = np.reshape(a, (6, 4, 3))\n", [(2, "a", [4, 6, 3], [6, 4, 3])]),
        ("a = np.zeros((4, 6))\nb = a.reshape(-1, 4)\n", [(2, "a", [4, 6], [6, 4])]),
        ("a = np.zeros((8, 8, 90))\nb = a.reshape(90, 64)\n", [(2, "a", [8, 8, 90], [90, 64])]),
        ("a = np.zeros((90, 8, 8))\nb = a.reshape(90, 64)\n", []),
        ("a = np.zeros((90, 8, 8))\nb = a.reshape(8, -1)\n", []),
        ("a = np.zeros((4, 6))\nb = a.reshape(4, 6)\n", []),
        ("a = np.zeros((4, 6))\nb = a.reshape(8, 3)\n", []),
        ("a = np.zeros((1, 6))\nb = a.reshape(6, 1)\n", []),  # no element changes its place
        ("a = np.zeros((5, 5))\nb = a.reshape(5, 5)\n", []),
        ("a = np.zeros((4, 6))\nb = a.T.reshape(4, 6)\n", []),  # of no name
        ("a = np.zeros((2, 2))\na = np.zeros((4, 6))\nb = a.reshape(6, 4)\n", []),  # which of both is not known
        ("def f(a):\n    return a.reshape(6, 4)\n\n\nb = f(np.zeros((4, 6)))\n", []),
    ],
)
def test_reshapes(tmp_path, monkeypatch, code, found):
    file = tmp_path / "train.py"
    file.write_text(code, encoding="utf-8")
    main = types.ModuleType("__main__")
    main.__file__, main.np = str(file), np
    exec(compile(code, str(file), "exec"), vars(main))
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.setattr(module, "is_user_file", lambda name: name == str(file))
    seen = exchanged_reshapes()
    assert [(one["place"]["line"], one["array"], one["shape"], one["sizes"]) for one in seen] == found
