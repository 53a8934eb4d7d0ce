"""`msprec overflow`: Ascend's overflow files, and the first operator whose output is not finite."""

import json
import struct
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from dumping import mindspore_dump

from msprec.cli import main
from msprec.compare.dumps.ascend_files import Overflow, read_overflows
from msprec.compare.dumps.msprec_dump import DumpWriter
from msprec.compare.dumps.overflow_text import status_words
from msprec.compare.errors import CannotRead


def ask(*args):
    return CliRunner().invoke(main, ["overflow", *map(str, args)])


def version_1(core=0, dha=0, l2=0, task=7, stream=3) -> bytes:
    data = bytearray(2048)
    for at, shift in ((0, 100), (128, 200), (256, 0)):
        struct.pack_into("<6Q", data, at, 1, stream + shift, task + shift, 0, 0, 0)
    struct.pack_into("<Q", data, 512, dha)
    struct.pack_into("<Q", data, 768, l2)
    struct.pack_into("<3Q", data, 1024, 0xABC, 1, core)
    return bytes(data)


def version_2(kind=0, version=0, task=7, stream=3, status=0x20) -> bytes:
    names = {0: 10, 1: 10, 2: 7, 3: 9}[kind]
    values = [1, stream, task, *range(names - 3)]
    words = [0, status, 0, 0] if kind in (0, 1) and version == 1 else [status]
    body = struct.pack(f"<{len(values) + len(words)}Q", *values, *words)
    return struct.pack("<6I", 0x5A5A5A5A, version, 1, kind, 0, len(body)) + body


def varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


def field(number: int, value) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def container(inputs=(), outputs=()) -> bytes:
    """A dump file; inputs and outputs are ``(data_type, bytes)``."""
    head = b"".join(
        field(3, field(1, kind) + field(3, field(1, varint(2))) + field(6, len(data))) for kind, data in outputs
    )
    head += b"".join(field(4, field(1, kind) + field(5, len(data))) for kind, data in inputs) + field(6, b"op")
    return struct.pack("<Q", len(head)) + head + b"".join(data for _, data in (*inputs, *outputs))


def decoded(task=7, stream=3, status=0x20) -> str:
    block = {"model_id": 1, "stream_id": stream, "task_id": task, "task_type": 0, "pc_start": "0x0", "para_base": "0x0"}
    blocks = {"DHA Atomic Add": {**block, "status": 0}, "L2 Atomic Add": {**block, "status": 0}}
    return json.dumps({**blocks, "AI Core": {**block, "kernel_code": "0x0", "block_idx": 0, "status": status}})


def decoded_2(task=7, stream=3) -> str:
    data = {"model_id": 1, "stream_id": stream, "task_id": task, "status": [0, 32, 0, 0], "pc_start": "0x1"}
    entry = {"valid": 1, "acc_type": 1, "rsv": 0, "data_len": 9, "data": data}
    return json.dumps({"magic": "0x5a5a5a5a", "version": 1, "acc_list": entry})


@pytest.mark.parametrize(
    ("data", "suffix", "block"),
    [
        (version_1(core=0x20), "", "AI Core"),
        (container(outputs=[(4, version_1(core=0x20))]), "", "AI Core"),
        (version_2(0), "", "AI Core"),
        (version_2(1, version=1), "", "AI Vector"),
        (version_2(2), "", "AI CPU"),
        (version_2(3), "", "SDMA"),
        (container(outputs=[(4, version_2(0))]), "", "AI Core"),
        (decoded().encode(), ".output.0.json", "AI Core"),
        (decoded_2().encode(), ".output.0.json", "AI Vector"),
    ],
)
def test_every_form_of_an_overflow_file(tmp_path, data, suffix, block):
    file = tmp_path / f"Opdebug.Node_OpDebug.99.98.1234567890{suffix}"
    file.write_bytes(data)
    assert read_overflows(file) == [Overflow(file, 1234567890, block, 7, 3, 0x20)]


def test_no_status_and_no_overflow_file(tmp_path):
    file = tmp_path / "Opdebug.Node_OpDebug.1.2.3"
    file.write_bytes(version_1())
    assert read_overflows(file) == []
    for data in (b"", b"x" * 100, version_2(0)[:40], version_1()[:2000], struct.pack("<I", 0x5A5A5A5A)):
        file.write_bytes(data)
        with pytest.raises(CannotRead, match="no overflow file that is known"):
            read_overflows(file)
    for text in ("{", "[]", '{"a": 1}', '{"AI Core": {"status": "x"}}'):
        broken = tmp_path / "Opdebug.Node_OpDebug.1.2.3.output.0.json"
        broken.write_text(text)
        with pytest.raises(CannotRead):
            read_overflows(broken)


@pytest.mark.parametrize(
    ("block", "status", "words"),
    [
        ("AI Core", 0x120, "floating-point overflow, fp32 or int32 to fp16 overflow (0x120)"),
        ("AI Core", 0x400, "CUBE accumulation overflow (0x400)"),
        ("DHA Atomic Add", 0xB00, "source is NaN (0xb00)"),
        ("DHA Atomic Add", 0xD00, "source and destination are NaN (0xd00)"),
        ("L2 Atomic Add", 0x20000, "underflow (0x20000)"),
        ("SDMA", 5, "unknown status (0x5)"),
    ],
)
def test_words_of_a_status(block, status, words):
    assert status_words(Overflow(Path("x"), 0, block, 0, 0, status), "en") == words
    assert status_words(Overflow(Path("x"), 0, block, 0, 0, status), "zh")


def test_the_first_overflow_and_its_operator(tmp_path):
    home = tmp_path / "rank_0" / "Net" / "0" / "3"
    home.mkdir(parents=True)
    (home / "Opdebug.Node_OpDebug.50.60.2000").write_bytes(version_1(core=0x20, task=8))
    (home / "Opdebug.Node_OpDebug.51.60.1000").write_bytes(container(outputs=[(4, version_1(core=0x100, task=7))]))
    half = np.array([1.0, np.inf], np.float16)
    (home / "MatMul.Default_net-Net_fc-Dense_MatMul-op3.7.3.990").write_bytes(
        container(inputs=[(1, np.array([2.0, 4.0], np.float32).tobytes())], outputs=[(2, half.tobytes())])
    )
    np.save(home / "Add.Default_net-Net_Add-op1.8.3.1990.output.0.ND.float32.npy", np.array([3e38], np.float32))
    graphs = tmp_path / "rank_0" / "graphs"
    graphs.mkdir()
    (graphs / "ms_output_trace_code_graph_0.ir").write_text(
        "  %1(x) = MatMul(%a)\n      # Fullname with scope: (Default/net-Net/fc-Dense/MatMul-op3)\n"
        "      # In file /home/u/net.py:9~10, 4~71/    def construct(self,x):/\n"
        "      # In file /home/u/net.py:10, 40~49/        return self.fc(x)/\n"
        "      # In file /py/site-packages/mindspore/nn/layer/basic.py:5, 1~2/   x/\n  %2(y) = Add(%1)\n"
    )
    done = ask(tmp_path, "--lang", "en", "--fail-on-overflow")
    lines = done.output.splitlines()
    assert done.exit_code == 1
    assert lines[0] == (
        "The first operator that overflowed is Default_net-Net_fc-Dense_MatMul-op3 [MatMul] (AI Core: fp32 or int32 to fp16 "
        "overflow (0x100); task 7, stream 3, time stamp 1000)."
    )
    assert lines[1] == "Source: /home/u/net.py:10  return self.fc(x)"
    assert "input.0 float32 min 2 max 4 mean 3" in lines[2] and "output.0 float16 min 1 max 1 mean 1 1 Inf" in lines[3]
    assert lines[4].startswith("Later Default_net-Net_Add-op1 [Add] overflowed (AI Core: floating-point overflow")
    assert "max 3e+38" in lines[5]
    assert "第一个溢出的算子是" in ask(home, "--lang", "zh").output and "net.py:10" in ask(home).output


def test_an_operator_whose_data_are_missing_or_need_the_vendors_decoder(tmp_path):
    (tmp_path / "Opdebug.Node_OpDebug.50.60.2000").write_bytes(version_1(core=0x20, task=8))
    assert "of the operator of task 8, stream 3 are not in this folder" in ask(tmp_path, "--lang", "en").output
    (tmp_path / "MatMul.Default_MatMul-op3.8.3.990").write_bytes(b"\xff" * 64)
    output = ask(tmp_path, "--lang", "en").output
    assert "is Default_MatMul-op3 [MatMul]" in output and "msaccucmp.py convert -d" in output


def test_what_is_no_dump(tmp_path):
    assert ask(tmp_path / "none").exit_code == 2
    done = ask(tmp_path)
    assert done.exit_code == 2 and len(done.output.splitlines()) == 1 and "no tensor in it" in done.output
    (tmp_path / "Opdebug.Node_OpDebug.1.2.3").write_bytes(version_1())
    assert "There is no overflow status in 1 overflow files" in ask(tmp_path, "--lang", "en").output


@pytest.mark.parametrize("statistics", [False, True])
def test_values_that_are_not_finite(tmp_path, statistics):
    writer = DumpWriter(tmp_path / "d", "mindspore", statistics)
    writer.begin(1)
    good, bad = np.ones(3, np.float32), np.array([1, np.nan, np.inf], np.float32)
    for op, given, made in (("a", good, good), ("b", good, bad), ("c", bad, bad)):
        writer.put(op, "ReLU", "forward", "input", "0", 0, given)
        writer.put(op, "ReLU", "forward", "output", "0", 0, made)
    writer.end()
    output = ask(tmp_path / "d", "--lang", "en").output
    assert "The first operator whose output is not finite is b [ReLU] (step 1); its inputs are finite." in output
    assert "1 NaN 1 Inf" in output


def test_a_dump_that_mindspore_writes(tmp_path):
    pytest.importorskip("mindspore")
    lines = ask(mindspore_dump(tmp_path / "bad", activation="log"), "--lang", "en").output.splitlines()
    assert "is Default_network-WithLossCell__backbone-Net_Log-op0 [Log] (step 0); its inputs are finite." in lines[0]
    assert lines[1].endswith("train.py:12  x = ops.log(x)")
    assert "all their outputs are finite" in ask(mindspore_dump(tmp_path / "good"), "--lang", "en").output
