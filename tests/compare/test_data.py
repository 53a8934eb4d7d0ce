"""`msprec compare data`: what two pipelines deliver."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from click.testing import CliRunner

from msprec.cli import main
from msprec.compare import arrays
from msprec.compare.data.compare import compare_data, read_data, save_batches
from msprec.compare.data.data_text import lines, same

RNG = np.random.RandomState(0)
IMAGES = RNG.rand(48, 3, 6, 5).astype(np.float32)
LABELS = RNG.randint(0, 10, 48).astype(np.int32)


def saved(folder, images=IMAGES, labels=LABELS, batch=16, names=("image", "label")):
    batches = [dict(zip(names, (images[i : i + batch], labels[i : i + batch]))) for i in range(0, len(images), batch)]
    assert save_batches(batches, folder) == len(batches)
    return folder


def told(a, b, lang="en"):
    found = compare_data(read_data(a), read_data(b))
    assert all("{" not in line for line in lines(found, "zh"))
    return lines(found, lang), same(found)


def test_the_same(tmp_path):
    a = saved(tmp_path / "a")
    lines_of_both = [f"Column {name}: all 48 samples are the same, in the same order." for name in ("image", "label")]
    assert told(a, saved(tmp_path / "b", batch=5)) == (lines_of_both, True)
    rounded = IMAGES * np.float32(1 + 3e-7)
    assert told(a, saved(tmp_path / "c", images=rounded))[1]


def test_another_order(tmp_path):
    order = np.random.RandomState(3).permutation(48)
    said, equal = told(
        saved(tmp_path / "a"), saved(tmp_path / "b", IMAGES[order] * np.float32(1 + 2e-7), LABELS[order])
    )
    assert not equal and said[0].startswith("Column image: the same samples in another order")
    assert said[1].startswith("Column label: the same samples in another order") and len(said) == 2


def test_labels_that_belong_to_others(tmp_path):
    said, _ = told(saved(tmp_path / "a"), saved(tmp_path / "b", labels=LABELS[::-1].copy()))
    assert said[0].startswith("Column image: all 48 samples are the same")
    assert "data and labels belong together otherwise" in said[-1]


@pytest.mark.parametrize(
    ("images", "words"),
    [
        (IMAGES * np.float32(255), "B = 255 × A"),
        ((IMAGES - np.float32(0.5)) / np.float32(0.25), "B = 4 × A -2"),
        (IMAGES[:, ::-1].copy(), "the channels come in the reverse order (RGB and BGR)"),
        (IMAGES.transpose(0, 2, 3, 1).copy(), "another layout: B is A with its axes in the order [2, 3, 1]"),
        ((IMAGES * np.float32(2)).transpose(0, 2, 3, 1).copy(), "B = 2 × A"),
        (IMAGES.astype(np.float64) + 0.0, "dtype float32 and float64"),
    ],
)
def test_what_turns_one_into_the_other(tmp_path, images, words):
    said, equal = told(saved(tmp_path / "a"), saved(tmp_path / "b", images=images))
    assert not equal and any(words in line for line in said), said


def test_other_samples(tmp_path):
    other = IMAGES.copy()
    other[10:] = RNG.rand(38, 3, 6, 5)
    said, _ = told(saved(tmp_path / "a"), saved(tmp_path / "b", images=other))
    assert (
        said[0] == "Column image: 10 of 48 are the same at the same place; 10 are in both, wherever (A has 48, B 48)."
    )
    assert "mean" in said[1]
    said, _ = told(tmp_path / "a", saved(tmp_path / "c", images=RNG.rand(48, 3, 6, 5).astype(np.float32)))
    assert said[0].startswith("Column image: no sample is in both")
    said, _ = told(tmp_path / "a", saved(tmp_path / "d", IMAGES[:32], LABELS[:32]))
    assert said[0] == "Column image: the first 32 samples are the same; A has 48 in all, B 32."


def test_columns_and_bad_values(tmp_path):
    a = saved(tmp_path / "a")
    said, _ = told(a, saved(tmp_path / "b", names=("x", "y")))
    assert said[0].startswith("Columns image and x, of different names")
    said, equal = told(a, saved(tmp_path / "c", names=("image", "target")))
    assert "Columns only in A: label." in said and not equal
    bad = IMAGES.copy()
    bad[3, 0, 0, 0] = np.nan
    said, _ = told(a, saved(tmp_path / "d", images=bad))
    assert "Column image: values that are not finite: 0 and 1." in said and any("47 of 48" in line for line in said)
    text = saved(tmp_path / "e", images=np.array([f"s{i}" for i in range(48)]))
    assert told(text, text)[1]


def test_tensors_of_mindspore_and_pytorch(tmp_path):
    ms, torch = pytest.importorskip("mindspore"), pytest.importorskip("torch")
    from mindspore import dataset

    pipeline = dataset.NumpySlicesDataset((IMAGES, LABELS), ["image", "label"], shuffle=False).batch(8)
    assert save_batches(pipeline.create_dict_iterator(num_epochs=1), tmp_path / "a", most=5) == 5
    assert ms is not None
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.tensor(IMAGES), torch.tensor(LABELS)), 8)
    assert save_batches(loader, tmp_path / "b", most=5) == 5
    said, equal = told(tmp_path / "a", tmp_path / "b")
    assert equal and len(said) == 4 and "all 40 samples are the same" in said[1]


def test_the_command(tmp_path):
    a, b = saved(tmp_path / "a"), saved(tmp_path / "b", images=IMAGES * 2)
    run = CliRunner().invoke
    done = run(main, ["compare", "data", str(a), str(b), "--lang", "en", "--fail-on-difference"])
    assert done.exit_code == 1 and "B = 2 × A" in done.output
    assert run(main, ["compare", "data", str(a), str(a), "--fail-on-difference"]).exit_code == 0
    for path in (tmp_path / "none", tmp_path / "none.npz"):
        done = run(main, ["compare", "data", str(a), str(path)])
        assert done.exit_code == 2 and len(done.output.splitlines()) == 1


def test_headers_are_read_one_at_a_time(tmp_path, monkeypatch):
    inside, most = [], []
    read = arrays.npy.read_array_header_1_0

    def slowly(file):
        inside.append(1)
        time.sleep(0.01)
        most.append(len(inside))
        found = read(file)
        inside.pop()
        return found

    monkeypatch.setattr(arrays.npy, "read_array_header_1_0", slowly)
    np.save(tmp_path / "a.npy", np.zeros((2, 3), np.float32))
    with ThreadPoolExecutor(4) as pool:
        assert [item.shape for item in pool.map(arrays.open_npy, [tmp_path / "a.npy"] * 8)] == [(2, 3)] * 8
    assert max(most) == 1
