"""Which of several trainings is held for the probes."""

import pytest
from mindspore import nn

from msprec.probe.steps.captured_trainings import LAST, NEXT, CapturedTrainings


class Network(nn.Cell):
    """A network without parameters."""


@pytest.fixture
def offered():
    captured, networks = CapturedTrainings(), {}

    def offer(steps: str):
        """One letter a step: the network that it trains."""
        for name in steps:
            network = networks.setdefault(name, Network())
            captured.offer("cell", (), lambda *_: None, [network], [])
        held = captured.last()
        return next(name for name, network in networks.items() if held.roots[0] is network), held.before

    return offer


@pytest.mark.parametrize(
    ("steps", "held"),
    [
        ("a" * 5, ("a", 0)),
        ("a" * 50 + "b" * 40, ("b", 50)),
        ("a" * 50 + "b" * LAST, ("b", 50)),
        ("a" * 50 + "b" * (LAST - 1), ("a", 0)),
        ("ab" * 60, ("a", 0)),
        (("a" * 5 + "b") * 30, ("a", 0)),
        (("a" * 40 + "b" * 40) * 3, ("a", 0)),
        ("".join(name * NEXT for name in "abcdefgh"), ("h", 7 * NEXT)),
    ],
)
def test_the_last_training_is_held(offered, steps, held):
    assert offered(steps) == held


def test_a_generator_is_not_taken_after_its_turns(offered):
    assert offered("ab" * 5 + "b" * 100) == ("a", 0)


class Optimizer(nn.Cell):
    """An optimizer without parameters."""


@pytest.mark.parametrize(
    ("steps", "held"),
    [
        ("a" * 30 + "b" * 20, ("b", 30)),
        ("a" * 30 + "b", ("a", 0)),
        ("a" * (LAST - 1) + "b" * 20, ("a", 0)),
        ("a" * 20 + "b" * 20 + "c" * 20, ("c", 40)),
        ("a" * 20 + "b" * 20 + "a" * 20 + "b" * 20, ("a", 40)),  # turns, many steps each
        ("ab" * 30, ("a", 0)),
    ],
)
def test_another_optimizer_for_the_same_function(steps, held):
    captured, network = CapturedTrainings(), Network()
    optimizers = {name: Optimizer() for name in "abc"}
    for name in steps:
        captured.offer("functional", (), lambda *_: None, [network], [])
        captured.updates(optimizers[name])
    last = captured.last()
    assert (next(name for name, one in optimizers.items() if last.optimizers[0] is one), last.before) == held
