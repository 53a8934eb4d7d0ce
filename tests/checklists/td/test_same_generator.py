"""td.06: a generator that is made anew from one seed whenever a sample is made."""

import ast

import pytest

from msprec.checklists.td.random_draws.same_generator import _made_anew

_CLASS = """
class Noise:
    def __init__(self, seed):
        self.seed = seed
        self.rng = np.random.default_rng(seed)

    def fresh(self):
        return {made}

    def __call__(self, x, index=0):
        return x + {drawn}
"""


@pytest.mark.parametrize(
    ("made", "drawn", "line"),
    [
        ("np.random.RandomState(self.seed)", "self.fresh().normal()", 8),
        ("np.random.default_rng(0)", "self.fresh().normal()", 8),
        ("self.rng", "np.random.default_rng(seed=3).normal()", 11),
        ("self.rng", "self.fresh().normal()", None),  # made once
        ("np.random.default_rng(self.seed)", "self.rng.normal()", None),  # which no sample comes to
        ("self.rng", "np.random.default_rng(index).normal()", None),  # by the sample's number
        ("self.rng", "np.random.default_rng().normal()", None),
    ],
)
def test_made_for_each_sample(made, drawn, line):
    found = _made_anew(ast.parse(_CLASS.format(made=made, drawn=drawn)).body[0])
    assert (found.lineno if found is not None else None) == line


def test_a_seed_that_moves_on():
    code = _CLASS.format(made="np.random.default_rng(self.seed)", drawn="self.fresh().normal()")
    code += "\n    def next_epoch(self):\n        self.seed += 1\n"
    assert _made_anew(ast.parse(code).body[0]) is None
