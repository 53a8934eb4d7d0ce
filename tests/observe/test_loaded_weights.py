"""Names of a file and of a network that are alike but for a prefix."""

import time

import pytest

from msprec.observe.network.loaded_weights import _alike


@pytest.mark.parametrize("own, file, alike", [("net.", "backbone.", 6), ("", "module.", 6), ("a.b.", "", 6)])
def test_one_prefix_gives_way_to_another(own, file, alike):
    names = [f"layers.{i}.{part}" for i in range(3) for part in ("weight", "bias")]
    assert _alike({own + name: [4, 4] for name in names}, {file + name: [4, 4] for name in names}) == alike


def test_another_shape_is_not_alike():
    assert _alike({"net.fc.weight": [4, 4]}, {"module.fc.weight": [4, 5]}) == 0


def test_names_of_thousands_of_experts_are_compared_in_a_moment():
    names = [f"layers.{i}.experts.{j}.fc.{part}" for i in range(20) for j in range(100) for part in ("weight", "bias")]
    start = time.process_time()
    assert _alike({f"net.{name}": [8] for name in names}, {f"module.{name}": [8] for name in names}) == len(names)
    assert time.process_time() - start < 2
