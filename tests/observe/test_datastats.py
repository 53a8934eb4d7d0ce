"""Column statistics and order fingerprints against plain NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from msprec.observe.data.column_statistics import ColumnStatistics, find_suspects
from msprec.observe.data.datasets import DatasetRecord
from msprec.observe.data.sample_order import PassOrder, order_facts, sample_keys


def _column(batches: list, batched: bool = True) -> dict:
    column, position = ColumnStatistics("x"), 0
    for batch in batches:
        column.add(batch, batched, position)
        position += batch.shape[0] if batch.ndim else 1
    return column.facts()


@settings(deadline=None, max_examples=60)
@given(
    hnp.arrays(
        np.float32,
        st.tuples(st.integers(2, 24), st.integers(1, 5)),
        elements=st.one_of(st.floats(-1e4, 1e4, width=32), st.sampled_from([np.nan, np.inf, -np.inf])),
    ),
    st.integers(1, 7),
)
def test_statistics_are_numpys(data: np.ndarray, size: int) -> None:
    facts = _column([data[i : i + size] for i in range(0, len(data), size)])
    finite = data[np.isfinite(data)].astype(np.float64)
    assert facts["elements"] == data.size
    assert facts["nan"] == int(np.isnan(data).sum())
    assert facts["inf"] == int(np.isinf(data).sum())
    bad = np.flatnonzero(~np.isfinite(data).all(1))
    assert facts["nonfinite_samples"] == len(bad)
    assert facts["first_nonfinite"] == bad[:10].tolist()
    if finite.size:
        assert facts["min"] == finite.min()
        assert facts["max"] == finite.max()
        assert facts["mean"] == pytest.approx(finite.mean(), abs=1e-6 * (1 + np.abs(finite).max()))
        assert facts["std"] == pytest.approx(finite.std(), rel=1e-5, abs=1e-5 * (1 + np.abs(finite).max()))
    else:
        assert facts["mean"] is None
    for i, low in enumerate(facts["channels"]["min"]):
        column = data[:, i][np.isfinite(data[:, i])]
        if column.size:
            assert low == column.min()


def test_batches_of_one_sample_alone() -> None:
    rows = np.arange(12, dtype=np.float32).reshape(6, 2)
    same = [np.repeat(rows[i : i + 1], 5, 0) for i in range(3)]
    assert _column([*same, rows])["repeated_batches"] == 3
    assert _column([rows[:1], rows[:3]])["repeated_batches"] == 0  # too few samples to tell
    assert _column([np.full(4, np.nan)])["repeated_batches"] == 0


def test_a_large_mean_keeps_its_spread() -> None:
    data = (1e6 + np.random.RandomState(0).randn(4000, 1)).astype(np.float64)
    facts = _column(np.array_split(data, 13))
    assert facts["std"] == pytest.approx(data.std(), rel=1e-9)


def test_images_have_channels_in_either_layout() -> None:
    data = np.random.RandomState(0).rand(10, 3, 8, 8).astype(np.float32) * [[[[1]], [[2]], [[3]]]]
    first = _column([data[:5], data[5:]])["channels"]
    last = _column([np.moveaxis(data, 1, 3)])["channels"]
    assert first["axis"] == 1
    assert last["axis"] == 3
    assert first["mean"] == pytest.approx(data.mean((0, 2, 3)))
    assert last["std"] == pytest.approx(data.std((0, 2, 3)))


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.float16])
def test_each_channel_has_its_histogram(dtype) -> None:
    data = (np.random.RandomState(0).rand(40, 3, 6, 6) * [[[[10]], [[100]], [[200]]]]).astype(dtype)
    facts = _column([data[:3], data[3:20], data[20:]])
    assert len(facts["channels"]["histograms"]) == 3
    for i, one in enumerate(facts["channels"]["histograms"]):
        assert len(one["edges"]) == len(one["counts"]) + 1 == 65
        assert one["counts"] == np.histogram(data[:, i].astype(float), one["edges"])[0].tolist()
    assert sum(facts["histogram"]["counts"]) == data.size
    one_channel, thirteen = _column([data[:, :1]]), _column([np.ones((4, 13), np.float32)])
    assert one_channel["channels"]["histograms"] is None and thirteen["channels"]["histograms"] is None


def test_a_histogram_grows_with_its_values() -> None:
    """What comes later and lies far outside is counted where it is, not at the edge of the first batch."""
    batches = [np.array([[0.0, 1.0], [1.0, np.nan]]), np.array([[-50.0, np.inf], [3.0, 1.0]]), np.array([[1e30, 2.0]])]
    histograms = _column(batches)["channels"]["histograms"]
    for i, one in enumerate(histograms):
        finite = np.concatenate(batches)[:, i]
        finite = finite[np.isfinite(finite)]
        assert one["edges"][0] <= finite.min() and finite.max() <= one["edges"][-1]
        assert sum(one["counts"]) == len(finite)
    nothing = _column([np.array([[np.nan, 1.0]]), np.array([[np.inf, 2.0]])])["channels"]["histograms"]
    assert nothing[0] == {"edges": [], "counts": []} and sum(nothing[1]["counts"]) == 2
    extreme = _column([np.array([[1e308, 1.0], [-1e308, 2.0]])])["channels"]["histograms"]
    assert extreme[0]["counts"] == [] and sum(extreme[1]["counts"]) == 2


def test_a_large_batch_is_sampled_evenly() -> None:
    """A blank column of pixels must not be all that is counted of pictures whose width divides the interval."""
    data = np.ones((64, 1, 64, 64), np.float32)
    data[..., 0] = 0
    counts = np.array(_column([data])["histogram"]["counts"])
    assert counts.sum() == pytest.approx(data.size, rel=0.02)
    assert counts[counts.nonzero()[0][0]] / counts.sum() == pytest.approx(1 / 64, rel=0.2)


def test_values_strings_and_odd_shapes() -> None:
    labels = _column([np.array([0, 1, 1]), np.array([2, 1, 0])])
    assert labels["values"] == {"0": 2, "1": 3, "2": 1}
    words = _column([np.array(["a", "", "b"]), np.array(["", "b", "b"])])
    assert words["empty_strings"] == 2
    ragged = _column([np.zeros((2, 5)), np.zeros((2, 7))])
    assert (ragged["shape"], ragged["varying_shape"]) == ([None], True)
    assert _column([np.zeros((0, 3), np.float32)])["mean"] is None
    assert _column([np.asarray(np.float32(3.0))], batched=False)["values"] == {"3": 1}
    half = _column([np.array([[65504.0, 1.0]], np.float16)])
    assert half["max"] == 65504.0


def test_repeated_far_values_are_suspects() -> None:
    rng = np.random.RandomState(0)
    rows = rng.randn(500, 3)
    rows[rng.choice(500, 25, replace=False), 1] = -999.0
    found = find_suspects(rows)
    assert (found[0]["feature"], found[0]["value"], found[0]["count"]) == (1, -999.0, 25)
    assert found[0]["nearest_other"] == rows[:, 1][rows[:, 1] > -999].min()
    assert not find_suspects(rng.randn(500, 3))


def _pass(keys, labels=None, size: int = 10) -> PassOrder:
    one = PassOrder(1)
    for i in range(0, len(keys), size):
        one.add(np.asarray(keys[i : i + size], np.uint64), None if labels is None else np.asarray(labels[i : i + size]))
    one.complete = True
    return one


def test_same_and_different_order() -> None:
    keys = sample_keys(np.random.RandomState(0).rand(100, 4).astype(np.float32))
    assert len(np.unique(keys)) == 100
    shuffled = np.random.RandomState(1).permutation(keys)
    facts = order_facts([_pass(keys), _pass(keys), _pass(shuffled)])
    assert [p["same_order_as_first"] for p in facts] == [None, True, False]
    assert facts[2]["equal_samples"] == int((keys == shuffled).sum())


def test_copies_of_one_sample_agree_by_chance() -> None:
    rng = np.random.RandomState(2)
    keys = np.where(rng.rand(400) < 0.8, 7, np.arange(400)).astype(np.uint64)
    entry = order_facts([_pass(keys), _pass(rng.permutation(keys))])[1]
    assert entry["same_order_as_first"] is False
    assert entry["equal_samples"] == pytest.approx(entry["expected_equal"], abs=20)
    assert entry["expected_equal"] == pytest.approx(400 * 0.8**2, abs=40)
    nearly = np.where(np.arange(400) < 399, 7, 1).astype(np.uint64)
    assert order_facts([_pass(nearly), _pass(nearly)])[1]["same_order_as_first"] is None


def test_augmented_data_in_the_same_order_is_told_by_its_labels() -> None:
    rng = np.random.RandomState(0)
    labels = rng.randint(0, 5, 200)
    passes = [_pass(sample_keys(rng.rand(200, 4)), labels) for _ in range(2)]
    assert order_facts(passes)[1]["same_order_as_first"] is True


@pytest.mark.parametrize(("order", "low", "high"), [("sorted", 0.8, 1.01), ("mixed", -0.01, 0.05)])
def test_label_dependence(order: str, low: float, high: float) -> None:
    labels = np.repeat(np.arange(10), 100)
    labels = labels if order == "sorted" else np.random.RandomState(0).permutation(labels)
    facts = order_facts([_pass(np.arange(1000), labels)])[0]
    assert low <= facts["label_segment_dependence"] <= high
    assert facts["label_changes"] == int((labels[1:] != labels[:-1]).sum())
    assert facts["expected_changes"] == pytest.approx(999 * (1 - 10 * 100 * 99 / (1000 * 999)))


def test_keys_see_every_value() -> None:
    base = np.zeros((1, 30), np.float32)
    for i in range(30):
        other = base.copy()
        other[0, i] = 1e-3
        assert sample_keys(other)[0] != sample_keys(base)[0]
    assert sample_keys(np.array(["a", "b"]))[0] != sample_keys(np.array(["a", "b"]))[1]


def test_the_values_of_class_maps_are_counted() -> None:
    maps = np.random.RandomState(1).choice([0, 1, 2, 255], size=(6, 8, 8), p=[0.6, 0.2, 0.1, 0.1]).astype(np.int32)
    values = _column([maps[:4], maps[4:]])["element_values"]
    assert values == {str(v): int((maps == v).sum()) for v in (0, 1, 2, 255)}
    assert _column([maps.astype(np.float32)])["element_values"] is None
    assert _column([maps * 1000])["element_values"] is None


def test_of_large_class_maps_a_regular_sample_is_counted() -> None:
    maps = (np.indices((2, 512, 512))[2] % 4 == 0).astype(np.uint8)
    values = _column([maps])["element_values"]
    assert values["1"] == pytest.approx(maps.sum(), rel=0.05)
    assert values["0"] == pytest.approx(maps.size - maps.sum(), rel=0.05)


def test_pictures_and_tables_differ_in_what_ties_their_features() -> None:
    rng = np.random.default_rng(3)
    smooth = np.cumsum(rng.normal(size=(200, 40)), axis=1)
    levels = np.round(255 * rng.uniform(size=(200, 40))) / 255
    pictures, table = _column([smooth.astype(np.float32)]), _column([rng.normal(size=(200, 40)).astype(np.float32)])
    assert pictures["between_features"]["neighbours"] > 0.8
    assert pictures["between_features"]["apart"] < pictures["between_features"]["neighbours"]
    assert table["between_features"]["neighbours"] < 0.15 and table["between_features"]["levels"] is None
    assert _column([levels])["between_features"]["levels"] <= 256
    assert _column([smooth[:8]])["between_features"] is None
    assert _column([np.ones((50, 6))])["between_features"] is None


def test_a_map_that_folds_lines_makes_the_batch_larger() -> None:
    """Lines of 100 samples each, put together by five and folded by a map after `batch`."""
    folded = DatasetRecord(0, [], [], None)
    folded.batch_size, folded.batched = 5, True
    plain = DatasetRecord(1, [], [], None)
    plain.batch_size, plain.batched = 32, True
    for record, sizes in ((folded, (500, 500)), (plain, (32, 32, 8))):
        one = record.begin_pass(record.begin_iterator())
        for number, size in enumerate(sizes):
            one = record.add({"x": np.full((size, 3), number, np.float32)}, one, True)
    assert folded.facts("")["batch_size"] == 500
    assert plain.facts("")["batch_size"] == 32
