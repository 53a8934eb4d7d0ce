"""What td.05 and td.06 read in the source of a network's cells: states that are kept, masks that are drawn once."""

import pytest
from building import PLACE, Run, dataset, run_data

from msprec.checklists.td.random_draws.fixed_masks import fixed_masks
from msprec.checklists.td.received_batches.carried_states import carried_states
from msprec.engine.run_data import RunData


@pytest.fixture
def reading(tmp_path):
    """The run data of a network of these classes, whose source is ``code``."""

    def read(code: str, *classes: str, shuffled: bool = True) -> RunData:
        shuffle = {"declared": shuffled, "means": [], "buffer_size": None, "seekable_source": True}
        made = Run(source={"train.py": code}, datasets=[dataset(shuffle=shuffle, iterated_at=PLACE)])
        cells = made.facts["network"]["networks"][0]["cells"]
        cells[:] = [{**cells[0], "path": name.lower(), "class": name, "builtin": False} for name in classes]
        return run_data(tmp_path, made)

    return read


_DROP = """class Drop(nn.Cell):
    def __init__(self):
        self.kept = {mask}
    def construct(self, x):
        {body}
"""
_GUARDED = "return x * self.kept if self.training else x"


@pytest.mark.parametrize(
    ("mask", "body", "found"),
    [
        ("Tensor(np.random.rand(8) > 0.5)", _GUARDED, True),
        ("Tensor(np.random.binomial(1, 0.5, 8))", "return ops.mul(x, self.kept)", True),
        ("Tensor(np.ones(8))", _GUARDED, False),
        ("Tensor(rng.normal(size=8))", _GUARDED, False),  # random features, no zeros and ones
        ("Tensor(np.random.rand(8) > 0.5)", "return x + self.kept", False),
    ],
)
def test_a_mask_that_is_drawn_once(reading, mask, body, found):
    seen = fixed_masks(reading(_DROP.format(mask=mask, body=body), "Drop", "Dense"))
    assert [(one.name, one.place.line) for one in seen] == ([("kept", 3)] if found else [])


def test_masks_of_weights_and_of_cells_that_do_not_run(reading):
    sparse = _DROP.replace("Drop", "Sparse").format(
        mask="Tensor(np.random.rand(8) < 0.3)", body="return x @ (self.w * self.kept)"
    )
    assert fixed_masks(reading(sparse, "Sparse")) == []
    assert fixed_masks(reading(_DROP.format(mask="Tensor(np.random.rand(8) > 0.5)", body=_GUARDED), "Dense")) == []


_READER = """class Reader(nn.Cell):
    def __init__(self):
        self.gru, self.h = nn.GRUCell(3, 8), zeros(8)
    def construct(self, x):
        h = self.gru(x, self.h)
        {kept}
        return h
"""


@pytest.mark.parametrize(
    ("kept", "rest", "shuffled", "line"),
    [
        ("self.h = ops.stop_gradient(h)", "", True, 6),
        ("ops.assign(self.h, h)", "", True, 6),
        ("self.h, self.c = h, 1", "", True, 6),
        ("self.h = h", "", False, None),  # in their order, a state that goes on
        ("self.h = h", "net.h = ops.zeros(8)\n", True, None),
        ("self.last = h", "", True, None),
        ("pass", "", True, None),
        ("self.hidden = h\n        h = self.out(self.hidden)", "", True, None),  # shown to others, not carried
    ],
)
def test_a_state_that_is_kept(reading, kept, rest, shuffled, line):
    seen = carried_states(reading(_READER.format(kept=kept) + rest, "Reader", "GRUCell", shuffled=shuffled))
    assert (seen and seen.locations[0]["line"]) == line


def test_a_memory_of_a_network_without_recurrence(reading):
    assert (
        carried_states(reading(_READER.format(kept="self.h = h").replace("GRUCell", "Dense"), "Reader", "Dense"))
        is None
    )


_LOOP = """class Reader(nn.Cell):
    def construct(self, x, state):
        return self.out(self.cell(x, state))
def zero_state(n):
    return ops.zeros((n, 8))
{begin}for x, y in data.create_tuple_iterator():
    {body}
"""


@pytest.mark.parametrize(
    ("begin", "body", "shuffled", "line"),
    [
        ("h = zero_state(4)\n", "loss, h = step(x, y, h)", True, 8),
        (
            "state = (zero_state(4), zero_state(4))\n",
            "(loss, last), grads = grad_fn(x, y, *state)\n    opt(grads)\n    "
            "state = tuple(ops.stop_gradient(s) for s in last)",
            True,
            10,
        ),
        ("h = zero_state(4)\n", "loss, h = step(x, y, h)", False, None),  # in their order
        ("", "h = zero_state(4)\n    loss, h = step(x, y, h)", True, None),  # each batch begins with zeros
        ("", "loss, out = step(x, y)", True, None),
    ],
)
def test_a_state_that_the_loop_hands_on(reading, begin, body, shuffled, line):
    seen = carried_states(reading(_LOOP.format(begin=begin, body=body), "Reader", "LSTMCell", shuffled=shuffled))
    assert (seen and seen.locations[0]["line"]) == line


_ROWS = """class Reader(nn.Cell):
    def construct(self, x, h):
        return self.out(self.cell(x, h))
for epoch in range(9):
    order = {order}
    h = zeros(8)
    for b in range(20):
        rows = order[8 * b : 8 * b + 8]
        loss, h = step(x[rows], y[rows], h)
"""


@pytest.mark.parametrize(
    ("order", "line"), [("rng.permutation(160)", 9), ("np.arange(160)", None), ("ops.randperm(160)", 9)]
)
def test_a_state_beside_rows_of_plain_arrays(tmp_path, order, line):
    where = {"file": "train.py", "line": 9}
    taken = [{"op": "arguments of the training step", "args": {}, "place": where}]
    plain = dataset(iterated_at=where, pipeline=taken)
    made = Run(source={"train.py": _ROWS.format(order=order)}, datasets=[plain])
    cells = made.facts["network"]["networks"][0]["cells"]
    cells[:] = [{**cells[0], "path": name.lower(), "class": name, "builtin": False} for name in ("Reader", "GRUCell")]
    seen = carried_states(run_data(tmp_path, made))
    assert (seen and seen.locations[0]["line"]) == line
