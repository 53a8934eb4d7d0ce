"""Places that the source alone tells: results that are not kept, and classes that are chosen elsewhere than called."""

import pytest

from msprec.checklists.common.script.class_choice import chosen_at
from msprec.checklists.common.script.discarded_results import discarded
from msprec.checklists.dp.shuffling.discarded_order import discarded_order
from msprec.engine.run_data import place


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("rng.permutation(order)\n", [1]),
        ("order = rng.permutation(order)\n", []),
        ("rng.permuted(order, axis=0, out=order)\n", []),
        ("for k in range(3):\n    np.random.permutation(rows)\n", [2]),
        ("data = source()\ndata.shuffle(100)\n", [2]),
        ("data.shuffle(buffer_size=size)\n", [1]),
        ("rng.shuffle(order)\nrandom.shuffle(rows[:5])\n", []),
        ("data = data.shuffle(100)\n", []),
    ],
)
def test_an_order_that_is_not_kept(reading, code, lines):
    assert [one.line for one in discarded_order(reading(code))] == lines


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("t.fillna(0)\n", [1]),
        ("t.fillna(0, inplace=True)\nt = t.dropna()\n", []),
        ("t['age'].fillna(t.age.mean())\n", [1]),
        ("a.dropna(), b.dropna()\n", [1, 1]),
        ("a, b = a.dropna(), b.dropna()\n", []),
    ],
)
def test_a_table_that_is_not_kept(reading, code, lines):
    assert [one.line for one in discarded(reading(code), ("fillna", "dropna"))] == lines


@pytest.mark.parametrize(
    ("code", "made", "lines"),
    [
        ("act = nn.Sigmoid\nnet = [nn.Dense(3, 3), act()]\n", 2, [1]),
        ("from mindspore.nn import Sigmoid\nnet = [Dense(3, 3), Sigmoid()]\n", 2, []),
        ("from mindspore.nn import Sigmoid\nACTS = {'s': Sigmoid}\nnet = ACTS[name]()\n", 3, [2]),
        ("def block(n, act=nn.Sigmoid):\n    return [nn.Dense(n, n), act()]\n", 2, [1]),
        ("ACTS = {'s': nn.Sigmoid}\nnet = ACTS[kind]()\nmake('s')\n", 2, [1, 3]),
        ("other = nn.Sigmoid()\nnet = [nn.Dense(3, 3), act()]\n", 2, []),
        ("def act(name):\n    return {'s': nn.Sigmoid}[name]()\n\np.add_argument('--act', default='s')\n", 2, [2, 4]),
    ],
)
def test_where_a_class_is_chosen(reading, code, made, lines):
    assert [one.line for one in chosen_at(reading(code), place("train.py", made), "Sigmoid")] == lines
