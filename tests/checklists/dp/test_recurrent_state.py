"""dp.03 where the state of a recurrent network is carried from step to step, and where it only looks so."""

import pytest
from building import Run, dataset, one_pass, parameter

OFF = {"declared": False, "means": [], "buffer_size": None, "seekable_source": True}
ON = {"declared": True, "means": ["GeneratorDataset(shuffle=True)"], "buffer_size": None, "seekable_source": True}
SAME = {"same_order_as_first": True, "equal_samples": 1440}
LOOP = "for x, y in data.create_tuple_iterator():\n    {statement}\n"
INSIDE = "def forward(x):\n    for t in range(12):\n        h = cell(x[:, t], h)\n    return h\n"
KEPT = "class Net(nn.Cell):\n    def construct(self, x):\n        {statement}\n        return x\n"
STATE = parameter("net.h", [32, 64], kind="other", requires_grad=False, in_optimizer=False)


def judged(verdict, code, shuffle=OFF, passes=SAME, state=None):
    run = Run(datasets=[dataset(passes=[one_pass(1), one_pass(2, **passes)], shuffle=shuffle)])
    run.source["train.py"] += code
    if state is not None:
        run.facts["parameters"]["parameters"].append(state)
    return verdict("dp.03", run)


@pytest.mark.parametrize(
    "statement",
    [
        "loss, state = train_step(x, y, state)",
        "(loss, h), grads = grad_fn(x, y, h)",
        "loss, (h, c) = step(x, y, (h, c))",
    ],
)
def test_a_state_that_goes_through_the_loop(verdict, statement):
    entry = judged(verdict, LOOP.format(statement=statement))
    assert entry["conclusion"] == "ok" and entry["locations"] == [{"file": "train.py", "line": 12}]


@pytest.mark.parametrize(
    "statement",
    ["self.h = last", "ops.assign(self.h, ops.stop_gradient(last))", "self.h.set_data(last)"],
)
def test_a_state_that_waits_in_a_parameter(verdict, statement):
    assert judged(verdict, KEPT.format(statement=statement), state=STATE)["conclusion"] == "ok"


@pytest.mark.parametrize(
    "code, state",
    [
        (INSIDE, None),  # over the elements of one sequence
        (LOOP.format(statement="loss = train_step(x, y)"), None),
        (LOOP.format(statement="params, opt_state = update(params, opt_state, x)"), None),
        (LOOP.format(statement="state = prepare(state)"), None),  # no data beside it
        (KEPT.format(statement="self.h = last"), None),  # no such parameter
        (KEPT.format(statement="self.h.set_data(ops.zeros_like(self.h))"), STATE),  # only set back
        (KEPT.format(statement="self.h = last"), {**STATE, "shape": [64, 4096]}),  # a queue or memory, no batch in it
        (KEPT.format(statement="self.h = last"), {**STATE, "requires_grad": True, "in_optimizer": True}),
    ],
)
def test_what_only_looks_like_it(verdict, code, state):
    assert (
        judged(verdict, code, state=state)["conclusion"] == "undecided"
    )  # one mixed order, for no reason that is known


def test_a_shuffle_that_repeats_itself_is_still_one(verdict):
    code = LOOP.format(statement="loss, state = train_step(x, y, state)")
    assert judged(verdict, code, shuffle=ON)["conclusion"] == "problem"


def test_samples_grouped_by_label_still_are(verdict):
    code = LOOP.format(statement="loss, state = train_step(x, y, state)")
    grouped = {"label_changes": 9, "expected_changes": 1296.0, "label_segment_dependence": 0.93}
    assert judged(verdict, code, passes={**SAME, **grouped})["conclusion"] == "problem"


def test_plain_arrays_whose_state_makes_every_sample_new(verdict):
    pipeline = [{"op": "arguments of the training step", "args": {}, "place": {"file": "train.py", "line": 13}}]
    unknown = {"declared": None, "means": [], "buffer_size": None, "seekable_source": None}
    one = dataset(passes=[one_pass(1, complete=False)], shuffle=unknown, pipeline=pipeline, iterated_at=None)
    run = Run(datasets=[one])
    run.source["train.py"] += "for i in range(9):\n    x = rows[i]\n    loss, h = train_step(x, y, h)\n"
    assert verdict("dp.03", run)["conclusion"] == "ok"
    game = "for i in range(9):\n    state, reward = world.move(action, state)\n    train_step(x, y)\n"
    played = Run(datasets=[one])
    played.source["train.py"] += game
    assert verdict("dp.03", played)["conclusion"] == "undecided"  # not the state of the network
    run.source["train.py"] = run.source["train.py"].replace(", h", "")
    assert verdict("dp.03", run)["conclusion"] == "undecided"
