"""td.06: a source that varies samples it holds, or makes them of what it draws."""

import pytest
from building import Run, run_data

from msprec.checklists.td.random_draws.stored_samples import varies_stored_samples
from msprec.engine.run_data import place

_SOURCE = "class Source:\n    def __getitem__(self, index):\n        rng = np.random.default_rng(index)\n        {}\n"


@pytest.mark.parametrize(
    ("lines", "varied"),
    [
        ("return warp(self.images[index], rng), self.labels[index]", True),
        ("return self.rows[index] + rng.normal(0, 1, 4), self.labels[index]", True),
        ("return paint(self.labels[index], rng), self.labels[index]", False),  # made by its class
        ("return rng.normal(0, 1, 4), self.labels[index]", False),
        ("return self.images[index], self.labels[index]", False),
        ("return warp(self.images[0], rng)", False),
    ],
)
def test_varied_or_made(tmp_path, lines, varied):
    told = run_data(tmp_path, Run(source={"train.py": _SOURCE.format(lines)}))
    assert varies_stored_samples(told, place("train.py", 3)) is varied
