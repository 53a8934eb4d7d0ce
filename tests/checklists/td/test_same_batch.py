"""td.05: one batch in every step, of an iterator that is made anew for each."""

import pytest
from building import Run, dataset, one_pass, run_data

from msprec.checklists.td.received_batches.same_batch import same_batch

_LOOP = "for i in range(100):\n    x, y = {}\n    loss = step(x, y)\n"


def fed(code, line, keys=("a",), samples=32, passes=100):
    each = [one_pass(n + 1, samples=samples, first_keys=[keys[n % len(keys)]]) for n in range(8)]
    made = dataset(passes=each, batch_size=32, samples_per_pass=samples)
    made.update(passes=passes, iterated_at={"file": "train.py", "line": line})
    return Run(datasets=[made], source={"train.py": code})


@pytest.mark.parametrize(
    ("code", "line", "settings", "told"),
    [
        (_LOOP.format("next(iter(stream))"), 3, {}, 2),
        (_LOOP.format("next(data.create_tuple_iterator())"), 2, {}, 2),
        (_LOOP.format("train.next_batch(32)"), 3, {}, 2),  # it forgets where it stands
        (_LOOP.format("train.next_batch(32)"), 3, {"keys": ("a", "b")}, None),
        (_LOOP.format("augmented(x0, y0)"), 3, {}, None),
        ("it = iter(stream)\n" + _LOOP.format("next(it)"), 4, {}, None),  # full batches, one after the other
        (_LOOP.format("next(iter(stream))"), 3, {"keys": ("a", "b")}, None),  # shuffled anew each time
        (_LOOP.format("next(iter(stream))"), 3, {"samples": 320}, None),
        (_LOOP.format("next(iter(stream))"), 3, {"passes": 3}, None),
        ("x, y = next(iter(stream))\nfor i in range(9):\n    step(x, y)\n", 3, {}, None),  # it trains on what it has
    ],
)
def test_an_iterator_for_each_step(tmp_path, code, line, settings, told):
    found = same_batch(run_data(tmp_path, fed(code, line, **settings)))
    assert (found.locations[0]["line"] if found is not None else None) == told
