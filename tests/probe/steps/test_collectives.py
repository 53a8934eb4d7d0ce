"""What of a data-parallel step one rank can run alone, and what the reductions in it give then."""

import numpy as np
import pytest

ms = pytest.importorskip("mindspore")

from mindspore import Tensor, nn, ops  # noqa: E402
from mindspore.communication import get_rank  # noqa: E402
from mindspore.mint import distributed  # noqa: E402
from mindspore.ops.operations import comm_ops  # noqa: E402

from msprec.probe.steps.collectives import on_one_rank, waits_for_ranks  # noqa: E402


def _operator(cls, **attributes):
    """An operator of a group that no communication was set up for."""
    made = cls.__new__(cls)
    ops.Primitive.__init__(made, cls.__name__)
    made.__dict__.update({"group": "hccl_world_group", "op": "sum", **attributes})
    return made


class Holds(nn.Cell):
    def __init__(self, operator):
        super().__init__()
        self.dense = nn.Dense(2, 2)
        object.__setattr__(self, "operator", operator)

    def construct(self, x):
        return self.operator(self.dense(x))


class Wrapped(nn.TrainOneStepCell):
    """MindSpore's training cell under another name: its network alone is run again."""


gather_all = ops.AllGather


def gathers(x):
    return gather_all()(x)


def gathers_by_module(x):
    return distributed.all_gather([x], x)


def by_rank(x):
    return x * get_rank()


def closes_over(operator):
    return lambda x: operator(x)


@pytest.mark.parametrize("cls", [comm_ops.AllGather, comm_ops.Broadcast, comm_ops.ReduceScatter])
def test_an_operator_that_waits(cls):
    cell = Holds(_operator(cls))
    assert waits_for_ranks([nn.SequentialCell(cell)]) == f"{cls.__name__} in Holds"
    assert waits_for_ranks([], (closes_over(_operator(cls)),)).startswith(f"{cls.__name__} in closes_over")


@pytest.mark.parametrize("function", [gathers, gathers_by_module])
def test_a_function_that_waits(function):
    assert function.__name__ in waits_for_ranks([nn.Dense(2, 2)], (function,))


@pytest.mark.parametrize("function", [by_rank, closes_over(_operator(comm_ops.AllReduce))])
def test_what_does_not_wait(function):
    net = nn.SequentialCell(Holds(_operator(comm_ops.AllReduce)), nn.Dense(2, 2))
    step = Wrapped(net, nn.SGD(net.trainable_params(), 0.1))
    assert waits_for_ranks([step], (function,)) is None


def test_an_optimizer_that_gathers_what_it_updated():
    optimizer = nn.SGD(nn.Dense(2, 2).trainable_params(), 0.1)
    assert waits_for_ranks([optimizer]) is None
    object.__setattr__(optimizer, "use_parallel", True)
    assert waits_for_ranks([optimizer]) == "the parallel optimizer SGD"


@pytest.mark.parametrize(("op", "expected"), [("sum", 8.0), ("max", 2.0), ("prod", 16.0)])
def test_a_reduction_is_that_of_equal_ranks(monkeypatch, op, expected):
    monkeypatch.setattr("mindspore.communication.get_group_size", lambda group: 4)
    with on_one_rank():
        value = _operator(comm_ops.AllReduce, op=op)(Tensor([2.0]))
    np.testing.assert_allclose(value.asnumpy(), [expected])
    assert "__call__" not in vars(comm_ops.AllReduce)


@pytest.mark.parametrize(("mean", "expected"), [(True, 3.0), (False, 12.0)])
def test_a_reducer_divides_by_its_degree(monkeypatch, mean, expected):
    monkeypatch.setattr("mindspore.communication.get_group_size", lambda group: 4)
    reducer = nn.DistributedGradReducer.__new__(nn.DistributedGradReducer)
    nn.Cell.__init__(reducer)
    held = {"mean": mean, "degree": Tensor(0.25), "allreduce": _operator(comm_ops.AllReduce)}
    reducer.__dict__.update(held)
    before = nn.DistributedGradReducer.construct
    with on_one_rank():
        given = nn.DistributedGradReducer.construct(reducer, (Tensor([3.0]), Tensor([3.0])))
    assert isinstance(given, tuple) and [one.asnumpy()[0] for one in given] == [expected] * 2
    assert nn.DistributedGradReducer.construct is before
