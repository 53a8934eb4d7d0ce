"""Who made the first value that is not finite, on traces written by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from msprec.locate.origin import backward_culprit, forward_culprit
from msprec.locate.trace import Node, bad_values

INF, NAN = float("inf"), float("nan")


class Value:
    """What verdicts need of a Tensor."""

    dtype = "Float32"

    def __init__(self, *numbers) -> None:
        self._numbers = np.array(numbers, np.float32)

    def asnumpy(self):
        return self._numbers


class Parameter(Value):
    pass


class Made:
    """A trace made node by node."""

    def __init__(self) -> None:
        self.nodes, self.producers, self.bad_edges = [], {}, []

    def node(self, operator: str, inputs: list, *results, literals=(), cell=None) -> Node:
        node = Node(None, "net", operator, ())
        node.inputs, node.results, node.literals, node.cell_object = list(inputs), list(results), list(literals), cell
        node.sources = [self.producers[id(value)] for value in inputs if id(value) in self.producers]
        node.bad_inputs, node.bad = _either(inputs), _either(results)
        self.producers.update({id(value): node for value in results})
        self.nodes.append(node)
        return node

    def edge(self, node: Node, value, gradient=(True, False)) -> None:
        self.bad_edges.append(SimpleNamespace(node=node, value=value, gradient=gradient))


def _either(values) -> tuple:
    pairs = [bad_values(value) for value in values]
    return any(nan for nan, _ in pairs), any(inf for _, inf in pairs)


@pytest.fixture
def made():
    return Made()


def test_the_first_of_a_chain(made):
    x, zero, low, loss = Value(1.0, 0.0), Value(0.0), Value(-INF), Value(NAN)
    made.node("Abs", [x], zero)
    log = made.node("Log", [zero], low)
    made.node("Mul", [low, zero], loss)
    assert forward_culprit(made, loss) == ("forward", log, None, None)


def test_a_branch_that_did_not_reach_the_loss_is_not_blamed(made):
    x, aside, low, loss = Value(0.0), Value(INF), Value(-INF), Value(-INF)
    made.node("Div", [x], aside)
    log = made.node("Log", [x], low)
    made.node("Sum", [low], loss)
    assert forward_culprit(made, loss).node is log


def test_nan_is_followed_before_an_infinity(made):
    x, inf, nan, loss = Value(2.0), Value(INF), Value(NAN), Value(NAN)
    made.node("Exp", [x], inf)
    root = made.node("Sqrt", [x], nan)
    made.node("Add", [inf, nan], loss)
    assert forward_culprit(made, loss).node is root


@pytest.mark.parametrize("how", ["literal", "maker"])
def test_an_infinity_on_purpose(made, how):
    """A mask of -inf is no fault; the softmax that makes a NaN of a whole row of it is."""
    x, mask, probabilities = Value(1.0), Value(-INF, -INF), Value(NAN, NAN)
    if how == "literal":
        made.node("masked_fill", [x], mask, literals=[-INF])
    else:
        made.node("ops.full", [], mask)
    softmax = made.node("Softmax", [mask], probabilities)
    assert forward_culprit(made, probabilities).node is softmax


def test_without_a_producer_of_the_loss_the_first_birth_counts(made):
    """A loss that compiled code made: its producer was not seen."""
    x, mask, low = Value(0.0), Value(-INF), Value(-INF)
    made.node("where", [x], mask, literals=[-INF])
    log = made.node("Log", [x], low)
    assert forward_culprit(made, Value(NAN)).node is log
    assert forward_culprit(Made(), Value(NAN)) is None


def test_from_outside(made):
    """NaN that came in with the batch, or in a weight, was made by no expression of this step."""
    batch, weight, bias = Value(NAN, 1.0), Parameter(NAN), Parameter(1.0)
    first, second = Value(NAN), Value(NAN)
    of_batch = made.node("MatMul", [batch, bias], first)
    assert forward_culprit(made, first) == ("data", of_batch, batch, None)
    of_weight = made.node("Add", [Value(1.0), weight], second)
    assert forward_culprit(made, second) == ("update", of_weight, weight, weight)


def test_losses_in_tuples_and_dicts(made):
    x, nan = Value(0.0), Value(NAN)
    node = made.node("Div", [x], nan)
    assert forward_culprit(made, (Value(1.0), {"aux": nan})).node is node


def test_a_loop_in_the_trace_ends(made):
    """An assignment in place makes a node its own source."""
    kept = Value(NAN)
    node = made.node("assign_add", [kept], kept)
    node.sources = [node]
    assert forward_culprit(made, kept).phase in ("forward", "data")


def test_backward_takes_the_first_bad_gradient(made):
    x, root, loss = Value(0.0), Value(0.0), Value(0.0)
    sqrt = made.node("Sqrt", [x], root)
    made.node("Sum", [root], loss)
    made.edge(sqrt, x)
    assert backward_culprit(made, [], []) == ("backward", sqrt, x, None)
    assert sqrt.gradient == (True, False)
    assert backward_culprit(Made(), [], []) is None


def test_a_later_cell_that_owns_a_bad_gradient_comes_before(made):
    """Backward runs from the last node to the first: a weight of a later cell was reached earlier."""
    weight = Parameter(1.0)
    cell = SimpleNamespace(_params={"weight": weight})
    x, middle, loss = Value(1.0), Value(1.0), Value(1.0)
    first = made.node("Relu", [x], middle)
    dense = made.node("Dense", [middle], loss, cell=cell)
    made.edge(first, x)
    assert backward_culprit(made, [Value(INF)], [weight]) == ("backward", dense, None, weight)
    assert backward_culprit(made, [Value(1.0)], [weight]) == ("backward", first, x, None)


def test_a_parameter_used_by_hand(made):
    weight, x, out = Parameter(1.0), Value(1.0), Value(1.0)
    node = made.node("MatMul", [x, weight], out)
    assert backward_culprit(made, [Value(NAN)], [weight]) == ("backward", node, None, weight)
