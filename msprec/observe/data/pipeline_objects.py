"""A data set's pipeline, read from its objects: operations, arguments, shuffling, sharding. Nothing is run."""

import contextlib
import enum
import functools
import os
import types
import zlib
from typing import Optional

import numpy as np

from msprec.runtime.side_effects import host_draws, seeded_draws
from msprec.runtime.source_locations import is_user_file

_METHODS = {
    "BatchDataset": "batch",
    "PaddedBatchDataset": "padded_batch",
    "ShuffleDataset": "shuffle",
    "MapDataset": "map",
    "RepeatDataset": "repeat",
    "TakeDataset": "take",
    "SkipDataset": "skip",
    "ZipDataset": "zip",
    "ConcatDataset": "concat",
    "ProjectDataset": "project",
    "RenameDataset": "rename",
    "FilterDataset": "filter",
    "BucketBatchByLengthDataset": "bucket_batch_by_length",
    "SyncWaitDataset": "sync_wait",
    "TransferDataset": "device_que",
}
_ARGUMENTS = (
    "batch_size",
    "drop_remainder",
    "per_batch_map",
    "pad_info",
    "buffer_size",
    "reshuffle_each_epoch",
    "count",
    "input_columns",
    "output_columns",
    "operations",
    "column_names",
    "columns",
    "predicate",
    "num_samples",
    "num_shards",
    "shard_id",
    "dataset_dir",
    "dataset_files",
    "usage",
    "decode",
    "class_indexing",
    "num_parallel_workers",
    "python_multiprocessing",
    "bucket_boundaries",
    "bucket_batch_sizes",
    "extensions",
    "schema",
)
_HIDDEN = ("implementation", "callable", "device_target", "random", "deterministic")
_DEFAULTS = (None, [], (), 0, -1, "")
# the engine's numbers for the argument `shuffle` of a source (mindspore.dataset.Shuffle.to_int)
_SHUFFLE_WORDS = {0: False, 1: "files", 2: True, 3: True, 4: "infile", 5: False}
_SHUFFLING_SAMPLERS = ("RandomSampler", "SubsetRandomSampler", "WeightedRandomSampler")


def _plain(value, depth: int = 0):
    """An argument as JSON can hold it; arrays by their shape, callables by their name."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, np.ndarray):
        return f"array{value.shape} {value.dtype}"
    if isinstance(value, (list, tuple)):
        return [_plain(v, depth + 1) for v in value[:32]] if depth < 3 else f"{type(value).__name__}[{len(value)}]"
    if isinstance(value, dict):
        return {str(k): _plain(v, depth + 1) for k, v in list(value.items())[:32]}
    return describe_operation(value)


def describe_operation(operation) -> str:
    """A transform as ``Name(attribute=value, ...)``; a function as its qualified name with the values that it closes over.

    Two lambdas are told apart by a checksum of their code.
    """
    if isinstance(operation, functools.partial):
        given = [repr(v) for v in operation.args if _is_simple(v)]
        given += [f"{k}={v!r}" for k, v in operation.keywords.items() if _is_simple(v)]
        return f"partial({', '.join([describe_operation(operation.func), *given])})"
    name = getattr(operation, "__qualname__", None)
    if name is not None:
        return _function_name(operation, name)
    attributes = []
    for key, value in list(getattr(operation, "__dict__", {}).items())[:16]:
        if key.startswith("_") or key in _HIDDEN:
            continue
        if isinstance(value, enum.Enum):
            attributes.append(f"{key}={type(value).__name__}.{value.name}")
        elif _is_simple(value):
            attributes.append(f"{key}={value!r}")
    return f"{type(operation).__name__}({', '.join(attributes)})"


def _is_simple(value) -> bool:
    return isinstance(value, (bool, int, float, str)) or (
        isinstance(value, (list, tuple)) and 0 < len(value) <= 8 and all(isinstance(v, (int, float)) for v in value)
    )


def _function_name(function, name: str) -> str:
    text = f"{getattr(function, '__module__', '')}.{name}".replace("__main__.", "")
    code = getattr(function, "__code__", None)
    if code is None:
        return text
    if "<lambda>" in name:
        text += f"#{_code_checksum(code):08x}"
    held = []
    for key, cell in zip(code.co_freevars, function.__closure__ or ()):
        with contextlib.suppress(ValueError):
            if _is_simple(cell.cell_contents):
                held.append(f"{key}={cell.cell_contents!r}")
    return f"{text}({', '.join(held)})" if held else text


def _code_checksum(code, seed: int = 0) -> int:
    plain = [c for c in code.co_consts if not isinstance(c, types.CodeType)]
    seed = zlib.crc32(code.co_code + repr((plain, code.co_names)).encode(), seed)
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            seed = _code_checksum(inner, seed)
    return seed


def operation_list(operations) -> list:
    """The transforms of a map as texts, in order; a ``Compose`` by what it holds."""
    listed = operations if isinstance(operations, (list, tuple)) else [operations]
    found = []
    for one in listed:
        inner = getattr(one, "transforms", None)
        if type(one).__name__ == "Compose" and isinstance(inner, (list, tuple)):
            found += operation_list(inner)
        else:
            found.append(describe_operation(one))
    return found[:64]


def _arguments(node) -> dict:
    found = {}
    for name in _ARGUMENTS:
        value = node.__dict__.get(name)
        if isinstance(value, (bool, np.ndarray)) or not any(value is d or value == d for d in _DEFAULTS):
            found[name] = operation_list(value) if name == "operations" else _plain(value)
    if not node.children:
        found.update(_source_arguments(node))
    return found


def _source_arguments(node) -> dict:
    found = {}
    if "shuffle_flag" in node.__dict__:
        found["shuffle"] = _SHUFFLE_WORDS.get(node.shuffle_flag, node.shuffle_flag)
    sampler = node.__dict__.get("sampler")
    if sampler is not None:
        found["sampler"] = describe_operation(sampler)
    if type(node).__name__ == "ImageFolderDataset":
        found["classes"] = _class_numbers(node)
    source = node.__dict__.get("source")
    if source is not None:
        found["source"] = getattr(source, "__qualname__", None) or type(source).__qualname__
        length = node.__dict__.get("source_len")
        found["source_len"] = length if isinstance(length, int) and length >= 0 else None
    return found


def _class_numbers(node) -> Optional[dict]:
    """Folder name → label of an ImageFolderDataset: as given, else the sorted folders in their order."""
    given = node.__dict__.get("class_indexing")
    if given:
        return {str(name): number for name, number in list(given.items())[:1024]}
    try:
        folders = sorted(entry.name for entry in os.scandir(node.dataset_dir) if entry.is_dir())
    except (OSError, TypeError):
        return None
    return {name: number for number, name in enumerate(folders[:1024])}


def chain(node) -> list:
    """The pipeline's nodes, source first; of several inputs (zip, concat) all are walked, in order."""
    seen, order = set(), []

    def walk(one) -> None:
        if id(one) in seen:
            return
        seen.add(id(one))
        for child in one.children:
            walk(child)
        order.append(one)

    walk(node)
    return order


def pipeline_facts(nodes: list, stacks) -> list:
    """The entries of ``pipeline``; ``stacks`` gives the places of the user's frames in which a node was made, the innermost
    first."""
    facts = []
    for node in nodes:
        kind, (place, *callers) = type(node).__name__, stacks(node) or (None,)
        entry = {"op": _METHODS.get(kind, kind), "args": _arguments(node), "place": place, "callers": callers}
        called = _called_for_samples(node)
        seeded = next((found for one in called if (found := seeded_draws(one)) is not None), None)
        facts.append(
            {
                **entry,
                "draws": next((draw for one in called if (draw := host_draws(one)) is not None), None),
                "seeds": {"what": seeded[0], "place": seeded[1]} if seeded is not None else None,
            }
        )
    return facts


def _called_for_samples(node) -> list:
    """The functions of the user's that a node calls for each sample.

    Of a source only what is done for a position counts: a generator may draw the order.
    """
    source, operations = node.__dict__.get("source"), node.__dict__.get("operations")
    called = [getattr(source, "__getitem__", None)] if source is not None and not node.children else []
    for one in operations if isinstance(operations, (list, tuple)) else [operations]:
        method = vars(type(one)).get("__call__")
        called.append(types.MethodType(method, one) if isinstance(method, types.FunctionType) else one)
    return [one for one in called if _is_users(one)]


def _is_users(function) -> bool:
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return code is not None and is_user_file(code.co_filename)


def _is_seekable(node) -> Optional[bool]:
    if type(node).__name__ not in ("GeneratorDataset", "NumpySlicesDataset"):
        return None
    length = node.__dict__.get("source_len")
    return bool(isinstance(length, int) and length >= 0)


def shuffle_facts(nodes: list) -> dict:
    """Which means of shuffling the pipeline declares; a generator without random access ignores its sampler."""
    means, buffer_size, seekable, known = [], None, None, False
    for node in nodes:
        kind = type(node).__name__
        if kind == "ShuffleDataset":
            buffer_size, known = node.buffer_size, True
            if buffer_size and buffer_size > 1:
                means.append(f"shuffle(buffer_size={buffer_size})")
        if not node.children:
            seekable, known = _is_seekable(node), True
            if seekable is not False:
                means += _source_means(node)
    return {
        "declared": bool(means) if known else None,
        "means": means,
        "buffer_size": buffer_size,
        "seekable_source": seekable,
    }


def _source_means(node) -> list:
    flag = node.__dict__.get("shuffle_flag")
    sampler = node.__dict__.get("sampler")
    if sampler is not None:
        name = type(sampler).__name__
        shuffles = name in _SHUFFLING_SAMPLERS or bool(getattr(sampler, "shuffle", False))
        return [f"{type(node).__name__}(sampler={name})"] if shuffles else []
    word = _SHUFFLE_WORDS.get(flag, False)
    return [f"{type(node).__name__}(shuffle={word})"] if word else []


def sharding_facts(nodes: list) -> dict:
    for node in nodes:
        shards = node.__dict__.get("num_shards")
        if isinstance(shards, int) and shards > 1:
            return {"num_shards": shards, "shard_id": node.__dict__.get("shard_id")}
    return {"num_shards": None, "shard_id": None}


def repeat_count(nodes: list) -> int:
    count = 1
    for node in nodes:
        if type(node).__name__ == "RepeatDataset" and isinstance(node.count, int) and node.count > 0:
            count *= node.count
    return count


def batch_size(nodes: list) -> Optional[int]:
    """Samples a delivered batch should have, or None when the pipeline does not batch (the samples may be batches)."""
    size = None
    for node in nodes:
        if type(node).__name__ in ("BatchDataset", "PaddedBatchDataset") and isinstance(node.batch_size, int):
            size = node.batch_size if size is None else size * node.batch_size
    return size


def has_batch(nodes: list) -> bool:
    kinds = {type(node).__name__ for node in nodes}
    return bool(kinds & {"BatchDataset", "PaddedBatchDataset", "BucketBatchByLengthDataset"}) or any(
        node.__dict__.get("has_batch_sampler") for node in nodes
    )


_COLUMNS = dict.fromkeys(
    (
        "MnistDataset",
        "KMnistDataset",
        "FashionMnistDataset",
        "Cifar10Dataset",
        "ImageFolderDataset",
        "SVHNDataset",
        "STL10Dataset",
        "USPSDataset",
        "QMnistDataset",
        "EMnistDataset",
    ),
    ("image", "label"),
) | {"Cifar100Dataset": ("image", "coarse_label", "fine_label")}


def column_names(nodes: list) -> Optional[list]:
    """The names of the delivered columns as far as the objects tell, without asking the engine."""
    last = nodes[-1]
    known = last.__dict__.get("_col_names")
    if known:
        return list(known)
    names = None
    for node in nodes:
        kind = type(node).__name__
        own = _source_columns(node) if not node.children else None
        if own:
            # columns of the same name are those of sets joined one after the other
            names = [*(names or []), *(name for name in own if name not in (names or []))]
        elif kind == "ProjectDataset":
            names = list(node.columns)
        elif kind == "RenameDataset" and names:
            renamed = dict(zip(node.input_columns, node.output_columns))
            names = [renamed.get(n, n) for n in names]
        elif kind == "MapDataset" and names:
            names = _after_map(names, node)
    return names


def _source_columns(node) -> Optional[list]:
    """What a source says of its columns; some readers of known sets always deliver the same."""
    named = node.__dict__.get("column_names") or node.__dict__.get("columns_list") or _COLUMNS.get(type(node).__name__)
    return list(named) if isinstance(named, (list, tuple)) else None


def _after_map(names: list, node) -> list:
    inputs, outputs = list(node.input_columns or []), list(node.output_columns or [])
    if not outputs or inputs == outputs:
        return names
    at = names.index(inputs[0]) if inputs and inputs[0] in names else 0
    rest = [n for n in names if n not in inputs]
    return rest[:at] + outputs + rest[at:]
