"""dp.04 where the mask is delivered rightly and the network takes it for its opposite."""

import pytest
from building import Run, column, dataset, pad

CODE = """

class Attention(nn.Cell):
    def construct(self, x, mask):
        score = ops.matmul(x, x.swapaxes(-1, -2))
        {line}
        return ops.matmul(ops.softmax(score, axis=-1), x)


class Net(nn.Cell):
    def construct(self, ids, mask):
        return self.att(self.embed(ids), {given})


def forward(ids, mask, y):
    return loss_fn(net(ids, mask), y)
"""
OUTER = """

class Outer(nn.Cell):
    def construct(self, {arguments}):
        {line}
        return self.net(ids, {given})
"""
EQUAL_1 = "score = score.masked_fill(mask[:, None, :] == 1, -1e9)"
EQUAL_0 = "score = score.masked_fill(mask[:, None, :] == 0, -1e9)"


def judged(verdict, line, given="mask", inverted=False, more="", columns=()):
    told = {"column": "mask", "padded": 1500, "real": 3600, "padded_on": 0, "real_off": 0, "inverted": inverted}
    given_columns = [column(name, dtype="int32", kind="int", shape=[12]) for name in ("ids", *columns)]
    run = Run(datasets=[dataset(given_columns, padding=[pad(mask=told)])])
    run.source["train.py"] += CODE.format(line=line, given=given) + more
    return verdict("dp.04", run)


@pytest.mark.parametrize(
    "line",
    [
        EQUAL_1,
        "score = ops.masked_fill(score, mask.expand_dims(1).astype(ms.bool_), float('-inf'))",
        "score = score.masked_fill(mask.bool().unsqueeze(1), -10000.0)",
        "score = score + mask[:, None, :] * -1e9",
        "score = score + (1.0 - (mask == 0)) * -1e9",
        "score = score.masked_fill(ops.logical_not(mask.equal(0)), -1e9)",
    ],
)
def test_real_elements_are_hidden(verdict, line):
    entry = judged(verdict, line)
    assert entry["conclusion"] == "problem" and "hides just those" in entry["summary"], entry["summary"]
    assert entry["locations"][0] == {"file": "train.py", "line": 16}
    assert judged(verdict, line, inverted=True)["conclusion"] == "ok"


@pytest.mark.parametrize(
    "line",
    [
        EQUAL_0,
        "score = score.masked_fill(~mask[:, None, :].astype(ms.bool_), -1e9)",
        "score = score + (1.0 - mask[:, None, :]) * -10000.0",
        "score = ops.masked_fill(score, ops.logical_not(mask.expand_dims(1)), -1e9)",
        "score = score.masked_fill(mask == 1, 0.0)",  # not hidden from a softmax
    ],
)
def test_padding_is_hidden(verdict, line):
    assert judged(verdict, line)["conclusion"] == "ok"


def test_scores_multiplied_by_the_mask(verdict):
    entry = judged(verdict, "score = score * mask[:, None, :]")
    assert entry["conclusion"] == "problem" and "exp(0)" in entry["summary"]


@pytest.mark.parametrize(
    "changes",
    [
        {"given": "mask == 0"},
        {"given": "1 - mask"},
        {"given": "ops.logical_not(mask)"},
        {"given": "self.causal_mask"},
        {"more": OUTER.format(arguments="ids, pad_mask", line="pass", given="1 - pad_mask")},
        {"more": OUTER.format(arguments="ids", line="mask = ids == 0", given="mask")},
        {"more": "\n\ndef train_step(ids, mask, y):\n    mask = ids == 0\n    return forward(ids, mask, y)\n"},
        {
            "more": "\n\nfor ids, mask, y in data.create_tuple_iterator():\n    mask = 1 - mask\n    step(ids, mask, y)\n"
        },
    ],
)
def test_a_mask_that_changes_on_its_way_is_left_alone(verdict, changes):
    assert judged(verdict, EQUAL_1, **changes)["conclusion"] == "ok"


def test_what_makes_the_mask_does_not_count(verdict):
    made = "\n\nclass Texts:\n    def __getitem__(self, i):\n        mask = self.x[i] != 0\n        return self.x[i], mask\n"
    assert judged(verdict, EQUAL_1, more=made)["conclusion"] == "problem"
    assert judged(verdict, EQUAL_0, more=made)["conclusion"] == "ok"


def test_a_mask_by_another_name_on_its_way(verdict):
    outer = OUTER.format(arguments="ids, attention_mask", line="pass", given="attention_mask")
    assert judged(verdict, EQUAL_1, more=outer)["conclusion"] == "problem"
    assert judged(verdict, EQUAL_0, more=outer)["conclusion"] == "ok"
    added = "extended_mask = {} * -10000.0\n        score = score + extended_mask"
    assert judged(verdict, added.format("mask[:, None, :]"))["conclusion"] == "problem"
    assert judged(verdict, added.format("(1.0 - mask[:, None, :])"))["conclusion"] == "ok"


def test_of_two_masks_it_is_not_known_which_is_used(verdict):
    assert judged(verdict, EQUAL_1, columns=("mask", "tgt_pad"))["conclusion"] == "ok"
    assert judged(verdict, EQUAL_1, columns=("mask", "segment"))["conclusion"] == "problem"
