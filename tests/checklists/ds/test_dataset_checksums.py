"""ds.04 on recorded manifests, and the reading of references."""

import json

import pytest
from building import Run, dataset
from click.testing import CliRunner

from msprec.cli import main
from msprec.engine import conclude
from msprec.record.checksums import as_md5sum, from_md5sum
from msprec.references import reference_options

A, B, C = "a" * 32, "b" * 32, "c" * 32


def file(path, md5=A, size=100, via="open"):
    return {
        "path": path,
        "name": path.split("/")[-1],
        "root": "data",
        "bytes": size,
        "md5": md5,
        "dataset": None,
        "via": via,
    }


def run(*files, source="", **changes):
    made = Run(**changes)
    made.facts["data_files"] = {"files": list(files), "complete": True}
    made.source["train.py"] += source
    return made


def reference(**sums):
    names = {name.replace("__", "/").replace("_dot_", "."): md5 for name, md5 in sums.items()}
    listed = [{"name": name, "bytes": 100, "md5": md5} for name, md5 in names.items()]
    return {"reference_data": {"source": "standard", "files": listed}}


HERE = (file("data/train.csv", A), file("data/test.csv", B))
SAME = {"train_dot_csv": A, "test_dot_csv": B}


@pytest.mark.parametrize(
    "files, sums",
    [
        (HERE, SAME),
        (HERE, {"v1__train_dot_csv": A, "v1__test_dot_csv": B}),
        ((*HERE, file("config.json", C)), SAME),  # what is opened beside the data
        ((file("x/a.npy", A), file("y/a.npy", B)), {"y__a_dot_npy": B, "x__a_dot_npy": A}),  # one name in two folders
        (HERE, {**SAME, "readme_dot_md": C}),
        ((file("data/train.csv", A.upper()),), {"train_dot_csv": A}),
    ],
)
def test_the_same_files(verdict, files, sums):
    entry = verdict("ds.04", run(*files), handed=reference(**sums))
    assert entry["conclusion"] == "ok", entry["summary"]


def whole(*names):
    return [file(f"data/{name}", A, via="pipeline") for name in names]


@pytest.mark.parametrize(
    "files, sums, says",
    [
        (HERE, {**SAME, "test_dot_csv": C}, "1 files are different"),
        ((file("data/train.csv", None, 90),), {"train_dot_csv": A}, "1 files are different"),  # the size tells
        (whole("a.png"), {"a_dot_png": A, "b_dot_png": A}, "1 are missing"),
        (whole("a.png", "b.png"), {"a_dot_png": A}, "1 are not in it"),
    ],
)
def test_files_that_differ(verdict, files, sums, says):
    entry = verdict("ds.04", run(*files), handed=reference(**sums))
    assert entry["conclusion"] == "problem" and says in entry["summary"], entry["summary"]
    assert entry["locations"] and entry["evidence"][0]["source"] == "reference"


@pytest.mark.parametrize(
    "files, sums",
    [
        (HERE, {**SAME, "more_dot_csv": C}),  # a file of their kind that nothing read
        ((file("data/train.csv", None),), {"train_dot_csv": A}),  # too large for its checksum
        (HERE, {"other_dot_csv": A}),
        ((), SAME),
    ],
)
def test_what_a_reference_leaves_open(verdict, files, sums):
    assert verdict("ds.04", run(*files), handed=reference(**sums))["conclusion"] == "undecided"


MNIST = "6bbc9ace898e44ae57da46a324031adb"
FASHION = "8d4fb7e6c68d591d4c3dfef9ec88bf0d"


@pytest.mark.parametrize(
    "entry, conclusion",
    [
        (file("data/MNIST/raw/train-images-idx3-ubyte", MNIST), "ok"),
        (file("data/MNIST/raw/train-images-idx3-ubyte", A), "problem"),
        (file("data/FashionMNIST/raw/train-images-idx3-ubyte", A), "undecided"),
        (file("data/train-images-idx3-ubyte.gz", FASHION), "ok"),
        (file("data/mnist/train-images-idx3-ubyte.gz", A), "undecided"),
        (file("d/cifar-10-batches-py/data_batch_2", "d4bba439e000b95fd0a9bffe97cbabec"), "ok"),
        (file("d/cifar-10-batches-py/data_batch_2", A), "problem"),
        (file("d/cifar-10-batches-py/data_batch_2", None), "undecided"),
        (file("d/own/data_batch_2", A), "undecided"),
        (file("d/cifar-100-python/train", A), "problem"),
        (file("d/own/train", A), "undecided"),
    ],
)
def test_published_checksums(verdict, entry, conclusion):
    assert verdict("ds.04", run(entry))["conclusion"] == conclusion


@pytest.mark.parametrize(
    ("source", "conclusion"),
    [
        ("image = cv2.imread(path)\n", "undecided"),
        ("rows = list(open('train.csv'))\n", "undecided"),
        ("def imread(image):\n    return image[..., ::-1]\nx = imread(made)\n", "not_applicable"),
        ("cfg = yaml.safe_load(open(os.path.join(ROOT, 'cfg.yml')))\n", "not_applicable"),
        ("with open('log.txt', 'w') as log:\n    pass\n", "not_applicable"),
    ],
)
def test_only_what_reads_counts(verdict, source, conclusion):
    assert verdict("ds.04", run(source=source))["conclusion"] == conclusion


def test_no_files(verdict):
    assert verdict("ds.04", run())["conclusion"] == "not_applicable"
    assert verdict("ds.04", run(source="picture = cv2.imread(name)\n"))["conclusion"] == "undecided"


def test_a_run_that_ended_before_its_data(verdict):
    ended = {"training_steps": 0, "exit": {"kind": "exception", "code": 1, "exception": None}}
    crashed = run(run=ended, steps=[], datasets=[], train_step=[], modes=[])
    assert verdict("ds.04", crashed)["conclusion"] == "undecided"
    later = run(run={**ended, "training_steps": 135})
    assert verdict("ds.04", later)["conclusion"] == "not_applicable"


def test_a_run_that_did_not_record_files(verdict):
    assert verdict("ds.04", Run())["conclusion"] == "undecided"


@pytest.mark.parametrize("second, conclusion", [(B, "problem"), (A, "undecided"), (None, "undecided")])
def test_ranks(tmp_path, second, conclusion):
    run(file("data/train.csv", A), run={"rank_size": 2}).write(tmp_path)
    home = tmp_path / "rank_1" / "facts"
    home.mkdir(parents=True)
    (home.parent / "steps.csv").write_text("step,loss\n1,1.0\n", encoding="utf-8")
    facts = {"files": [file("data/train.csv", second), file("data/part1.csv", C)]}
    (home / "data_files.json").write_text(json.dumps(facts), encoding="utf-8")
    assert next(i for i in conclude(tmp_path)["items"] if i["id"] == "ds.04")["conclusion"] == conclusion


def test_references_are_folders_or_manifests(tmp_path):
    data = tmp_path / "standard"
    (data / "v1").mkdir(parents=True)
    (data / "v1" / "train.csv").write_bytes(b"1,2\n")
    of_folder = reference_options.read_data(str(data))["files"]
    assert (
        of_folder == [{"name": "v1/train.csv", "bytes": 4, "md5": "4c2ed9cdf3ba1aa8fe0a8ed7e1b75eb9"}]
        or of_folder[0]["bytes"] == 4
    )
    text = as_md5sum([{"md5": A, "path": "v1/a b.csv"}, {"md5": None, "path": "c"}])
    assert from_md5sum(text + "no line\n" + f"{B} *./x.bin\n") == [
        {"name": "v1/a b.csv", "bytes": None, "md5": A},
        {"name": "x.bin", "bytes": None, "md5": B},
    ]
    (tmp_path / "sums.md5").write_text(text, encoding="utf-8")
    (tmp_path / "data_files.json").write_text(json.dumps({"files": [file("data/a.csv")]}), encoding="utf-8")
    assert reference_options.read_data(str(tmp_path / "sums.md5"))["files"][0]["md5"] == A
    assert reference_options.read_data(str(tmp_path / "data_files.json"))["files"][0]["name"] == "data/a.csv"
    folder = run(file("data/train.csv", A)).write(tmp_path / "run")
    done = CliRunner().invoke(main, ["checklist", "--run", str(folder), "--json", "-", "--reference-data", str(data)])
    assert next(i for i in json.loads(done.output)["items"] if i["id"] == "ds.04")["conclusion"] == "problem"


@pytest.mark.parametrize("content", ["{broken", '{"files": 3}', "nothing\n", ""])
def test_manifests_that_cannot_be_read(tmp_path, content):
    (tmp_path / "m.json").write_text(content, encoding="utf-8")
    with pytest.raises(reference_options.BadReference, match=r"m\.json"):
        reference_options.read_data(str(tmp_path / "m.json"))


def test_data_sets_without_a_place(verdict):
    assert verdict("ds.04", run(*HERE, datasets=[dataset(pipeline=[])]))["conclusion"] == "undecided"
