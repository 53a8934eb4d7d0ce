"""`msprec compare tensors`: what is measured, how tensors are paired and judged, and the operation that is named."""

import io
import json
import math
import os
import pickle
import struct
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from dumping import mindspore_dump
from hypothesis import given, settings
from hypothesis import strategies as st

from msprec.cli import main
from msprec.compare.alignment import aligned
from msprec.compare.arrays import open_npy, open_npz
from msprec.compare.dumps.msprec_dump import DumpWriter
from msprec.compare.dumps.read_dump import read_dump
from msprec.compare.errors import CannotRead
from msprec.compare.tensor_statistics import compare_arrays
from msprec.compare.tensors.compare import Rule, compare_dumps
from msprec.compare.tensors.first_divergence import find_culprit
from msprec.compare.tensors.tensor_matching import pair_dumps
from msprec.compare.tensors.tensors_text import WORDS, sentence


def draw(seed, *shape):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def ask(*args):
    return CliRunner().invoke(main, ["compare", "tensors", *map(str, args)])


# --- measures -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtypes", [("f4", "f4"), ("f8", "f4"), ("f2", "f2"), ("i4", "i4"), ("?", "?"), ("c8", "c8")])
def test_measures_are_numpys(dtypes):
    rng = np.random.RandomState(3)
    a = (10 * rng.randn(100_003)).astype(dtypes[0])
    b = (a.astype("f8") + 0.01 * rng.randn(100_003)).astype(dtypes[1]) if dtypes[0] != "c8" else a + np.complex64(0.001)
    found = compare_arrays(a, b, rtol=1e-3, atol=1e-4)
    x, y = (v.view(v.real.dtype).astype("f8") if v.dtype.kind == "c" else v.astype("f8") for v in (a, b))
    d = np.abs(x - y)
    assert found.cosine == pytest.approx(x @ y / np.linalg.norm(x) / np.linalg.norm(y), abs=1e-5)
    assert found.max_abs == pytest.approx(d.max(), rel=1e-4)
    assert found.mean_abs == pytest.approx(d.mean(), rel=1e-3)
    assert found.relative == pytest.approx(np.linalg.norm(d) / np.linalg.norm(x), rel=1e-3)
    assert found.within == pytest.approx((d <= 1e-4 + 1e-3 * np.abs(x)).mean(), abs=1e-4)
    for one, v in ((found.a, x), (found.b, y)):
        assert (one.max, one.min) == (pytest.approx(v.max()), pytest.approx(v.min()))
        assert one.mean == pytest.approx(v.mean(), abs=1e-4) and one.norm == pytest.approx(np.linalg.norm(v), rel=1e-5)


def test_identical_and_not_finite():
    a = draw(0, 70_000)
    same = compare_arrays(a, a.copy())
    assert same.identical and same.cosine == pytest.approx(1) and same.max_abs == same.relative == same.max_rel == 0
    a[[1, 40_000]] = np.nan
    a[2] = np.inf
    assert compare_arrays(a, a.copy()).identical and compare_arrays(a, a.copy()).within == 1
    b = a.copy()
    b[40_000] = 0
    found = compare_arrays(a, b)
    assert not found.identical and math.isinf(found.max_abs) and (found.a.nan, found.b.nan, found.b.inf) == (2, 1, 1)
    huge = np.array([3e38, -3e38], np.float32)
    found = compare_arrays(huge, huge * np.float32(0.9))
    assert found.cosine == pytest.approx(1) and found.relative == pytest.approx(0.1, rel=1e-3)


def test_zeros_and_empty():
    zero, one = np.zeros(5, np.float32), np.ones(5, np.float32)
    assert compare_arrays(zero, zero).cosine == 1 and compare_arrays(zero, one).cosine == 0
    assert math.isinf(compare_arrays(zero, one).max_rel) and math.isinf(compare_arrays(zero, one).relative)
    half = np.array([0, 2, 0, 4], np.float32)
    assert compare_arrays(half, half + np.float32([0, 1, 0, 0])).max_rel == pytest.approx(0.5)
    empty = compare_arrays(np.zeros((0, 3)), np.zeros((0, 3)))
    assert empty.identical and empty.within == 1 and empty.a.max is None
    assert compare_arrays(np.float32(2), np.float32(3)).max_abs == 1


def test_units_of_the_last_place():
    a = np.array([1.0, -2.0, 0.0], np.float16)
    b = np.nextafter(np.nextafter(a, np.float16(np.inf)), np.float16(np.inf))
    assert compare_arrays(a, b, half="float16").ulp == 2
    assert compare_arrays(np.float16([-6e-8]), np.float16([6e-8]), half="float16").ulp == 2  # over zero
    assert compare_arrays(np.float16([np.nan]), np.float16([1]), half="float16").ulp == 65536
    one = np.array([1.0], np.float32)
    above = (one.view(np.int32) + (1 << 16)).view(np.float32)  # the next bfloat16
    assert compare_arrays(one, above, half="bfloat16").ulp == 1
    assert compare_arrays(one, one).ulp is None


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(width=32), max_size=40), st.lists(st.floats(width=32), max_size=40))
def test_any_numbers_are_measured(x, y):
    n = min(len(x), len(y))
    found = compare_arrays(np.float32(x[:n]), np.float32(y[:n]))
    assert -1 <= found.cosine <= 1 and 0 <= found.within <= 1 and found.max_abs >= 0 and not math.isnan(found.relative)
    assert found.identical == np.array_equal(np.float32(x[:n]), np.float32(y[:n]), equal_nan=True)


# --- hostile files ------------------------------------------------------------------------------------------------
class Evil:
    def __reduce__(self):
        return os.system, ("touch pwned",)


def hostile(folder: Path) -> dict:
    """Files that must give one clear line, by name."""
    np.save(folder / "good.npy", np.arange(100.0))
    data = (folder / "good.npy").read_bytes()
    np.save(folder / "objects.npy", np.array([Evil()], object), allow_pickle=True)
    header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776, 4096), }"
    header += b" " * (118 - len(header) - 1) + b"\n"
    made = {
        "empty.npy": b"",
        "text.npy": b"hello",
        "cut.npy": data[:-1],
        "cut_head.npy": data[:40],
        "huge.npy": b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\0" * 64,
        "code.npy": data[:10] + b"__import__('os').system('touch pwned')".ljust(118) + data[128:],
        "pickle.npy": pickle.dumps(Evil()),
        "version.npy": data[:6] + b"\x09\x00" + data[8:],
        "objects.npy": (folder / "objects.npy").read_bytes(),
    }
    (folder / "good.npy").unlink()
    (folder / "objects.npy").unlink()
    return made


def test_hostile_arrays(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, data in hostile(tmp_path).items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(CannotRead) as caught:
            open_npy(tmp_path / name).load()
        assert "\n" not in str(caught.value) and name in str(caught.value)
    assert not (tmp_path / "pwned").exists()


def test_one_hostile_file_among_good_ones(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = hostile(tmp_path)
    for side in ("a", "b"):
        (tmp_path / side).mkdir()
        np.save(tmp_path / side / "good.npy", np.ones(3))
        for name, data in made.items():
            (tmp_path / side / name).write_bytes(data)
    done = ask("a", "b", "--lang", "en", "--pair", "name")
    assert done.exit_code == 0, done.output
    assert f"{len(made) + 1} pairs of tensors: 1 pass" in done.output and f"Unreadable: {len(made)}" in done.output
    assert not (tmp_path / "pwned").exists()


def test_an_archive_that_unpacks_out_of_proportion(tmp_path):
    buffer = io.BytesIO()
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "|u1", "fortran_order": False, "shape": (3 << 30,)})
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("a.npy", "w", force_zip64=True) as member,
    ):
        member.write(head.getvalue())
        member.write(bytes(1 << 20))
    data = bytearray(buffer.getvalue())
    # what its directory claims: three gigabytes
    at = data.rindex(b"PK\x01\x02")
    data[at + 24 : at + 28] = struct.pack("<I", 0xC0000080)
    (tmp_path / "bomb.npz").write_bytes(bytes(data))
    with pytest.raises(CannotRead, match=r"unpacks from .* not read"):
        open_npz(tmp_path / "bomb.npz")
    lying = bytearray(buffer.getvalue())
    (tmp_path / "lying.npz").write_bytes(bytes(lying))
    with pytest.raises(CannotRead, match="cut off"):
        open_npz(tmp_path / "lying.npz")


@pytest.mark.parametrize("name", ["../secret.npy", "/etc/passwd", "x/../../secret.npy", "a\0b.npy"])
def test_an_index_that_names_files_elsewhere(tmp_path, name):
    np.save(tmp_path / "secret.npy", np.ones(2))
    home = tmp_path / "dump" / "step_1"
    home.mkdir(parents=True)
    line = {
        "order": 1,
        "op": "a",
        "class": "",
        "phase": "forward",
        "call": 0,
        "io": "output",
        "slot": "0",
        "shape": [2],
        "dtype": "float64",
        "file": name,
    }
    (home / "tensors.jsonl").write_text(json.dumps(line) + "\n")
    (home.parent / "msprec_dump.json").write_text('{"schema": 1}')
    done = ask(tmp_path / "dump", tmp_path / "dump")
    assert done.exit_code == 2 and "it names a file outside of its folder" in done.output
    leaf = {
        "type": "torch.Tensor",
        "dtype": "torch.float32",
        "shape": [2],
        "Max": 1,
        "Min": 1,
        "Mean": 1,
        "Norm": 1,
        "data_name": name,
    }
    probe = tmp_path / "probe"
    (probe / "dump_tensor_data").mkdir(parents=True)
    (probe / "dump.json").write_text(json.dumps({"data": {"Functional.relu.0.forward": {"output": [leaf]}}}))
    done = ask(probe, probe)
    assert done.exit_code == 2 and "it names a file outside of its folder" in done.output


def test_what_cannot_be_compared(tmp_path):
    (tmp_path / "empty").mkdir()
    for a, message in ((tmp_path / "none", "no such folder"), (tmp_path / "empty", "no tensor in it")):
        done = ask(a, a)
        assert done.exit_code == 2 and message in done.output and len(done.output.splitlines()) == 1
    for name, shape in (("a", (3,)), ("b", (4,))):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / f"{name}.npy", np.ones(shape))
    done = ask(tmp_path / "a", tmp_path / "b")
    assert done.exit_code == 2 and "no tensor of a fits one of b" in done.output
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "dump.json").write_text("{broken")
    assert "no dump of msprobe, or a damaged one" in ask(tmp_path / "c", tmp_path / "c").output


# --- files, pairing, rules ----------------------------------------------------------------------------------------
def folder(path: Path, **arrays) -> Path:
    path.mkdir(exist_ok=True)
    for name, values in arrays.items():
        np.save(path / f"{name.replace('__', '.')}.npy", values)
    return path


def test_folders_of_files(tmp_path):
    a = folder(tmp_path / "a", n2_relu__output=draw(1, 4), n10_conv__input__0=draw(2, 4), only=draw(0, 2))
    b = folder(tmp_path / "b", n2_relu__output=draw(1, 4), n10_conv__input__0=draw(3, 4))
    found = compare_dumps(read_dump(a), read_dump(b))
    assert [(row.a.op, row.a.io, row.verdict) for row in found.rows] == [
        ("n2_relu", "output", "yes"),
        ("n10_conv", "input", "no"),
    ]
    assert [item.name for item in found.paired.only_a] == ["only"]
    np.savez(tmp_path / "c.npz", **{"n2_relu.output": draw(1, 4)})
    archive = read_dump(tmp_path / "c.npz")
    assert archive.items[0].op.endswith("n2_relu") and archive.items[0].open().load().shape == (4,)


def test_pairing_by_structure_order_and_mapping(tmp_path):
    a = folder(tmp_path / "a", a1=draw(1, 2, 3), a2=draw(2, 4), a3=draw(3, 5))
    b = folder(tmp_path / "b", x1=draw(1, 2, 3), x2=draw(9, 7), x3=draw(2, 4), x4=draw(3, 5))
    x, y = read_dump(a), read_dump(b)
    pairs = [(p.name, q.name, how) for p, q, how in pair_dumps(x, y).pairs]
    assert pairs == [("a1", "x1", "structure"), ("a2", "x3", "structure"), ("a3", "x4", "structure")]
    assert [(p.name, q.name) for p, q, _ in pair_dumps(x, y, "order").pairs] == [
        ("a1", "x1"),
        ("a2", "x2"),
        ("a3", "x3"),
    ]
    assert not pair_dumps(x, y, "name").pairs
    assert [q.name for _, q, _ in pair_dumps(x, y, "name", renames=(("^x", "a"),)).pairs] == ["x1", "x2", "x3"]
    (tmp_path / "map.csv").write_text("a2,x3\n")
    done = ask(a, b, "--map", tmp_path / "map.csv", "--pair", "name", "--json", "-")
    assert [(r["a"], r["b"]) for r in json.loads(done.output)["rows"]] == [("a2", "x3")]
    (tmp_path / "map.csv").write_text("q,r\n")
    assert "the mapping names nothing" in ask(a, b, "--map", tmp_path / "map.csv").output


def test_alignment_takes_no_time_where_all_look_alike():
    assert aligned(list("abcd"), list("abxcd")) == [(0, 0), (1, 1), (2, 3), (3, 4)]
    assert aligned([], [1]) == [] and aligned([1, 2], [2, 1]) in ([(0, 1)], [(1, 0)])
    begin = time.perf_counter()
    many = [0, 2] * 20_000
    found = aligned([1, *many, 3], [4, 2, *many, 5])
    assert len(found) == 40_000 and time.perf_counter() - begin < 5


def test_rules():
    a = draw(0, 1000)
    near, off, gone = a + np.float32(1e-4), a + 0.5 * draw(1, 1000), a.copy()
    gone[3] = np.nan
    table = {
        "ptdbg": (Rule(), True, False),
        "allclose": (Rule("allclose", 1e-5, 1e-6), False, False),
        "cosine": (Rule("cosine", cosine=0.8), True, True),
    }
    for rule, first, second in table.values():
        assert rule.passes(compare_arrays(a, near, rule.rtol, rule.atol)) == first
        assert rule.passes(compare_arrays(a, off, rule.rtol, rule.atol)) == second
        assert not rule.passes(compare_arrays(a, gone, rule.rtol, rule.atol))
        assert rule.passes(compare_arrays(gone, gone, rule.rtol, rule.atol))
    # small tensors that have nothing in common fail by the cosine, however near to zero
    assert not Rule().passes(compare_arrays(1e-6 * a, 1e-6 * draw(2, 1000)))
    assert not Rule().passes(compare_arrays(a * 1000, a * 1002))  # beyond 1


def test_the_command_writes_tables(tmp_path):
    a = folder(tmp_path / "a", one=draw(1, 9), two=draw(2, 9).astype(np.float16))
    b = folder(tmp_path / "b", one=draw(1, 9), two=draw(3, 9).astype(np.float16))
    done = ask(a, b, "--lang", "en", "--csv", tmp_path / "t.csv", "--fail-on-difference")
    assert done.exit_code == 1 and "2 pairs of tensors: 1 pass, 1 fail" in done.output
    assert "The first that differs, in order, is two" in done.output
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert len(lines) == 3 and "ulp" in lines[0]
    assert ask(a, a, "--fail-on-difference").exit_code == 0
    assert ask(a, b, "--in-order", "--lang", "zh").exit_code == 0
    assert ask(a, b, "--allclose", "--cosine", "0.9").exit_code == 2


# --- the culprit --------------------------------------------------------------------------------------------------
class Network:
    """A dump of three layers, each of which may be spoilt."""

    def __init__(self, path: Path, framework="torch", statistics=False):
        self.writer = DumpWriter(path, framework, statistics)
        self.path, self.names = path, {"weight": "weight", "mean": "running_mean"}
        if framework == "mindspore":
            self.names = {"weight": "gamma", "mean": "moving_mean"}

    def step(self, number, spoil=(), noise=0.0, dropped=0.1, kinds=("Linear", "BatchNorm2d", "Dropout")):
        rng, put = np.random.RandomState(7), self.writer.put
        bump = {name: 1 + 0.01 * (name in spoil) for name in ("x", "w", "fc", "bn", "mean", "grad", "wgrad")}
        jitter = 1 + noise * np.random.RandomState(int(noise * 1e9) % 97).randn(8, 6)
        self.writer.begin(number)
        x, w = rng.randn(8, 5), rng.randn(6, 5)
        put("fc", kinds[0], "forward", "input", "0", 0, x * bump["x"])
        put("fc", kinds[0], "forward", "parameter", "weight", 0, w * bump["w"])
        h = x @ w.T * jitter
        h = h * bump["fc"] * bump["w"] * bump["x"]
        put("fc", kinds[0], "forward", "output", "0", 0, h)
        put("bn", kinds[1], "forward", "input", "0", 0, h)
        put("bn", kinds[1], "forward", "parameter", self.names["weight"], 0, np.ones(6))
        b = h * 0.5 * bump["bn"]
        put("bn", kinds[1], "forward", "output", "0", 0, b)
        put("bn", kinds[1], "forward", "state", self.names["mean"], 0, h.mean(0) * bump["mean"])
        if dropped is not None:
            many = np.tile(b, (200, 1))
            made = many * _mask(self.path, dropped)
            put("drop", kinds[2], "forward", "input", "0", 0, many)
            put("drop", kinds[2], "forward", "output", "0", 0, made)
            b = made
        put("", "Net", "forward", "input", "0", 0, x * bump["x"])
        put("", "Net", "forward", "output", "0", 0, b)
        g = rng.randn(8, 6)
        put("bn", kinds[1], "backward", "input", "0", 0, g)
        put("bn", kinds[1], "backward", "output", "0", 0, g * 0.5 * bump["grad"])
        put("fc", kinds[0], "backward", "input", "0", 0, g * 0.5 * bump["grad"])
        put("fc", kinds[0], "backward", "gradient", "weight", 0, (g * 0.5 * bump["grad"]).T @ x * bump["wgrad"])
        self.writer.end()
        return self


def _mask(path, dropped):
    rng = np.random.RandomState(len(str(path)) + int(dropped * 100))
    return (rng.rand(1600, 6) >= dropped) / (1 - dropped)


def culprit_of(tmp_path, ours=None, theirs=None, steps=(1,), statistics=False, **kwargs):
    one, two = Network(tmp_path / "one", "torch", statistics), Network(tmp_path / "the_two", "mindspore", statistics)
    for step in steps:
        one.step(step, **{"dropped": None, **(theirs or {})})
        two.step(
            step,
            kinds=("Dense", "BatchNorm2d", "Dropout"),
            **{"dropped": None, **((ours or {}) if step == steps[-1] else {})},
        )
    found = compare_dumps(read_dump(one.path), read_dump(two.path))
    culprit = find_culprit(found, **kwargs)
    for lang in WORDS:
        lines = sentence(found, culprit, lang)
        assert lines and all("{" not in line for line in lines)
    return culprit, sentence(found, culprit, "en")


def test_a_small_difference_may_be_the_devices(tmp_path):
    writers = [DumpWriter(tmp_path / name, "torch") for name in ("one", "two")]
    for writer, factor in zip(writers, (1.0, 1.001)):
        writer.begin(1)
        writer.put("fc", "Linear", "forward", "input", "0", 0, draw(1, 50))
        writer.put("fc", "Linear", "forward", "output", "0", 0, draw(2, 50) * np.float32(factor))
        writer.end()
    found = compare_dumps(*(read_dump(writer.folder) for writer in writers))
    assert (
        find_culprit(found).call.op == "fc"
        and "--agree 5e-3 looks beyond it" in sentence(found, find_culprit(found), "en")[-1]
    )
    assert find_culprit(found, 5e-3).kind == "clean"


def test_clean(tmp_path):
    culprit, lines = culprit_of(tmp_path)
    assert culprit.kind == "clean" and culprit.judged == 5 and "No operation was found" in lines[0]


def test_rounding_is_clean(tmp_path):
    assert culprit_of(tmp_path, {"noise": 1e-6}, {"noise": 2e-6})[0].kind == "clean"


@pytest.mark.parametrize(
    ("spoil", "kind", "op", "words"),
    [
        ("fc", "output", "fc", "is fc (Linear / Dense) (step 1, forward): relative error 1.00e-02"),
        ("bn", "output", "bn", "is bn (BatchNorm2d) (step 1, forward)"),
        ("w", "parameter", "fc", "but its parameter weight differs already"),
        ("mean", "state", "bn", "the statistic running_mean of bn"),
        ("grad", "backward", "bn", "whose outgoing do not is bn (BatchNorm2d) (step 1): gradient to input 0"),
        ("wgrad", "backward", "fc", "gradient of weight"),
        ("x", "data", "fc", "the two networks are not fed the same batch"),
    ],
)
def test_faults(tmp_path, spoil, kind, op, words):
    culprit, lines = culprit_of(tmp_path, {"spoil": (spoil,)})
    assert (culprit.kind, culprit.call.op) == (kind, op)
    assert words in lines[0]
    if kind == "output":
        assert "By the rule ptdbg this pair passes" in lines[1]


def test_a_parameter_that_differs_at_a_later_step_points_at_the_step_before(tmp_path):
    culprit, lines = culprit_of(tmp_path, {"spoil": ("w",)}, steps=(1, 2))
    assert culprit.kind == "parameter" and culprit.call.step == 2
    assert "differed before that step" in lines[0]


def test_dropout(tmp_path):
    culprit, lines = culprit_of(tmp_path, {"dropped": 0.1}, {"dropped": 0.1})
    assert culprit.kind == "clean" and culprit.random == ("drop",)
    assert "Random operations (dropout): drop" in lines[1]
    (tmp_path / "b").mkdir()
    culprit, lines = culprit_of(tmp_path / "b", {"dropped": 0.9}, {"dropped": 0.1})
    assert culprit.kind == "dropout" and "drops another share" in lines[0]
    assert 0.85 < culprit.row.zeros[1] < 0.95


def test_errors_that_add_up_are_no_ones_fault(tmp_path):
    one, two = DumpWriter(tmp_path / "one", "torch"), DumpWriter(tmp_path / "two", "mindspore")
    for writer, growth in ((one, 0.0), (two, 3e-5)):
        writer.begin(1)
        for layer in range(6):
            x = draw(layer, 50)
            writer.put(f"l{layer}", "Linear", "forward", "input", "0", 0, x * np.float32(1 + growth * layer))
            writer.put(
                f"l{layer}",
                "Linear",
                "forward",
                "output",
                "0",
                0,
                draw(layer + 1, 50) * np.float32(1 + growth * (layer + 1)),
            )
        writer.end()
    culprit = find_culprit(compare_dumps(read_dump(one.folder), read_dump(two.folder)))
    assert (culprit.kind, culprit.call.op) == ("grows", "l3")


def test_a_gradient_is_not_blamed_where_forward_went_astray(tmp_path):
    for name, seed in (("one", 1), ("two", 2)):
        writer = DumpWriter(tmp_path / name, "torch")
        writer.begin(1)
        made = draw(5, 2000) * (np.random.RandomState(seed).rand(2000) >= 0.5)
        for op, x, out in (("drop", draw(5, 2000), made), ("loss", made, made.sum())):
            kind = "Dropout" if op == "drop" else "MSELoss"
            writer.put(op, kind, "forward", "input", "0", 0, x)
            writer.put(op, kind, "forward", "output", "0", 0, np.asarray(out))
        writer.put("loss", "MSELoss", "backward", "input", "0", 0, np.ones(()))
        writer.put("loss", "MSELoss", "backward", "output", "0", 0, made)
        writer.end()
    culprit = find_culprit(compare_dumps(read_dump(tmp_path / "one"), read_dump(tmp_path / "two")))
    assert culprit.kind == "clean" and culprit.random == ("drop",)


def test_statistics_alone(tmp_path):
    culprit, _ = culprit_of(tmp_path, {"spoil": ("bn",)}, statistics=True)
    assert (culprit.kind, culprit.call.op) == ("output", "bn")
    assert not list(tmp_path.rglob("*.npy"))


def test_a_disk_that_is_full_ends_the_dump_alone(tmp_path, monkeypatch):
    network = Network(tmp_path / "one")
    network.step(1, dropped=None)

    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "save", full)
    network.step(2, dropped=None)
    assert "No space left" in network.writer.failure
    assert {item.step for item in read_dump(network.path).items} == {1}


def test_a_dump_that_was_cut_off(tmp_path):
    Network(tmp_path / "one").step(1, dropped=None)
    lines = tmp_path / "one" / "step_1" / "tensors.jsonl"
    lines.write_text(lines.read_text()[:-20])
    found = read_dump(tmp_path / "one")
    assert found.notes == ("step_1/tensors.jsonl: 1 damaged lines left out",)
    (tmp_path / "one" / "msprec_dump.json").write_text('{"schema": 7}')
    with pytest.raises(CannotRead, match="this one reads 1"):
        read_dump(tmp_path / "one")


# --- dumps of others ----------------------------------------------------------------------------------------------
@pytest.mark.versions
def test_dumps_that_mindspore_writes(tmp_path):
    pytest.importorskip("mindspore")
    one, again, other = (mindspore_dump(tmp_path / n, eps) for n, eps in (("a", "1e-5"), ("b", "1e-5"), ("c", "1e-3")))
    dump = read_dump(one)
    assert dump.layout == "mindspore" and {item.step for item in dump.items} == {0, 1}
    first = [
        item for item in dump.items if "conv-Conv2d_Conv2D" in item.op and item.step == 0 and item.phase == "forward"
    ]
    assert [(i.kind, i.io, i.slot) for i in first][:2] == [("Conv2D", "input", "0"), ("Conv2D", "input", "1")]
    same = compare_dumps(dump, read_dump(again))
    assert {row.verdict for row in same.rows} == {"yes"} and not same.paired.only_a and not same.paired.only_b
    assert find_culprit(same).kind == "clean"
    found = compare_dumps(dump, read_dump(other))
    culprit = find_culprit(found)
    assert culprit.kind == "setting" and culprit.call.op.endswith("bn-BatchNorm2d_BatchNorm-op0")
    assert "its scalar input 6 is 1e-05 and 0.001" in sentence(found, culprit, "en")[0]


def test_both_generations_of_mindspores_names(tmp_path):
    home = tmp_path / "rank_0" / "Net" / "0" / "3"
    home.mkdir(parents=True)
    names = {
        "ReLU.Default_net-Net_ReLU-op1.0.0.1795204374440087.input.0.DefaultFormat.npy": 1.0,  # up to 2.3
        "ReLU.Default_net-Net_ReLU-op1.0.0.1795204374440090.output.0.DefaultFormat.Float32.npy": 2.0,
        "Default_net-Net_Add-op2.Add.5.1.1795204374440099.output.0.ND.float16.npy": 3.0,  # aclnn: the other way round
        "ReLU.Default_net-Net_ReLU-op1.0.0.1795204374440190.output.0.DefaultFormat.Float32.npy": 4.0,  # ran again
        "7.npy": 5.0,
        "notes.npy": 6.0,
    }
    for name, value in names.items():
        np.save(home / name, np.array([value]))
    (home / "mapping.csv").write_text(
        "7.npy,Mul.Default_net-Net_Mul-op9.0.0.1795204374440200.output.0.DefaultFormat.Float32.npy\n"
    )
    found = [(i.op, i.kind, i.io, i.call, float(i.open().load()[0])) for i in read_dump(tmp_path).items]
    assert found == [
        ("Default_net-Net_ReLU-op1", "ReLU", "input", 0, 1.0),
        ("Default_net-Net_ReLU-op1", "ReLU", "output", 0, 2.0),
        ("Default_net-Net_Add-op2", "Add", "output", 0, 3.0),
        ("Default_net-Net_ReLU-op1", "ReLU", "output", 1, 4.0),
        ("Default_net-Net_Mul-op9", "Mul", "output", 0, 5.0),
    ]


HEAD = (
    "Op Type,Op Name,Task ID,Stream ID,Timestamp,IO,Slot,Data Size,Data Type,Shape,"
    "Max Value,Min Value,Avg Value,L2Norm Value,NaN Count\n"
)


def test_statistics_that_mindspore_writes(tmp_path):
    rows = 'ReLU,Default_net-Net_ReLU-op1,0,0,10,{io},0,8,Float32,"(2,1)",{max},{min},1.0,3.0,0\n'
    for name, top in (("a", 2.0), ("b", 2.5)):
        home = tmp_path / name / "rank_0" / "Net" / "0" / "0"
        home.mkdir(parents=True)
        lines = rows.format(io="input", max=9.0, min=0.5) + rows.format(io="output", max=top, min=0.0)
        (home / "statistic.csv").write_text(HEAD + lines + "ReLU,cut o")
    found = compare_dumps(read_dump(tmp_path / "a"), read_dump(tmp_path / "b"))
    assert [(row.a.io, row.verdict) for row in found.rows] == [("input", "yes"), ("output", "no")]
    culprit = find_culprit(found)
    assert culprit.kind == "output" and "statistics differ by 2.5e-01" in sentence(found, culprit, "en")[0]


def probe_entry(file=None, top=1.0, shape=(2, 2)):
    entry = {
        "type": "torch.Tensor",
        "dtype": "torch.float32",
        "shape": list(shape),
        "Max": top,
        "Min": 0.0,
        "Mean": 0.5,
        "Norm": 1.5,
        "requires_grad": True,
    }
    return {**entry, **({"data_name": file} if file else {})}


def test_dumps_of_msprobe(tmp_path):
    """The layout as msprobe 26.2 writes it for PyTorch, values and statistics."""
    small = Path(__file__).parent / "data" / "small.pth"
    for name, prefix, top in (("a", "Module", 1.0), ("b", "Cell", 2.0)):
        home = tmp_path / name / "step0" / "rank0"
        (home / "dump_tensor_data").mkdir(parents=True)
        (home / "dump_tensor_data" / "in.pt").write_bytes(small.read_bytes())
        data = {
            f"{prefix}.layer.0.conv.Conv2d.forward.0": {
                "input_args": [probe_entry("in.pt", shape=(4, 6)), {"type": "int", "value": 1}],
                "input_kwargs": {"mask": probe_entry()},
                "output": [probe_entry(top=top)],
                "parameters": {"weight": probe_entry()},
            },
            "Functional.relu.0.forward": {"input_args": [probe_entry()], "input_kwargs": {}, "output": [probe_entry()]},
            f"{prefix}.layer.0.conv.Conv2d.parameters_grad.0": {"weight": [probe_entry()]},
            f"{prefix}.layer.0.conv.Conv2d.backward.0": {"input": [probe_entry()], "output": [None, probe_entry()]},
        }
        (home / "dump.json").write_text(json.dumps({"task": "tensor", "level": "mix", "data": data}))
    dump = read_dump(tmp_path / "a")
    assert dump.layout == "msprobe"
    assert [(i.op, i.kind, i.phase, i.io, i.slot, i.call) for i in dump.items] == [
        ("layer.0.conv", "Conv2d", "forward", "input", "0", 0),
        ("layer.0.conv", "Conv2d", "forward", "input", "mask", 0),
        ("layer.0.conv", "Conv2d", "forward", "output", "0", 0),
        ("layer.0.conv", "Conv2d", "forward", "parameter", "weight", 0),
        ("Functional.relu", "", "forward", "input", "0", 0),
        ("Functional.relu", "", "forward", "output", "0", 0),
        ("layer.0.conv", "Conv2d", "backward", "gradient", "weight", 0),
        ("layer.0.conv", "Conv2d", "backward", "input", "0", 0),
        ("layer.0.conv", "Conv2d", "backward", "output", "1", 0),
    ]
    found = compare_dumps(dump, read_dump(tmp_path / "b"))
    assert find_culprit(found).call.op == "layer.0.conv" and not found.paired.only_a


def test_dumps_of_ptdbg(tmp_path):
    for name, value in (("a", 1.0), ("b", 3.0)):
        home = tmp_path / name / "step2" / "rank0"
        (home / "dump").mkdir(parents=True)
        lines = [
            ["Torch_relu_0_forward_input.0", 1, [], "torch.float32", [2], [1.0, 0.0, 0.5]],
            ["Torch_relu_0_forward_stack_info", [["a.py", "3", "f", "x"]]],
            ["Torch_relu_0_forward_output.0", 1, [], "torch.float32", [2], [value, 0.0, 0.5]],
            ["Tensor___add___1_backward_output.1", 1, [], "torch.float32", [2], [1.0, 0.0, 0.5]],
        ]
        (home / "dump.pkl").write_text("\n".join(map(json.dumps, lines)) + '\n["cut')
        np.save(home / "dump" / "Torch_relu_0_forward_output.0.npy", np.array([value, 0.0]))
    dump = read_dump(tmp_path / "a")
    assert (dump.layout, {i.step for i in dump.items}) == ("ptdbg", {2})
    assert [(i.op, i.call, i.phase, i.io, i.slot) for i in dump.items] == [
        ("Torch_relu", 0, "forward", "input", "0"),
        ("Torch_relu", 0, "forward", "output", "0"),
        ("Tensor___add__", 1, "backward", "output", "1"),
    ]
    culprit = find_culprit(compare_dumps(dump, read_dump(tmp_path / "b")))
    assert (culprit.kind, culprit.call.op) == ("output", "Torch_relu")
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "dump.pkl").write_bytes(pickle.dumps(Evil()))
    with pytest.raises(CannotRead, match="no tensor in it"):
        read_dump(tmp_path / "p")


# --- shapes and dtypes are told first -----------------------------------------------------------------------------------
def _told(tmp_path, ours, theirs, lang="en") -> tuple:
    tmp_path.mkdir(exist_ok=True)
    y = draw(5, 16)
    folder(tmp_path / "A", y=y, **ours)
    folder(tmp_path / "B", y=y, **theirs)
    done = ask(tmp_path / "A", tmp_path / "B", "--lang", lang, "--json", tmp_path / "c.json", "--fail-on-difference")
    found = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    return done.exit_code, " ".join(done.output.split()), {row["a"]: row for row in found["rows"]}


X = draw(1, 64, 32).astype(np.float32)


@pytest.mark.parametrize(
    ("ours", "theirs", "remedy"),
    [
        (X, X.reshape(32, 64), "reshape(64, 32)"),
        (X[:1, :6].reshape(2, 3), X[:1, :6].reshape(3, 2), "reshape(2, 3)"),
        (X, X.T, "transpose(1, 0)"),
        (X.reshape(2, 4, 8, 32), X.reshape(2, 4, 8, 32).transpose(0, 2, 3, 1), "transpose(0, 3, 1, 2)"),
        (X, X[:9, :7], ""),
    ],
)
def test_another_shape_does_not_pass_and_what_would_make_it_equal_is_told(tmp_path, ours, theirs, remedy) -> None:
    status, text, rows = _told(tmp_path, {"x": ours}, {"x": np.ascontiguousarray(theirs)})
    assert status == 1 and rows["x"]["verdict"] == "shape" and rows["x"].get("remedy", "") == remedy
    assert f"Other shape: x is {list(ours.shape)} in A and {list(theirs.shape)} in B" in text
    assert (f"B.{remedy} makes them equal" in text) == bool(remedy)
    if remedy:
        back = eval(f"b.{remedy}", {"b": theirs})  # what is told is what makes them equal
        assert np.array_equal(back, ours)


def test_a_squeezed_axis_and_another_dtype_pass_and_are_told(tmp_path) -> None:
    half = X.astype(np.float16)
    brain = (X.view(np.uint32) >> 16).astype(np.uint16).view("V2")
    status, text, rows = _told(tmp_path, {"s": X[:, None], "h": X, "b": X}, {"s": X, "h": half, "b": brain})
    assert status == 0 and {row["verdict"] for row in rows.values()} == {"yes"}
    assert (
        "Shapes differ by axes of length 1: s is [64, 1, 32] in A and [64, 32] in B; B.reshape(64, 1, 32) makes them equal"
        in text
    )
    assert (
        "Other dtype: h is float32 in A and float16 in B" in text
        and "Other dtype: b is float32 in A and bfloat16 in B" in text
    )


def test_a_square_that_is_transposed(tmp_path) -> None:
    status, text, rows = _told(tmp_path, {"x": X[:32]}, {"x": np.ascontiguousarray(X[:32].T)})
    assert status == 1 and rows["x"]["verdict"] == "no" and rows["x"]["remedy"] == "transpose(1, 0)"
    assert "x has the same shape on both sides and another layout" in text


def test_exchanged_layers_are_recognised_and_others_are_not(tmp_path) -> None:
    k = draw(2, 64, 32).astype(np.float32)
    status, text, _ = _told(tmp_path / "1", {"one": X, "two": k}, {"one": k, "two": X})
    assert status == 1 and "are exchanged: " in text and "of A equals" in text
    _, text, _ = _told(tmp_path / "2", {"one": X, "two": k}, {"one": k, "two": draw(3, 64, 32).astype(np.float32)})
    assert "exchanged" not in text
    zeros = np.zeros((64, 32), np.float32)
    _, text, _ = _told(tmp_path / "3", {"one": zeros, "two": k}, {"one": k, "two": zeros})
    assert "fail" in text


def test_values_that_are_not_finite_are_told_in_words(tmp_path) -> None:
    bad = X.copy()
    bad[3, 4], bad[0, 0] = np.nan, np.inf
    status, text, _ = _told(tmp_path / "1", {"x": X}, {"x": bad})
    assert status == 1 and "x: A has finite values only, B has 1 NaN, 1 infinite" in text
    status, text, _ = _told(tmp_path / "2", {"x": bad}, {"x": bad})
    assert status == 0 and "Not finite at the same places on both sides: x (1 NaN, 1 infinite)" in text
    assert "1 个 NaN、1 个无穷大" in _told(tmp_path / "3", {"x": X}, {"x": bad}, "zh")[1]
