"""Every reader under damaged and hostile input: its own error in one line or an answer; no other exception, nothing written
beside what it was given, no unbounded time or memory."""

import hashlib
import io
import json
import resource
import tarfile
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from msprec.bundle import archive
from msprec.compare.dumps.overflow import find_overflows
from msprec.compare.dumps.read_dump import read_dump
from msprec.compare.dumps.trace_ir import source_lines
from msprec.compare.errors import CannotRead
from msprec.compare.losses.files import HowToRead, read_losses
from msprec.compare.tensors.compare import compare_dumps
from msprec.compare.weights.files import read_weights
from msprec.engine import blank, conclude
from msprec.record.reader import RunFolderError
from msprec.report.form_reader import FormError, read_form
from msprec.report.word import write_word

HERE = Path(__file__).parent
MOST_SECONDS, MOST_KIB = 20.0, 3_000_000
BOUNDED = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
SLOW = settings(BOUNDED, max_examples=12)

HOSTILE = [
    b"\x00",
    b"\xff" * 8,
    b"../../",
    b"/etc/passwd",
    b"[" * 3000,
    b'{"a":' * 2000,
    b"9" * 400,
    b"NaN",
    b"-1",
    b"\xed\xa0\x80",
    b"=1+1",
    b"\n" * 50,
]
change = st.tuples(
    st.sampled_from(["flip", "cut", "insert", "drop", "repeat", "put"]),
    st.floats(0, 1, exclude_max=True),
    st.one_of(st.binary(min_size=1, max_size=16), st.sampled_from(HOSTILE)),
)
changes = st.lists(change, min_size=1, max_size=4)


def damaged(data: bytes, operations: list) -> bytes:
    for kind, place, piece in operations:
        at = int(place * len(data))
        if kind == "flip" and data:
            data = data[:at] + bytes([data[at] ^ (piece[0] or 1)]) + data[at + 1 :]
        elif kind == "cut":
            data = data[:at]
        elif kind == "insert":
            data = data[:at] + piece + data[at:]
        elif kind == "drop":
            data = data[:at] + data[at + len(piece) :]
        elif kind == "repeat":
            data = data[:at] + data[at : at + 200] * 20 + data[at:]
        else:
            data = data[:at] + piece + data[at + len(piece) :]
    return data


def inside(data: bytes, place: float, operations: list) -> bytes:
    """An archive with one member damaged and all its checksums right."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        names = old.namelist()
        chosen = names[int(place * len(names))]
        for name in names:
            content = old.read(name)
            new.writestr(name, damaged(content, operations) if name == chosen else content)
    return out.getvalue()


def read(reader, errors: tuple, folder: Path) -> None:
    """Calls the reader, which answers or raises one of its errors with a message of one line, and leaves all files as they are."""
    before, begin = listing(folder), time.process_time()
    try:
        reader()
    except errors as error:
        assert "\n" not in str(error).strip() and "Traceback" not in str(error), error
    assert time.process_time() - begin < MOST_SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < MOST_KIB
    assert listing(folder) == before


def listing(folder: Path) -> dict:
    return {path: path.stat().st_size for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> dict:
    """The files of a recorded run, by name."""
    folder = tmp_path_factory.mktemp("recorded")
    with tarfile.open(HERE / "recorded" / "mp.02.tar.xz") as packed:
        packed.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    home = min(path.parent for path in folder.rglob("run.json"))
    return {path.relative_to(home).as_posix(): path.read_bytes() for path in sorted(home.rglob("*")) if path.is_file()}


@SLOW
@given(st.floats(0, 1, exclude_max=True), changes)
def test_run_folders(recorded, tmp_path_factory, place, operations) -> None:
    folder = tmp_path_factory.mktemp("run")
    names = [name for name in recorded if name.endswith((".json", ".csv", ".jsonl", ".py"))]
    chosen = names[int(place * len(names))]
    for name, data in recorded.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(damaged(data, operations) if name == chosen else data)
    read(lambda: conclude(folder, "en"), (RunFolderError,), folder)
    read(lambda: read_losses(folder, HowToRead()), (CannotRead,), folder)


def packed(recorded: dict, chosen: str = "", operations: tuple = ()) -> bytes:
    files = {f"run/{name}": damaged(data, operations) if name == chosen else data for name, data in recorded.items()}
    entries = [{"path": n, "bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in files.items()]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in {"manifest.json": json.dumps({"schema": 1, "files": entries}).encode(), **files}.items():
            new.writestr(name, data)
    return out.getvalue()


@BOUNDED
@given(st.booleans(), st.floats(0, 1, exclude_max=True), changes)
def test_bundles(recorded, tmp_path_factory, deep, place, operations) -> None:
    folder = tmp_path_factory.mktemp("bundle")
    whole = packed(recorded)
    (folder / "b.zip").write_bytes(inside(whole, place, operations) if deep else damaged(whole, operations))

    def unpack() -> None:
        with archive.opened(folder / "b.zip") as run:
            assert folder not in run.parents

    read(unpack, (archive.BundleError,), folder)


@pytest.fixture(scope="module")
def form(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("form") / "f.docx"
    write_word(blank("en"), path, None, "en")
    return path.read_bytes()


@SLOW
@given(st.booleans(), st.floats(0, 1, exclude_max=True), changes)
def test_forms(form, tmp_path_factory, deep, place, operations) -> None:
    folder = tmp_path_factory.mktemp("form")
    (folder / "f.docx").write_bytes(inside(form, place, operations) if deep else damaged(form, operations))
    read(lambda: read_form(folder / "f.docx"), (FormError,), folder)


def arrays(kind: str) -> bytes:
    out, values = io.BytesIO(), {"a": np.arange(12.0).reshape(3, 4), "b": np.ones(3, np.float16)}
    np.save(out, values["a"]) if kind == "npy" else np.savez(out, **values)
    return out.getvalue()


@BOUNDED
@given(st.sampled_from(["npy", "npz"]), st.booleans(), st.floats(0, 1, exclude_max=True), changes)
def test_dumps(tmp_path_factory, kind, deep, place, operations) -> None:
    folder = tmp_path_factory.mktemp("dump")
    for side in ("A", "B"):
        (folder / side).mkdir()
        (folder / side / f"x.{kind}").write_bytes(arrays(kind))
    data = inside(arrays(kind), place, operations) if deep and kind == "npz" else damaged(arrays(kind), operations)
    (folder / "B" / f"x.{kind}").write_bytes(data)
    read(lambda: compare_dumps(read_dump(folder / "A"), read_dump(folder / "B")), (CannotRead,), folder)


def ascend_dump(folder: Path) -> dict:
    index = {"schema": 1, "tensors": [{"name": "x", "file": "x.npy", "step": 1}]}
    return {
        "index.json": json.dumps(index).encode(),
        "x.npy": arrays("npy"),
        "dump.json": b'{"data": {"Cell.fc.forward.0": {"input_args": []}}}',
    }


@BOUNDED
@given(st.sampled_from(["index.json", "dump.json", "construct.json", "step0/rank0/dump.json"]), st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8), st.sampled_from(["data", "input_args", "../x.npy", "x.npy"])),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["schema", "tensors", "data", "name", "file", "step", "input_args", "output", "shape", "dtype", "Max", "x"]), inner, max_size=5),
    ),
    max_leaves=12,
))  # fmt: skip
def test_indexes_of_dumps(tmp_path_factory, name, value) -> None:
    folder = tmp_path_factory.mktemp("index")
    for file, data in {**ascend_dump(folder), name: json.dumps(value).encode("utf-8", "surrogatepass")}.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(data)
    read(
        lambda: [item.open().load() for item in read_dump(folder).items if item.open is not None], (CannotRead,), folder
    )
    read(lambda: find_overflows(folder), (CannotRead,), folder)


@BOUNDED
@given(st.booleans(), st.floats(0, 1, exclude_max=True), changes)
def test_checkpoints_of_pytorch(tmp_path_factory, deep, place, operations) -> None:
    folder, whole = tmp_path_factory.mktemp("pth"), (HERE / "compare" / "data" / "small.pth").read_bytes()
    (folder / "a.pth").write_bytes(inside(whole, place, operations) if deep else damaged(whole, operations))
    read(lambda: [array.load() for array in read_weights(folder / "a.pth").arrays.values()], (CannotRead,), folder)


@BOUNDED
@given(st.sampled_from(["a.ckpt", "a.safetensors", "a.npz"]), changes)
def test_other_weights(tmp_path_factory, name, operations) -> None:
    folder = tmp_path_factory.mktemp("weights")
    head = json.dumps({"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    whole = {
        "a.safetensors": len(head).to_bytes(8, "little") + head + bytes(8),
        "a.ckpt": b"\x0a\x18\x0a\x01w\x12\x13\x08\x02\x12\x07Float32\x1a\x08" + bytes(8),
        "a.npz": arrays("npz"),
    }[name]
    (folder / name).write_bytes(damaged(whole, operations))
    read(lambda: [array.load() for array in read_weights(folder / name).arrays.values()], (CannotRead,), folder)


@pytest.fixture(scope="module")
def events(tmp_path_factory) -> bytes:
    from msprec.record.tensorboard import TensorBoardWriter

    folder = tmp_path_factory.mktemp("events")
    writer = TensorBoardWriter(folder)
    writer([{"step": n, "loss": 1 / n} for n in range(1, 30)])
    writer.close()
    return next(folder.iterdir()).read_bytes()


@BOUNDED
@given(changes)
def test_event_files(events, tmp_path_factory, operations) -> None:
    folder = tmp_path_factory.mktemp("events")
    (folder / "events.out.tfevents.1.h").write_bytes(damaged(events, operations))
    read(lambda: read_losses(folder, HowToRead()), (CannotRead,), folder)
    read(lambda: read_losses(folder / "events.out.tfevents.1.h", HowToRead()), (CannotRead,), folder)


LOG = b"".join(b"epoch: 1 step: %d, loss is %.4f\n" % (n, 1 / n) for n in range(1, 40))
TABLE = b"step,loss\n" + b"".join(b"%d,%.4f\n" % (n, 1 / n) for n in range(1, 40))


@BOUNDED
@given(st.sampled_from([("a.log", LOG), ("a.csv", TABLE), ("a.json", b'[{"step": 1, "loss": 2.0}]')]), changes)
def test_losses(tmp_path_factory, file, operations) -> None:
    folder = tmp_path_factory.mktemp("losses")
    (folder / file[0]).write_bytes(damaged(file[1], operations))
    read(lambda: read_losses(folder / file[0], HowToRead()), (CannotRead,), folder)


TRACE = b"""# Fullname with scope: (Default/network/conv1-Conv2d/Conv2D-op0)
# In file /path/net.py:10, 40~49/        return self.conv(x)/
# In file /usr/lib/mindspore/nn/layer/conv.py:300, 8~20/        out = self.conv2d(x)/
"""


@BOUNDED
@given(changes)
def test_traces_of_graphs(tmp_path_factory, operations) -> None:
    folder = tmp_path_factory.mktemp("graphs")
    (folder / "graphs").mkdir()
    (folder / "graphs" / "ms_output_trace_code_graph_0.ir").write_bytes(damaged(TRACE * 20, operations))
    read(lambda: source_lines(folder, {"Default_network_conv1-Conv2d_Conv2D-op0"}), (), folder)


@pytest.mark.parametrize("piece", [b"# In file ", b"# In file a:1, ", b"# Scope: (", b"/ ", b"# In file a(1)/"])
def test_an_endless_line_of_a_trace_takes_no_endless_time(tmp_path: Path, piece: bytes) -> None:
    (tmp_path / "graphs").mkdir()
    (tmp_path / "graphs" / "ms_output_trace_code_graph_0.ir").write_bytes(
        TRACE[:70] + b"\n" + piece * (200_000 // len(piece))
    )
    read(lambda: source_lines(tmp_path, {"x"}), (), tmp_path)
