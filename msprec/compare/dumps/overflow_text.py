"""What a search for overflows says, in words."""

from msprec.compare.dumps.ascend_files import Overflow
from msprec.compare.dumps.overflow import OverflowedOperator, Result, Tensor

_WORDS = {
    "zh": {
        "first_file": "第一个溢出的算子是 {op}（{block}：{status}；task {task}，stream {stream}，时间戳 {time}）。",
        "later_file": "之后溢出的还有 {op}（{block}：{status}；task {task}，stream {stream}，时间戳 {time}）。",
        "unknown": "未 dump 的算子",
        "no_data": "溢出算子（task {task}，stream {stream}）的输入输出不在这个目录里：把 dump_mode 设为 0 后重新 dump 这一步。",
        "values": "第一个输出不是有限值的算子是 {op}（step {step}），它的输入都是有限值。",
        "input": "{op}（step {step}）的输入里已经有 NaN 或 Inf：查数据、参数或上一步的更新。",
        "clean_files": "{searched} 个溢出文件中没有溢出状态。",
        "clean_values": "检查了 {searched} 次算子调用，输出都是有限值。",
        "line": "源码：{file}:{line}  {code}",
        "nan": "NaN {count}",
        "inf": "Inf {count}",
    },
    "en": {
        "first_file": "The first operator that overflowed is {op} ({block}: {status}; task {task}, stream {stream}, time stamp {time}).",
        "later_file": "Later {op} overflowed ({block}: {status}; task {task}, stream {stream}, time stamp {time}).",
        "unknown": "one whose data were not dumped",
        "no_data": "The inputs and outputs of the operator of task {task}, stream {stream} are not in this folder: dump that step again with dump_mode 0.",
        "values": "The first operator whose output is not finite is {op} (step {step}); its inputs are finite.",
        "input": "{op} (step {step}) is given NaN or infinity already: look at the data, the parameters, or the update of the step before.",
        "clean_files": "There is no overflow status in {searched} overflow files.",
        "clean_values": "{searched} calls of operators were looked at; all their outputs are finite.",
        "line": "Source: {file}:{line}  {code}",
        "nan": "{count} NaN",
        "inf": "{count} Inf",
    },
}


def lines(result: Result, lang: str) -> list:
    """The conclusion, each overflow with its place and its tensors."""
    say = _WORDS[lang]
    if not result.found:
        unread = result.by == "files" and len(result.notes) >= result.searched
        return [*result.notes, *([] if unread else [say[f"clean_{result.by}"].format(searched=result.searched)])]
    told = []
    for number, found in enumerate(result.found):
        told += _one(found, number == 0, say, lang)
    return [*told, *result.notes]


def _one(found: OverflowedOperator, first: bool, say: dict, lang: str) -> list:
    name = f"{found.operator} [{found.kind}]" if found.kind else found.operator
    if found.overflow is None:
        given = any(t.one.nan or t.one.inf for t in found.tensors if t.io == "input")
        told = [say["input" if given else "values"].format(op=name or "-", step=found.step)]
    else:
        o = found.overflow
        told = [
            say["first_file" if first else "later_file"].format(
                op=name or say["unknown"],
                block=o.block,
                status=status_words(o, lang),
                task=o.task,
                stream=o.stream,
                time=o.time,
            )
        ]
        if not found.operator:
            told.append(say["no_data"].format(task=o.task, stream=o.stream))
    if found.line is not None:
        told.append(say["line"].format(**found.line._asdict()))
    return [*told, *(f"    {_tensor(t, say)}" for t in found.tensors), *found.notes]


def _tensor(tensor: Tensor, say: dict) -> str:
    one = tensor.one
    shape = "" if tensor.shape is None else f"[{','.join(map(str, tensor.shape))}]"
    values = (
        ""
        if one.max is None
        else f" min {one.min:.6g} max {one.max:.6g}" + (f" mean {one.mean:.6g}" if one.mean is not None else "")
    )
    bad = "".join(f" {say[key].format(count=count)}" for key, count in (("nan", one.nan), ("inf", one.inf)) if count)
    return f"{tensor.io}.{tensor.slot} {tensor.dtype}{shape}{values}{bad}"


_BITS = {
    0x8: ("最小负整数取反溢出", "sign inversion of the smallest negative integer"),
    0x10: ("整数加减乘（乘加）溢出", "integer add, sub, mul or mla overflow"),
    0x20: ("浮点计算溢出", "floating-point overflow"),
    0x80: ("负浮点数转无符号整数", "negative float to unsigned"),
    0x100: ("fp32 转 fp16 或 int32 转 fp16 溢出", "fp32 or int32 to fp16 overflow"),
    0x400: ("CUBE 累加溢出", "CUBE accumulation overflow"),
}
_ATOMIC = (
    ("溢出", "overflow"),
    ("下溢", "underflow"),
    ("源操作数为 NaN", "source is NaN"),
    ("目的操作数为 NaN", "destination is NaN"),
    ("源和目的操作数都为 NaN", "source and destination are NaN"),
)


def status_words(overflow: Overflow, lang: str) -> str:
    """What the status says."""
    at = 0 if lang == "zh" else 1
    status = overflow.status
    if overflow.block == "DHA Atomic Add":
        known = {0x9 + n: words for n, words in enumerate(_ATOMIC)}.get(status >> 8 & 0xFF)
        parts = [known[at]] if known else []
    elif overflow.block == "L2 Atomic Add":
        known = {1 + n: words for n, words in enumerate(_ATOMIC)}.get(status >> 16 & 0x7)
        parts = [known[at]] if known else []
    elif overflow.block in ("AI Core", "AI Vector"):
        parts = [words[at] for bit, words in _BITS.items() if status & bit]
    else:
        parts = []
    unknown = ("未知状态", "unknown status")[at]
    return f"{', '.join(parts) or unknown} (0x{status:x})"
