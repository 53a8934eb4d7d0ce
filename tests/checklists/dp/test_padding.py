"""dp.04 on recorded facts."""

import pytest
from building import Run, column, dataset, pad

from msprec.bilingual import Text
from msprec.checklists.common.training.constant_prediction import BesideConstant, ConstantLoss
from msprec.checklists.dp.padding import padding

IDS = column("ids", dtype="int32", kind="int", shape=[12])


def mask(padded_on=0, real_off=0, inverted=False):
    return {
        "column": "mask",
        "padded": 1500,
        "real": 3600,
        "padded_on": padded_on,
        "real_off": real_off,
        "inverted": inverted,
    }


def run(*pads, other=None, source="", **changes):
    sets = [dataset([IDS], padding=list(pads), **changes)]
    if other is not None:
        sets.append(dataset([IDS], role=other[0], padding=[other[1]]))
    made = Run(datasets=sets)
    made.source["train.py"] += source
    return made


@pytest.mark.parametrize(
    "pads, other",
    [
        ([pad()], None),
        ([pad(mask=mask())], None),
        ([pad(mask=mask(inverted=True))], None),
        ([pad(mask=mask(padded_on=3))], None),
        ([pad(inside=900, inside_rows=300, mask=mask())], None),  # the mask tells them apart
        ([pad(left_only=430, right_only=0)], None),
        ([pad(both=430, right_only=0)], None),
        ([pad(left_only=2)], None),
        ([pad(inside=4, inside_rows=4)], None),
        ([pad(length={"column": "n", "agrees": 0.99})], None),
        ([pad()], ("eval", pad(lengths=[20, 20]))),
    ],
)
def test_padding_that_is_consistent(verdict, pads, other):
    entry = verdict("dp.04", run(*pads, other=other))
    assert entry["conclusion"] == "ok", entry["summary"]


@pytest.mark.parametrize(
    "pads, other, says",
    [
        ([pad(mask=mask(padded_on=1500))], None, "marks 1 500"),
        ([pad(mask=mask(real_off=400))], None, "hides 400"),
        ([pad(length={"column": "n", "agrees": 0.1})], None, "10 %"),
        ([pad(right_only=200, left_only=200, length={"column": "n", "agrees": 1.0})], None, "200 on the left"),
        ([pad()], ("eval", pad(value=-1.0)), "with -1"),
        ([pad()], ("eval", pad(right_only=0, left_only=400)), "on the left in the evaluation"),
    ],
)
def test_padding_that_contradicts_itself(verdict, pads, other, says):
    entry = verdict("dp.04", run(*pads, other=other))
    assert entry["conclusion"] == "problem" and says in entry["summary"], entry["summary"]
    assert entry["locations"]


def test_prompts_padded_in_front_for_generating_may_be_meant(verdict):
    entry = verdict("dp.04", run(pad(), other=("predict", pad(right_only=0, left_only=400))))
    assert entry["conclusion"] == "undecided"


def test_nothing_padded(verdict):
    assert verdict("dp.04", Run())["conclusion"] == "not_applicable"
    entry = verdict("dp.04", run(source="data = data.padded_batch(8, pad_info={})\n"))
    assert entry["conclusion"] == "ok" and "nothing that was delivered" in entry["summary"]
    assert verdict("dp.04", Run(datasets=[]))["conclusion"] == "undecided"


def test_signals_that_begin_with_silence_are_not_padded(verdict):
    quiet = pad(column="wave", kind="float", right_only=200, left_only=200)
    assert verdict("dp.04", run(quiet))["conclusion"] == "not_applicable"
    padded = run(quiet, source="wave = np.pad(wave, (0, 16000 - len(wave)))\n")
    assert verdict("dp.04", padded)["conclusion"] == "problem"
    layer = run(quiet, source="self.conv = nn.Conv1d(1, 8, 3, pad_mode='pad', padding=1)\n")
    assert verdict("dp.04", layer)["conclusion"] == "not_applicable"


@pytest.mark.parametrize(
    "declared, pads, conclusion",
    [
        ({"side": "right", "value": 0, "length": 12}, [pad()], "ok"),
        ({"side": "left"}, [pad()], "problem"),
        ({"side": "left"}, [pad(left_only=430, right_only=0)], "ok"),
        ({"side": "right"}, [pad(both=430, right_only=0)], "problem"),
        ({"value": 1}, [pad()], "problem"),
        ({"length": 16}, [pad()], "problem"),
        ({"length": 12}, [pad(lengths=[8, 12])], "problem"),
        # labels that are padded with a value of their own, as the loss ignores it
        ({"value": 0, "side": "right"}, [pad(), pad(column="targets", value=-100.0)], "ok"),
        ({"value": 0}, [], "undecided"),
        ({"length": 12}, [], "ok"),
    ],
)
def test_padding_beside_the_declared_design(verdict, declared, pads, conclusion):
    made = run(*pads)
    made.facts["design"] = {"file": "msprec.toml", "padding": declared}
    entry = verdict("dp.04", made)
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert any(piece["source"] == "design" for piece in entry["evidence"]) or pads
    if conclusion == "problem":
        assert "design" in entry["summary"] and entry["locations"]


def test_a_mask_that_is_wrong_stays_wrong_beside_a_design(verdict):
    made = run(pad(mask=mask(padded_on=900)))
    made.facts["design"] = {"file": "msprec.toml", "padding": {"side": "right"}}
    entry = verdict("dp.04", made)
    assert entry["conclusion"] == "problem" and "mask" in entry["summary"]


SEQ_LENGTH = """
class Reader(nn.Cell):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(3, 16, batch_first=True)

    def construct(self, x, n):
        return self.rnn(x, {given})[1]
"""


@pytest.mark.parametrize(
    "given, side, conclusion",
    [
        ("seq_length=n", "left", "problem"),
        ("None, n.astype(ms.int32)", "left", "problem"),
        ("seq_length=n", "right", "ok"),
        ("seq_length=None", "left", "ok"),
        ("None, ops.flip(n)", "left", "ok"),
        ("seq_length=12 - n", "left", "ok"),
    ],
)
def test_lengths_that_are_counted_from_the_start(verdict, given, side, conclusion):
    sides = {"left_only": 430 if side == "left" else 0, "right_only": 430 if side == "right" else 0}
    padded = pad(length={"column": "n", "agrees": 1.0}, kind="float", **sides)
    entry = verdict("dp.04", run(padded, source=SEQ_LENGTH.format(given=given)))
    assert entry["conclusion"] == conclusion, entry["summary"]
    assert ("counts n from the first element" in entry["summary"]) == (conclusion == "problem")


def targets(ignored=-100, reduction="mean", distinct=30, least=0.0, source="", share=0.3, shape=(384,)):
    """Targets that are filled up, and the labels that a cross-entropy was captured with."""
    out = column("out", dtype="int32", kind="int", shape=[12])
    label = {"column": "out", "kind": "sequence", "counts": None}
    made = Run(datasets=[dataset([IDS, out], label=label, padding=[pad(column="out", share=share)])])
    made.source["train.py"] += source
    one = {
        "kind": "softmax_cross_entropy",
        "name": "CrossEntropyLoss",
        "place": {"file": "train.py", "line": 6},
        "settings": {"reduction": reduction, "ignore_index": ignored},
        "predicted": {"shape": [*shape, 40]},
        "labels": {"shape": list(shape), "min": least, "max": 39.0, "distinct": distinct},
    }
    made.facts["probes"] = {"losses": [one]}
    return made


def test_padding_that_the_loss_counts_is_pointed_out(verdict):
    entry = verdict("dp.04", targets())
    assert entry["conclusion"] == "undecided" and "ignore_index" in entry["summary"]
    fine = (
        targets(ignored=0),
        targets(reduction="none"),  # a mask may follow
        targets(least=1.0),  # the targets were chosen before the loss
        targets(shape=(200,)),
        targets(share=0.02),
        targets(source="\nloss = nn.CrossEntropyLoss(weight=w)\n"),
    )
    for run in fine:
        assert verdict("dp.04", run)["conclusion"] == "ok"


@pytest.mark.parametrize(
    "source, conclusion",
    [
        ("\nx = np.pad(x, (0, 12 - len(x)))\n", "problem"),
        ("", "undecided"),  # zeros at the ends of rows, as of sparse counts, and nothing that pads
    ],
)
@pytest.mark.parametrize(
    "found, says",
    [
        ({"inside": 900, "inside_rows": 300}, "real value"),
        ({"right_only": 200, "left_only": 200}, "200 on the left"),
    ],
)
def test_what_only_looks_like_padding_is_a_guess(verdict, found, says, source, conclusion):
    entry = verdict("dp.04", run(pad(**found), source=source))
    assert entry["conclusion"] == conclusion and says in entry["summary"]


@pytest.mark.parametrize(
    ("tags", "words", "conclusion"),
    [
        ({"padded_on": 300}, {}, "ok"),  # the tag of most words is the number that fills up
        ({"padded_on": 300}, {"padded_on": 200}, "problem"),  # no column agrees with the mask
        ({"padded_on": 300, "real_off": 300}, {}, "problem"),  # filled up on another side than the words
    ],
)
def test_labels_whose_filling_is_a_real_label(verdict, tags, words, conclusion):
    ids = pad(mask=mask(**words))
    labels = pad(column="tags", right_only=300, left_only=40, inside=900, inside_rows=300, mask=mask(**tags))
    labels["length"] = {"column": "n", "agrees": 0.7}
    entry = verdict("dp.04", run(ids, labels))
    assert entry["conclusion"] == conclusion, entry["summary"]


@pytest.mark.parametrize(
    ("words", "inside", "conclusion"),
    [(1.0, 900, "ok"), (0.7, 900, "problem"), (1.0, 0, "problem")],
)
def test_labels_whose_filling_is_a_real_label_beside_lengths(verdict, words, inside, conclusion):
    ids, labels = pad(), pad(column="tags", right_only=300, left_only=40, inside=inside, inside_rows=inside // 3)
    ids["length"], labels["length"] = {"column": "n", "agrees": words}, {"column": "n", "agrees": 0.3}
    entry = verdict("dp.04", run(ids, labels))
    assert entry["conclusion"] == conclusion, entry["summary"]


@pytest.mark.parametrize(
    ("words", "conclusion"),
    [(mask(), "ok"), (None, "undecided")],
)
def test_a_mask_of_the_signal_tells_the_real_tags_as_well(verdict, words, conclusion):
    tags = pad(column="tags", right_only=300, left_only=9, inside=900, inside_rows=300)
    assert verdict("dp.04", run(pad(mask=words), tags))["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("share", "gain", "means", "conclusion"),
    [
        (0.44, 0.81, True, "problem"),
        (0.44, 0.97, True, "ok"),  # solved all the same
        (0.2, 0.81, True, "ok"),
        (0.44, 0.81, False, "ok"),
    ],
)
def test_a_mean_that_counts_the_padding(verdict, monkeypatch, share, gain, means, conclusion):
    outcome = BesideConstant("learnt", 1 - gain, ConstantLoss(1.0, Text("", ""), "mse", "y"), 450)
    monkeypatch.setattr(padding, "learning_outcome", lambda _: outcome)
    made = run(pad(share=share))
    entry = {"operator": "mean", "place": {"file": "train.py", "line": 6}, "share": 0.04}
    facts = {"samples": 48, "softmaxes": [], "means": [entry] if means else [], "masks": [], "hiding": []}
    made.facts["probes"] = {"attended_padding": facts, "skipped": {}}
    assert verdict("dp.04", made)["conclusion"] == conclusion
