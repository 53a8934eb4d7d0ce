"""The files that Ascend writes of an overflow: which operator, which kind, and the operator's own data.

A dump file is ``u64 length | protocol buffer DumpData | data of inputs, outputs, …`` (little-endian); ``DumpData`` {3 output, 4
input, 6 op_name}, ``OpOutput`` {1 data_type, 2 format, 3 shape, 6 size}, ``OpInput`` {1, 2, 3, 5 size}, ``Shape`` {1 dim}. The
payload of an ``Opdebug`` file is its first output: 2048 bytes of three blocks (version 1), or it begins with 0x5a5a5a5a (version
2). Sources: AclDumpMsg.proto, MindSpore's ascend_dump.cc and e2e_dump.cc, hiascend's description of the overflow data. Checked
against files made from these descriptions; files of a real device were not at hand.
"""

import json
import re
import struct
from pathlib import Path
from typing import NamedTuple, Optional

import numpy as np

from msprec.compare.arrays import from_bfloat16
from msprec.compare.errors import CannotRead
from msprec.compare.protobuf_wire import fields, varints

_MAGIC = 0x5A5A5A5A
_DECODER = "python3 $ASCEND_TOOLKIT_HOME/tools/operator_cmp/compare/msaccucmp.py"
_OPDEBUG = re.compile(r"Opdebug\.Node_OpDebug\.(?P<task>\d+)\.(?P<stream>\d+)\.(?P<time>\d+)(?P<rest>(?:\.\w+)*)$")
_DTYPES = {
    1: "f4",
    2: "f2",
    3: "i1",
    4: "u1",
    5: "i2",
    6: "u2",
    7: "i4",
    8: "i8",
    9: "u4",
    10: "u8",
    11: "?",
    12: "f8",
    27: "bfloat16",
}
_V1 = {"DHA Atomic Add": (0, 512), "L2 Atomic Add": (128, 768), "AI Core": (256, 1024)}
_BLOCK = ("model_id", "stream_id", "task_id", "task_type", "pc_start", "para_base")
_TASK = ("model_id", "stream_id", "task_id", "task_type", "context_id")
_CORE = (*_TASK, "thread_id", "pc_start", "para_base", "core_id", "block_id")
_V2 = {
    0: ("AI Core", _CORE),
    1: ("AI Vector", _CORE),
    2: ("AI CPU", (*_TASK, "cpu_id", "thread_id")),
    3: ("SDMA", (*_TASK, "thread_id", "src_addr", "dst_addr", "channel_id")),
}


class Overflow(NamedTuple):
    """One overflow as an ``Opdebug`` file tells it.

    Attributes:
        file: The file.
        time: Its time stamp.
        block: "AI Core", "AI Vector", "AI CPU", "SDMA", "DHA Atomic Add" or "L2 Atomic Add".
        task, stream: Of the operator: those inside the file, not those of its name.
        status: The status word; of several words, all of them put together with "or".
    """

    file: Path
    time: int
    block: str
    task: int
    stream: int
    status: int


def opdebug_name(file: Path) -> Optional[re.Match]:
    """The parts of the name of an overflow file; None for any other file."""
    name = file.name[: -len(".output.0.json")] if file.name.endswith(".output.0.json") else file.name
    return _OPDEBUG.match(name)


def read_overflows(file: Path) -> list:
    """The overflows in an ``Opdebug`` file, raw or decoded to JSON.

    Raises:
        CannotRead: It is in neither form.
    """
    name = opdebug_name(file)
    time = int(name["time"]) if name else 0
    try:
        data = file.read_bytes()
        if file.suffix == ".json":
            return _of_json(file, time, json.loads(data))
        return _of_payload(file, time, _payload(data))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, struct.error, RecursionError) as error:
        raise CannotRead(f"{file}: no overflow file that is known ({error})") from None


def _payload(data: bytes) -> bytes:
    """The bytes of the overflow, out of the container that a dump file is, or as they are."""
    if len(data) >= 4 and struct.unpack_from("<I", data)[0] == _MAGIC:
        return data
    try:
        return _tensors(data)[0]["output"][0][0]
    except (ValueError, IndexError, TypeError):
        if len(data) != 2048:
            raise ValueError("of an unknown length") from None
        return data


def _of_payload(file: Path, time: int, data: bytes) -> list:
    if struct.unpack_from("<I", data)[0] == _MAGIC:
        return _version_2(file, time, data)
    if len(data) != 2048:
        raise ValueError("of an unknown length")
    found = []
    for block, (at, status_at) in _V1.items():
        values = dict(zip(_BLOCK, struct.unpack_from("<6Q", data, at)))
        # of the AI core the status follows the kernel's code and block
        status = struct.unpack_from("<Q", data, status_at + (16 if block == "AI Core" else 0))[0]
        if status:
            found.append(Overflow(file, time, block, values["task_id"], values["stream_id"], status))
    return found


def _version_2(file: Path, time: int, data: bytes) -> list:
    _, version, _, kind, _, length = struct.unpack_from("<6I", data)
    block, names = _V2[kind]
    if length > len(data):
        raise ValueError("cut off")
    values = dict(zip(names, struct.unpack_from(f"<{len(names)}Q", data, 24)))
    words = 4 if kind in (0, 1) and version == 1 else 1
    status = 0
    for word in struct.unpack_from(f"<{words}Q", data, 24 + 8 * len(names)):
        status |= word
    return [Overflow(file, time, block, values["task_id"], values["stream_id"], status)] if status else []


def _of_json(file: Path, time: int, data: dict) -> list:
    if "acc_list" in data:
        entry = data["acc_list"]
        values = entry["data"]
        block = _V2.get(_number(entry["acc_type"]), ("AI Core",))[0]
        blocks = {block: values}
    else:
        blocks = {name: data[name] for name in ("AI Core", *_V1) if isinstance(data.get(name), dict)}
        if not blocks:
            raise ValueError("no block in it")
    found = []
    for block, values in blocks.items():
        status = 0
        for word in values["status"] if isinstance(values["status"], list) else [values["status"]]:
            status |= _number(word)
        if status:
            found.append(Overflow(file, time, block, _number(values["task_id"]), _number(values["stream_id"]), status))
    return found


def _number(value) -> int:
    return int(value, 0) if isinstance(value, str) else int(value)


# --- an operator's data -------------------------------------------------------------------------------------------
def read_operator(file: Path) -> list:
    """``(io, slot, values)`` of the inputs and outputs in a dump file of an operator; values are flat, in the device's layout.

    Raises:
        CannotRead: It is no such file; CANN's msaccucmp decodes it.
    """
    try:
        parts, _ = _tensors(file.read_bytes())
        return [(io, slot, _values(*part)) for io in ("input", "output") for slot, part in enumerate(parts[io])]
    except (OSError, ValueError, TypeError, struct.error) as error:
        raise CannotRead(
            f"{file}: its format needs the vendor's decoder ({error}): {_DECODER} convert -d {file} -out DECODED"
        ) from None


def _tensors(data: bytes) -> tuple:
    """``({"input": [(bytes, data_type)], "output": […]}, op_name)``."""
    length = struct.unpack_from("<Q", data)[0]
    if length > len(data) - 8:
        raise ValueError("no dump file")
    heads, name = {"input": [], "output": []}, ""
    for number, where in fields(data, 8, 8 + length):
        if number in (3, 4):
            heads["output" if number == 3 else "input"].append(_head(data, where, 6 if number == 3 else 5))
        elif number == 6:
            name = data[slice(*where)].decode("utf-8", "replace")
    at, found = 8 + length, {"input": [], "output": []}
    for io in ("input", "output"):
        for kind, size, _ in heads[io]:
            if at + size > len(data):
                raise ValueError("cut off")
            found[io].append((data[at : at + size], kind))
            at += size
    return found, name


def _head(data: bytes, where: tuple, size_field: int) -> tuple:
    kind, size, dims = 0, 0, []
    for number, value in fields(data, *where):
        if number == 1:
            kind = value
        elif number == size_field:
            size = value
        elif number == 3:
            for inner, dim in fields(data, *value):
                if inner == 1:
                    dims += [dim] if isinstance(dim, int) else varints(data, *dim)
    return kind, size, dims


def _values(data: bytes, kind: int) -> np.ndarray:
    dtype = _DTYPES.get(kind)
    if dtype is None:
        raise ValueError(f"data type {kind}")
    if dtype == "bfloat16":
        return from_bfloat16(np.frombuffer(data, "<u2"))
    stored = np.dtype(dtype)
    return np.frombuffer(data[: len(data) // stored.itemsize * stored.itemsize], stored)
