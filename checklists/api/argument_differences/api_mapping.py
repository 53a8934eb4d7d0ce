"""The table of API differences (`api_differences.csv`), and what an argument means whatever framework it was written for.

A row pairs a MindSpore parameter with PyTorch's for one *setting* of one *role* (conv2d, dropout, adam, …). The columns
``…_as`` name the conversion below that turns the arguments of a call into the setting's value, so that two calls compare
whether both, one or none of them is PyTorch's. ``mindspore.mint`` has PyTorch's parameters and shares its conversions.

    class      default: other default; meaning: other meaning of the same name; renamed; initialiser; consistent
    severity   high or medium: how far the trained network moves when the difference goes unnoticed
    ask        yes: left out, the argument differs from PyTorch's default, so that a ported script has to write it
"""

import csv
import re
from collections.abc import Callable
from functools import cache
from importlib import resources
from typing import Any, NamedTuple, Optional

from msprec.bilingual import Text
from msprec.source.signatures import Argument
from msprec.source.values import UNKNOWN, Record


class MappedApi(NamedTuple):
    """One row of the table."""

    role: str
    setting: str
    mindspore_api: str
    mindspore_parameter: str
    mindspore_as: str
    mindspore_default: str
    torch_api: str
    torch_parameter: str
    torch_as: str
    torch_default: str
    kind: str
    severity: str
    ask: bool
    versions: str
    write: Text


class CallSetting(NamedTuple):
    """A setting of one call: its value (UNKNOWN where it cannot be known), whether it was written, as what."""

    row: MappedApi
    value: Any
    given: bool
    code: str
    conversion: str


@cache
def rows() -> tuple:
    """The rows of the table, in its order."""
    text = (resources.files("msprec.checklists.api.argument_differences") / "api_differences.csv").read_text(
        encoding="utf-8"
    )
    found = []
    for entry in csv.DictReader(text.splitlines()):
        write = Text(*(entry[f"write_{lang}"].replace("{", "{{").replace("}", "}}") for lang in ("zh", "en")))
        told = [entry[name] for name in list(entry)[:12]]
        found.append(MappedApi._make([*told, entry["ask"] == "yes", entry["versions"], write]))
    return tuple(found)


def rows_of(api: str, version: Optional[str] = None) -> list:
    """[(row, parameter, conversion)] of an API of either framework; those of MindSpore for one version."""
    twin = torch_twin(api)
    if twin is not None:
        return [(row, row.torch_parameter, row.torch_as) for row in _by_torch().get(twin, ())]
    return [
        (row, row.mindspore_parameter, row.mindspore_as)
        for row in _by_mindspore().get(api, ())
        if _holds(row.versions, version)
    ]


def torch_twin(api: str) -> Optional[str]:
    """The PyTorch name whose parameters an API has: its own, or that of a ``mindspore.mint`` interface."""
    if api.startswith("torch."):
        return api
    return f"torch.{api[len('mindspore.mint.') :]}" if api.startswith("mindspore.mint.") else None


def role_of(api: str) -> Optional[str]:
    """The role of an API in the table; None where the table does not know it."""
    found = rows_of(api)
    return found[0][0].role if found else None


def settings(api: str, arguments: dict, version: Optional[str] = None) -> dict:
    """{setting: Setting} of a call with these effective arguments."""
    found: dict[str, CallSetting] = {}
    for row, parameter, conversion in rows_of(api, version):
        argument = arguments.get(parameter, _ABSENT)
        value = _CONVERSIONS[conversion](parameter, arguments)
        given = _given(conversion, parameter, arguments)
        found.setdefault(row.setting, CallSetting(row, _plain(value), given, argument.code, conversion))
    return found


_ABSENT = Argument(UNKNOWN, False, "", 0)


@cache
def _by_mindspore() -> dict:
    return _grouped(lambda row: row.mindspore_api)


@cache
def _by_torch() -> dict:
    return _grouped(lambda row: row.torch_api)


def _grouped(key: Callable) -> dict:
    found: dict[str, list[MappedApi]] = {}
    for row in rows():
        entries = found.setdefault(key(row), [])
        if not any(other.setting == row.setting for other in entries):
            entries.append(row)
    return found


def _holds(versions: str, version: Optional[str]) -> bool:
    """Does the row hold for a MindSpore version (``>=2.7``, ``<2.0``, …)? Not knowing the version, yes."""
    match = re.fullmatch(r"(>=|<)([\d.]+)", versions.strip())
    if match is None or not version:
        return True
    known, limit = _numbers(version), _numbers(match.group(2))
    return known >= limit if match.group(1) == ">=" else known < limit


def _numbers(version: str) -> tuple:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


def _plain(value: Any) -> Any:
    """Floating-point noise of a complement taken away; tuples instead of lists."""
    if isinstance(value, float):
        return float(f"{value:.10g}")
    return tuple(value) if isinstance(value, list) else value


# --- conversions: from the effective arguments to the value of the setting


def _value(name: str, arguments: dict) -> Any:
    value = arguments.get(name, _ABSENT).value
    return UNKNOWN if isinstance(value, Record) else value


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _complement(name: str, arguments: dict) -> Any:
    """1 - x: a share to keep as a share to drop, an old share as a new one."""
    value = _value(name, arguments)
    return 1.0 - value if _number(value) else UNKNOWN


def _dropout(name: str, arguments: dict) -> Any:
    """nn.Dropout drops ``p`` where it is given, else 1 - ``keep_prob``."""
    share = _value("p", arguments)
    return _complement("keep_prob", arguments) if share is None else share


def _pair(name: str, arguments: dict) -> Any:
    """(3, 3) as 3."""
    return _alike(_value(name, arguments))


def _alike(value: Any) -> Any:
    if isinstance(value, (tuple, list)) and value and all(part == value[0] for part in value):
        return value[0]
    return tuple(value) if isinstance(value, list) else value


def _conv_padding(name: str, arguments: dict) -> Any:
    """The padding on each side as PyTorch writes it; ``same`` only equals a number where it pads alike on both sides."""
    mode, padding = _value("pad_mode", arguments), _value("padding", arguments)
    if mode == "valid":
        return 0
    if mode == "pad":
        return _sides(padding)
    if mode != "same":
        return UNKNOWN
    kernel = _alike(_value("kernel_size", arguments))
    stride, dilation = _alike(_value("stride", arguments)), _alike(_value("dilation", arguments))
    if kernel == 1:
        return 0
    if stride == 1 and isinstance(kernel, int) and isinstance(dilation, int) and (dilation * (kernel - 1)) % 2 == 0:
        return dilation * (kernel - 1) // 2
    return UNKNOWN if UNKNOWN in (kernel, stride, dilation) else "same"


def _sides(padding: Any) -> Any:
    """MindSpore writes a side each (top, bottom, left, right); PyTorch a direction each."""
    if isinstance(padding, (tuple, list)) and len(padding) in (4, 6) and list(padding[::2]) == list(padding[1::2]):
        padding = tuple(padding[::2])
    return _alike(padding)


def _torch_padding(name: str, arguments: dict) -> Any:
    padding = _alike(_value("padding", arguments))
    if padding == "valid":
        return 0
    if padding == "same":
        return _conv_padding(name, {**arguments, "pad_mode": Argument("same", True, "'same'", 0)})
    return padding


def _pool_padding(name: str, arguments: dict) -> Any:
    mode = str(_value("pad_mode", arguments)).lower()
    if mode == "same" and _alike(_value("kernel_size", arguments)) != 1:
        return "same"
    return _sides(_value("padding", arguments)) if mode == "pad" else 0 if mode in ("valid", "same") else UNKNOWN


def _torch_pool_stride(name: str, arguments: dict) -> Any:
    stride = _value("stride", arguments)
    return _pair("kernel_size", arguments) if stride is None else _alike(stride)


def _truth(name: str, arguments: dict) -> Any:
    value = _value(name, arguments)
    return UNKNOWN if value is UNKNOWN else bool(value)


def _gelu(name: str, arguments: dict) -> Any:
    value = _value(name, arguments)
    return UNKNOWN if value is UNKNOWN else value not in ("none", False)


def _nth(number: int) -> Callable:
    def part(name: str, arguments: dict) -> Any:
        value = _value(name, arguments)
        return value[number] if isinstance(value, (tuple, list)) and len(value) > number else UNKNOWN

    return part


def _embedding_table(name: str, arguments: dict) -> Any:
    """The distribution that the table of nn.Embedding starts with, where it is the named default."""
    value = _value(name, arguments)
    return "N(0, 0.01)" if value == "normal" else _initializer(arguments.get(name, _ABSENT).code)


def _initializer(code: str) -> Any:
    match = re.search(r"\bNormal\((?:sigma=)?([\d.eE+-]+)\)$", code)
    return f"N(0, {float(match.group(1)):g})" if match else UNKNOWN


def _torch_correction(name: str, arguments: dict) -> Any:
    """The correction of torch.std; older scripts write ``unbiased``."""
    unbiased = arguments.get("unbiased")
    if unbiased is not None:
        return UNKNOWN if not isinstance(unbiased.value, bool) else int(unbiased.value)
    value = _value(name, arguments)
    return int(value) if isinstance(value, bool) else value


def _torch_dim(name: str, arguments: dict) -> Any:
    """PyTorch's missing ``dim`` depends on the rank of its input: not known here."""
    value = _value(name, arguments)
    return UNKNOWN if value is None else value


_CONVERSIONS = {
    "": _value,
    "complement": _complement,
    "dropout": _dropout,
    "pair": _pair,
    "conv_padding": _conv_padding,
    "torch_padding": _torch_padding,
    "pool_padding": _pool_padding,
    "pool_stride": _pair,
    "torch_pool_stride": _torch_pool_stride,
    "truth": _truth,
    "gelu": _gelu,
    "first": _nth(0),
    "second": _nth(1),
    "embedding_table": _embedding_table,
    "torch_embedding": lambda name, arguments: "N(0, 1)",
    "torch_correction": _torch_correction,
    "torch_dim": _torch_dim,
    "yes": lambda name, arguments: True,
    "no": lambda name, arguments: False,
}


def _given(conversion: str, parameter: str, arguments: dict) -> bool:
    """Was the setting written out? A share to drop may be written in either of two parameters."""
    names = {"dropout": ("p", "keep_prob"), "conv_padding": ("pad_mode",)}.get(conversion, (parameter,))
    if conversion in ("yes", "no", "torch_embedding"):
        return False
    return any(arguments.get(name, _ABSENT).given for name in names)
