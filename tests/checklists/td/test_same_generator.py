"""td.06: a generator that is made anew from one seed whenever a sample is made."""

import ast

import pytest
from building import Run, dataset, run_data

from msprec.checklists.td.random_draws.same_generator import _made_anew, same_generator

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


@pytest.mark.parametrize(
    "made",
    ["source = Scenes(files, Noise(3))\n", "noise = Noise(3)\nsource = Scenes(files, transform=noise)\n"],
)
@pytest.mark.parametrize(("drawn", "found"), [("self.fresh().normal()", True), ("self.rng.normal()", False)])
def test_what_the_source_is_made_with(tmp_path, made, drawn, found):
    code = _CLASS.format(made="np.random.default_rng(self.seed)", drawn=drawn) + made
    step = {"op": "GeneratorDataset", "args": {"source": "Scenes"}, "place": {"file": "train.py", "line": 3}}
    run = Run(source={"train.py": code}, datasets=[dataset(pipeline=[step])])
    told = same_generator(run_data(tmp_path, run))
    assert (told is not None and [one["line"] for one in told.locations] == [8]) is found
