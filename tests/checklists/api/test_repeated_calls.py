"""api.02 on evaluation calls that were made twice."""

import pytest
from building import Run, phase

PLACE, CALL = {"file": "train.py", "line": 5}, {"file": "train.py", "line": 9}


def judged(verdict, called=("drop",), random=(), training=True, kind="eval", **changes):
    seen = phase(kind, dependent=(("drop", training),), place=CALL, gradient=False, network=0, **changes)
    made = Run(modes=[phase(), seen])
    key = {name: seen.get(name) for name in ("phase", "via", "network", "place", "first_step")}
    made.facts["probes"] = {"skipped": {}, "evaluations": [{**key, "called": list(called), "random": list(random)}]}
    return verdict("api.02", made)


def drawn(operator, cell=None):
    return {"operator": operator, "cell": cell, "place": PLACE}


def test_only_cells_that_run_count(verdict):
    assert judged(verdict)["conclusion"] == "problem"
    assert judged(verdict, called=["", "fc"])["conclusion"] == "ok"


@pytest.mark.parametrize(
    ("one", "conclusion"),
    [
        (drawn("dropout"), "problem"),
        (drawn("Dropout2D"), "problem"),
        (drawn("standard_normal"), "ok"),  # the draw of a variational autoencoder
        (drawn("Dropout", cell="drop"), "ok"),  # a cell: its mode is judged, not its result
    ],
)
def test_what_differs_when_it_is_made_twice(verdict, one, conclusion):
    entry = judged(verdict, random=[one], training=False)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert conclusion == "ok" or entry["locations"][0] == PLACE
