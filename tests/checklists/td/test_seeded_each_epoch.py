"""td.06: a generator that is seeded anew in each epoch, and plain arrays that are varied with it."""

import pytest
from building import Run, dataset, one_pass, run_data

from msprec.checklists.td.random_draws.seeded_each_epoch import seeded_each_epoch

_GIVEN = [{"op": "arguments of the training step", "args": {}, "place": {"file": "train.py", "line": 9}}]
_CODE = """
def batches():
    for rows in np.split(rng.permutation(900), 30):
        yield {drawn}
rng = np.random.RandomState(3)
for epoch in range(9):
    {seeded}
    for x, y in batches():
        step(x, y)
"""
_SHIFTED = "shift(images[rows], rng)"


def varied(code, alike=True, end=0.001):
    passes = [one_pass(number) for number in range(1, 6)]
    for one in passes[1:]:
        one.update(same_order_as_first=alike, common_share=1.0 if alike else 0.0)
    steps = [{"step": n, "loss": 2.3 * (end / 2.3) ** (n / 200), "lr": 0.01, "batch": 32} for n in range(1, 226)]
    run = Run(datasets=[dataset(passes=passes, pipeline=_GIVEN)], steps=steps, source={"train.py": code})
    return run.set("run", {"training_steps": 225})


def judged(folder, run):
    data = run_data(folder, run)
    return seeded_each_epoch(data, data.datasets_of("train")[0])


@pytest.mark.parametrize(
    ("drawn", "seeded", "found"),
    [
        (_SHIFTED, "rng.seed(3)", True),
        (_SHIFTED, "rng = np.random.RandomState(SEED)", True),
        ("images[rows] + rng.normal(0, 0.1, 64)", "rng.seed(3)", True),
        ("images[rows]", "rng.seed(3)", False),  # the order alone
        (_SHIFTED, "rng.seed(3 + epoch)", False),
        (_SHIFTED, "other.seed(3)", False),
    ],
)
def test_what_is_seeded(tmp_path, drawn, seeded, found):
    finding = judged(tmp_path, varied(_CODE.format(drawn=drawn, seeded=seeded)))
    assert (finding is not None) is found
    if found:
        assert [one["line"] for one in finding.locations] == [7]


@pytest.mark.parametrize(("alike", "end"), [(False, 0.001), (True, 0.8)])
def test_passes_that_differ_or_did_no_harm(tmp_path, alike, end):
    assert judged(tmp_path, varied(_CODE.format(drawn=_SHIFTED, seeded="rng.seed(3)"), alike, end)) is None
