"""td.07 on digests of two ranks: where the weights begin to differ, and which of them."""

from types import SimpleNamespace

import pytest

from msprec.checklists.td.replicas.drift import drifts
from msprec.engine.schema import Fact
from msprec.record.schema import REPLICAS


def look(step, *parameters):
    entries = [
        {"name": name, "shape": [2, 2], "kind": "weight", "digest": f"{value}", "norm": 4.0, "projections": [value] * 4}
        for name, value in parameters
    ]
    return {"step": step, "parameters": entries}


def drift(*ranks):
    files = [Fact({"looks": list(looks)}, REPLICAS) for looks in ranks]
    run_data = SimpleNamespace(ranks=[0, 1], file=lambda name, shape, rank: files[rank], limit=lambda name: 1e-3)
    return drifts(run_data)["weight"]


def test_equal_to_the_end():
    looks = [look(1, ("w", 1.0)), look(5, ("w", 2.0))]
    found = drift(looks, looks)
    assert found.first is None and not found.apart_at_end and found.typical == 0.0


def test_the_step_and_the_distance():
    found = drift([look(1, ("w", 1.0)), look(5, ("w", 2.0))], [look(1, ("w", 1.0)), look(5, ("w", 4.0))])
    assert (found.last_equal, found.first, found.names) == (1, 5, ["w"])
    assert found.apart_at_end and found.distance == pytest.approx(0.5)


def test_networks_of_the_same_names_in_another_order():
    first = [look(1, ("w", 1.0), ("w", 8.0)), look(5, ("w", 2.0), ("w", 9.0))]
    other = [look(1, ("w", 8.0), ("w", 1.0)), look(5, ("w", 9.0), ("w", 2.0))]
    assert drift(first, other).first is None
    drifted = [other[0], look(5, ("w", 9.0), ("w", 2.5))]
    found = drift(first, drifted)
    assert found.first == 5 and found.distance == pytest.approx(0.125)
