"""What `PaddingStatistics` sees in delivered sequences."""

import numpy as np
import pytest

from msprec.observe.data.padding import PaddingStatistics, pad_value

WIDTH = 12


def sequences(low=1, high=50, side="right", value=0, size=80, seed=0):
    """(ids, mask, lengths) of sequences of 4 to 12 ids, filled up."""
    rng = np.random.default_rng(seed)
    ids, mask = np.full((size, WIDTH), value, np.int32), np.zeros((size, WIDTH), np.int32)
    lengths = rng.integers(4, WIDTH + 1, size).astype(np.int32)
    for row, length in enumerate(lengths):
        at = slice(0, length) if side == "right" else slice(WIDTH - length, WIDTH)
        ids[row, at], mask[row, at] = rng.integers(low, high, length), 1
    return ids, mask, lengths


def facts(**columns):
    seen = PaddingStatistics()
    for start in range(0, 80, 20):
        seen.add({name: column[start : start + 20] for name, column in columns.items()}, True)
    return {entry["column"]: entry for entry in seen.facts()}


def test_padding_on_the_right_with_its_mask_and_lengths():
    ids, mask, lengths = sequences()
    found = facts(ids=ids, mask=mask, length=lengths)["ids"]
    assert found["value"] == 0 and found["left_only"] == 0 and found["inside"] == 0 and found["rows"] == 80
    assert found["right_only"] == (lengths < WIDTH).sum() and found["share"] == pytest.approx(1 - mask.mean())
    assert found["mask"]["column"] == "mask" and found["mask"]["padded_on"] == found["mask"]["real_off"] == 0
    assert found["length"] == {"column": "length", "agrees": 1.0}


@pytest.mark.parametrize("order", [("ids_len", "target_len"), ("target_len", "ids_len")])
def test_lengths_of_inputs_and_of_targets(order):
    """As of a transcription: each padded column is held against the lengths that fit it best."""
    ids, _, lengths = sequences()
    targets, _, shorter = sequences(seed=1)
    columns = {"ids_len": lengths, "target_len": shorter}
    found = facts(ids=ids, target=targets, **{name: columns[name] for name in order})
    assert found["ids"]["length"] == {"column": "ids_len", "agrees": 1.0}
    assert found["target"]["length"] == {"column": "target_len", "agrees": 1.0}


def test_padding_in_front():
    ids, mask, _ = sequences(side="left", value=-1)
    found = facts(ids=ids, padding_mask=1 - mask)["ids"]
    assert found["value"] == -1 and found["right_only"] == 0 and found["left_only"] > 40
    assert found["mask"]["inverted"] and found["mask"]["padded_on"] == found["mask"]["real_off"] == 0


def test_a_mask_of_the_wrong_side():
    ids, mask, _ = sequences()
    found = facts(ids=ids, mask=mask[:, ::-1])["ids"]["mask"]
    assert found["padded_on"] > 50 and found["real_off"] > 50


def test_a_mask_that_is_all_ones():
    ids, mask, _ = sequences()
    found = facts(ids=ids, mask=np.ones_like(mask))["ids"]["mask"]
    assert found["padded_on"] == found["padded"] > 0


def test_the_end_mark_that_also_pads():
    ids, mask, lengths = sequences(value=2, low=3)
    ids[np.arange(80), lengths - 1] = 2
    found = facts(ids=ids, mask=mask)["ids"]["mask"]
    assert found["padded_on"] == found["real_off"] == 0


def test_a_value_that_is_also_real():
    ids, _, _ = sequences(low=0, high=8)
    found = facts(ids=ids)["ids"]
    assert found["value"] == 0 and found["inside_rows"] > 20


@pytest.mark.parametrize(
    "rows",
    [
        np.random.default_rng(1).integers(0, 4, (200, 30)),  # bases: runs by chance
        np.random.default_rng(2).integers(0, 1000, (200, 30)),
        (np.random.default_rng(3).random((200, 30)) < 0.1).astype(int) * 7,  # sparse counts
        np.tile(np.array([5, 6, 7, 0, 0]), (200, 1)),  # as long everywhere: a constant
        np.zeros((50, 10), int),
        np.array([[0, 0, 0, 1, 1, 0, 0]] * 40),  # segments
    ],
)
def test_what_is_no_padding(rows):
    assert pad_value([rows]) is None


def test_vectors_and_single_samples():
    rng = np.random.default_rng(4)
    frames = rng.normal(size=(30, 10, 3)).astype(np.float32)
    for row in range(30):
        frames[row, 4 + row % 6 :] = 0
    seen = PaddingStatistics()
    for row in frames:
        seen.add({"frames": row, "kind": np.int32(1)}, False)
    seen.add({"frames": np.zeros((0, 3), np.float32)}, False)
    assert [entry["value"] for entry in seen.facts() if entry["column"] == "frames"] == [0.0]


def test_odd_columns_are_passed_over():
    seen = PaddingStatistics()
    seen.add(
        {
            "text": np.array(["a", "b"]),
            "one": np.array([1, 2]),
            "flag": np.array([[True]] * 2),
            "none": np.zeros((2, 0)),
        },
        True,
    )
    assert seen.facts() == []


def stream(stays=0.3, words=30, length=12000, seed=3):
    """A text in which a word follows itself in that share of places, cut into windows of thirty."""
    rng = np.random.default_rng(seed)
    text = rng.integers(0, words, length)
    for place in np.flatnonzero(rng.random(length) < stays):
        text[place] = text[place - 1]
    return text.reshape(-1, 30)


def test_words_that_repeat_themselves_fill_nothing():
    for seed in range(5):
        assert pad_value([stream(seed=seed)]) is None
    assert pad_value([np.concatenate([stream()[:80]] * 5)]) is None  # the same windows in each epoch


def test_rows_of_several_padded_pieces_are_padded():
    rng = np.random.default_rng(0)
    rows = rng.integers(1, 50, (80, 24))
    for row in rows:
        for end in (12, 24):
            row[end - rng.integers(2, 6) : end] = 0
    assert pad_value([rows]) == 0


def test_lengths_are_known_by_their_values():
    ids, _, lengths = sequences()
    found = facts(ids=ids, n=lengths)["ids"]
    assert found["length"] == {"column": "n", "agrees": 1.0}
    others = np.random.default_rng(3).integers(4, WIDTH + 1, len(ids)).astype(np.int32)
    assert facts(ids=ids, n=others)["ids"]["length"] is None


def test_words_that_a_class_begins_with_fill_nothing():
    rng = np.random.default_rng(1)
    ids = rng.integers(1, 80, (4000, 12))
    ids[:, :3] = 1 + rng.integers(0, 2, (4000, 1)) * 5 + rng.integers(0, 5, (4000, 3))
    assert pad_value([ids]) is None


@pytest.mark.parametrize("most", [2, 4, 9])
def test_little_padding_is_padding(most):
    rng = np.random.default_rng(2)
    rows = rng.integers(1, 50, (400, 24))
    for row, pads in zip(rows, rng.integers(0, most + 1, 400)):
        row[24 - pads :] = 0
    assert pad_value([rows]) == (0 if most > 2 else pad_value([rows]))


def test_zeros_and_ones_of_another_meaning_are_no_mask():
    ids, mask, lengths = sequences()
    halves = (np.arange(WIDTH)[None] >= lengths[:, None] // 2).astype(np.int32) * mask
    assert facts(ids=ids, segment=halves, attention_mask=mask)["ids"]["mask"]["column"] == "attention_mask"
    assert facts(ids=ids, segment=halves)["ids"]["mask"] is None
    assert facts(ids=ids, loss_mask=halves)["ids"]["mask"] is None
    assert facts(ids=ids, keep=mask)["ids"]["mask"]["column"] == "keep"
    wrong = facts(ids=ids, keep=mask, mask=halves)["ids"]["mask"]  # what is called the mask is judged
    assert wrong["column"] == "mask" and wrong["real_off"] > 50
