"""Facts as objects: ``column.nan`` instead of ``column["nan"]``, and never of a wrong type.

A run folder may be old, damaged or written by another hand. The shapes below say what SCHEMA.md promises; whatever does
not have its shape reads as not observed (None, an empty list, an empty Fact). So a check asks for what it needs and
cannot stumble. Python's keywords carry an underscore: ``cell.class_``.
"""

import math
from typing import Any


class Fact:
    """One JSON object of known shape. Missing numbers and texts are None; missing objects are empty and false."""

    __slots__ = ("_read", "_shape", "_value")

    def __init__(self, value: Any, shape: dict):
        self._value = value if isinstance(value, dict) else {}
        self._shape = shape
        self._read: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        key = name[:-1] if name.endswith("_") else name
        if key not in self._shape:
            raise AttributeError(f"the schema has no {key!r} here; it has {', '.join(self._shape)}")
        if key not in self._read:
            self._read[key] = _shaped(self._value.get(key), self._shape[key])
        return self._read[key]

    def __contains__(self, key: str) -> bool:
        """Was the key observed at all (even as null)?"""
        return key in self._value

    def __bool__(self) -> bool:
        return bool(self._value)


class Map:
    """A JSON object with free keys and values of one shape."""

    def __init__(self, shape: Any):
        self.shape = shape


def _shaped(value: Any, shape: Any) -> Any:
    if isinstance(shape, dict):
        return Fact(value, shape)
    if isinstance(shape, Map):
        return _map(value, shape.shape)
    if isinstance(shape, list):
        entries = value if isinstance(value, list) else []
        return [
            _shaped(entry, shape[0]) for entry in entries if not isinstance(shape[0], dict) or isinstance(entry, dict)
        ]
    return shape(value)


def _map(value: Any, shape: Any) -> dict:
    read = {str(key): _shaped(entry, shape) for key, entry in value.items()} if isinstance(value, dict) else {}
    return {key: entry for key, entry in read.items() if entry is not None}


def number(value: Any) -> Any:
    """A number, also where it is written as "nan" or "inf"; one too large for a float is infinite."""
    if isinstance(value, str) and value in ("nan", "inf", "-inf"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    return value


def finite(value: Any) -> Any:
    value = number(value)
    return value if value is not None and math.isfinite(value) else None


def count(value: Any) -> Any:
    """A count: a whole number that is not negative."""
    value = finite(value)
    return int(value) if value is not None and value >= 0 else None


def text(value: Any) -> Any:
    return value if isinstance(value, str) else None


def flag(value: Any) -> Any:
    return value if isinstance(value, bool) else None


def anything(value: Any) -> Any:
    return value


def words(value: Any) -> str:
    """A value that is only shown."""
    return value if isinstance(value, str) else "" if value is None else repr(value)


PLACE = {"file": text, "line": count}


def place(file: str, line: int) -> Fact:
    """A place in a source file as a fact."""
    return Fact({"file": file, "line": line}, PLACE)


_SPREAD = {
    "min": number,
    "max": number,
    "mean": number,
    "std": number,
    "zeros": finite,
    "constant": flag,
    "nonfinite": count,
    "digest": text,
}

RUN = {
    "command": [text],
    "script": text,
    "started": text,
    "ended": text,
    "seconds": finite,
    "exit": {"kind": text, "code": anything, "exception": {"type": text, "message": text, "place": PLACE}},
    "versions": Map(text),
    "device_target": text,
    "mode": text,
    "rank": count,
    "rank_size": count,
    "parallel": {"mode": text, "parameter_broadcast": flag, "gradients_reduced": flag},
    "seeds": [{"function": text, "value": anything, "place": PLACE}],
    "notes": [text],
    "training_steps": count,
    "script_imports_mindspore": flag,
    "hooks_missing": [
        {"hook": text, "learns": Map(text), "why": Map(text), "facts": [text], "items": [text]},
    ],
}

HISTOGRAM = {"edges": [finite], "counts": [finite]}

COLUMN = {
    "name": text,
    "dtype": text,
    "kind": text,
    "shape": [count],
    "batched": flag,
    "varying_shape": flag,
    "elements": count,
    "nan": count,
    "inf": count,
    "first_nonfinite": [count],
    "nonfinite_samples": count,
    "min": finite,
    "max": finite,
    "mean": finite,
    "std": finite,
    "zeros": count,
    "distinct": count,
    "channels": {
        "axis": anything,
        "mean": [finite],
        "std": [finite],
        "min": [finite],
        "max": [finite],
        "histograms": [HISTOGRAM],
    },
    "histogram": HISTOGRAM,
    "values": Map(count),
    "suspects": [
        {
            "feature": count,
            "value": finite,
            "count": count,
            "share": finite,
            "nearest_other": finite,
            "others_low": finite,
            "others_high": finite,
            "others_distinct": count,
            "first_samples": [count],
        }
    ],
    "between_features": {"features": count, "levels": count, "neighbours": finite, "apart": finite},
    "empty_strings": count,
    "element_values": Map(count),
    "row_sums": {"rows": count, "one": count, "zero": count, "min": finite, "max": finite},
}

ORDER = {
    "passes": [
        {
            "pass": count,
            "samples": count,
            "complete": flag,
            "iterator": count,
            "first_keys": [text],
            "same_order_as_first": flag,
            "compared_samples": count,
            "equal_samples": count,
            "expected_equal": finite,
            "common_share": finite,
            "label_changes": finite,
            "expected_changes": finite,
            "label_segment_dependence": finite,
            "random_runs_dependence": finite,
        }
    ],
    "new_iterator_each_pass": flag,
    "sketch": {"pass": count, "samples": count, "distinct": count, "whole": flag, "keys": [text]},
}

DATASETS = {
    "datasets": [
        {
            "id": anything,
            "role": text,
            "pipeline": [{"op": text, "args": Map(anything), "place": PLACE}],
            "shuffle": {"declared": flag, "means": [words], "buffer_size": count, "seekable_source": flag},
            "sharding": {"num_shards": count, "shard_id": count},
            "repeat": finite,
            "batch_size": count,
            "passes": count,
            "batches": count,
            "samples": count,
            "samples_per_pass": count,
            "scanned": {"samples": count, "share": finite, "why_not_all": words},
            "columns": [COLUMN],
            "padding": [
                {
                    "column": text,
                    "rows": count,
                    "kind": text,
                    "lengths": [count],
                    "value": finite,
                    "share": finite,
                    "right_only": count,
                    "left_only": count,
                    "both": count,
                    "longest": count,
                    "inside": count,
                    "inside_rows": count,
                    "mask": {
                        "column": text,
                        "padded": count,
                        "real": count,
                        "padded_on": count,
                        "real_off": count,
                        "inverted": flag,
                    },
                    "length": {"column": text, "agrees": finite},
                }
            ],
            "label": {
                "column": text,
                "kind": text,
                "why": words,
                "guess": flag,
                "counts": Map(count),
                "counted_samples": count,
                "complete_pass": flag,
            },
            "order": ORDER,
            "contradictions": {
                "samples": count,
                "distinct": count,
                "elements": count,
                "groups": count,
                "contradicting": count,
                "examples": [{"positions": [count], "labels": [finite]}],
            },
            "iterated_at": PLACE,
        }
    ]
}

_ARGUMENT = {
    "position": count,
    **{
        key: COLUMN[key]
        for key in (
            "name",
            "dtype",
            "kind",
            "shape",
            "varying_shape",
            "elements",
            "zeros",
            "min",
            "max",
            "mean",
            "std",
            "channels",
        )
    },
}

INPUTS = {
    "inputs": [
        {
            "phase": text,
            "via": words,
            "level": text,
            "network": words,
            "place": PLACE,
            "calls": count,
            "sampled": count,
            "samples": count,
            "arguments": [_ARGUMENT],
        }
    ]
}

LABEL_SHEET = {
    "dataset": count,
    "samples": [{"position": count, "label": finite, "column": text, "file": text, "text": text, "values": [finite]}],
}

NETWORK = {
    "networks": [
        {
            "id": anything,
            "class": text,
            "role": text,
            "place": PLACE,
            "cells": [
                {
                    "path": text,
                    "class": text,
                    "builtin": flag,
                    "args": words,
                    "compute_dtype": text,
                    "mode_dependent": flag,
                    "parameters": [words],
                    "created": PLACE,
                }
            ],
            "shared_cells": [
                {
                    "class": text,
                    "builtin": flag,
                    "paths": [words],
                    "ways": count,
                    "parameters": [words],
                    "repeated_in": text,
                    "repeated": count,
                    "created": PLACE,
                }
            ],
            "shared_parameters": [{"name": words, "paths": [words], "classes": [words]}],
            "unregistered": [
                {
                    "holder": words,
                    "kind": words,
                    "length": count,
                    "class": words,
                    "parameters": [words],
                    "in_optimizer": flag,
                    "created": PLACE,
                }
            ],
        }
    ]
}

_SOURCE = {"operator": words, "place": PLACE, "cell": words, "given": [finite]}
_ARRAY = {
    "dtype": words,
    "shape": [count],
    "min": finite,
    "max": finite,
    "distinct": count,
    "whole": flag,
    "one_hot": flag,
    "probabilities": flag,
    "log_probabilities": flag,
    "unit": flag,
    "source": _SOURCE,
}

#: What can come out of the operator that ends an output, and what it is compared with.
_OUTPUT = {
    "operator": words,
    "name": text,
    "place": PLACE,
    "created": PLACE,
    "low": finite,
    "high": finite,
    "plain": flag,
    "linear": flag,
    "flat": flag,
    "gradient": flag,
    "axes": [count],
    "units": count,
    "constant": finite,
    "shape": [count],
}
_TARGETS = {
    "dtype": words,
    "shape": [count],
    "min": finite,
    "max": finite,
    "distinct": count,
    "whole": flag,
    "one_hot": flag,
    "input": count,
    "inputs": count,
    "input_dtype": text,
    "factor": finite,
    "offset": finite,
    "learnt": flag,
    "batches": count,
    "elements": count,
    "below": count,
    "above": count,
    "beyond_values": count,
    "rows": count,
    "several": count,
    "not_one": count,
}
_REACH = {"even": number, "inside": number, "outside": number, "settles": flag}

PROBES = {
    "budget": finite,
    "seconds": finite,
    "skipped": Map(text),
    "graph": {
        "cells": [
            {
                "path": words,
                "class": words,
                "builtin": flag,
                "loss": flag,
                "calls": count,
                "used": flag,
                "gradient": flag,
                "created": PLACE,
            }
        ],
        "unregistered": [{"class": words, "inside": words, "parameters": [words], "created": PLACE}],
        "loss_seen": flag,
        "linear_pairs": [
            {
                "first": words,
                "second": words,
                "class": words,
                "sizes": [count],
                "kernels": [[count]],
                "groups": [count],
                "between": [words],
                "created": PLACE,
                "place": PLACE,
            }
        ],
    },
    "evaluations": [
        {
            "phase": text,
            "via": words,
            "network": count,
            "place": PLACE,
            "first_step": count,
            "called": [words],
            "random": [{"operator": words, "cell": words, "place": PLACE}],
        }
    ],
    "losses": [
        {
            "kind": text,
            "name": words,
            "place": PLACE,
            "settings": Map(anything),
            "predicted": _ARRAY,
            "labels": _ARRAY,
            "exchanged": flag,
            "output": _OUTPUT,
            "targets": _TARGETS,
            "reach": _REACH,
            "shape": [count],
            "value": number,
            "unreduced": flag,
            "recomputed": Map(number),
            "equals": text,
        }
    ],
    "other_losses": [
        {
            "kind": text,
            "name": words,
            "place": PLACE,
            "settings": Map(anything),
            "predicted": _ARRAY,
            "output": _OUTPUT,
            "targets": _TARGETS,
        }
    ],
    "own_losses": [
        {
            "name": words,
            "place": PLACE,
            "promise": text,
            "value": number,
            "equals": [text],
            "candidates": Map(number),
            "variant": flag,
            "predicted": [count],
            "labels": [count],
            "final": flag,
            "written": flag,
            "computed": flag,
            "weighed": flag,
            "purpose": flag,
            "shape": [count],
            "features": {"probabilities": flag, "log_probabilities": flag, "unit": flag, "source": _SOURCE},
            "output": _OUTPUT,
            "targets": _TARGETS,
            "behaviour": {
                "kind": text,
                "repeatable": flag,
                "domain": text,
                "curve": [number],
                "way": text,
                "pairs": flag,
                "sample_shift": flag,
                "class_shift": flag,
                "settles": flag,
                "smallest_at_labels": flag,
                "reach": _REACH,
                "family": {"name": text, "settings": Map(number), "domain": text, "batches": count},
            },
        }
    ],
    "differentiated": {"of": text, "outputs": [[count]], "name": words, "place": PLACE},
    "written_loss": {"why": text, "purpose": flag, "place": PLACE},
    "labels": {
        "samples": count,
        "classes": count,
        "suspects": count,
        "accuracy": finite,
        "majority": finite,
        "surest": count,
        "surest_wrong": count,
        "saturated": finite,
        "examples": [{"position": count, "label": count, "predicted": count, "probability": finite, "own": finite}],
    },
    "broadcasts": [{"operator": words, "place": PLACE, "shapes": [[count]], "label": count}],
    "softmax_axes": [{"operator": words, "place": PLACE, "shape": [count], "axes": [count]}],
}

RANGE_TEST = {
    "low": finite,
    "high": finite,
    "steps": count,
    "asked": count,
    "used": finite,
    "optimizer": words,
    "by": text,
    "batches": count,
    "rates": [finite],
    "losses": [number],
}

PARAMETERS = {
    "parameters": [
        {
            "name": words,
            "path": words,
            "shape": [count],
            "dtype": words,
            "size": count,
            "requires_grad": flag,
            "in_optimizer": flag,
            "cell": words,
            "cell_class": words,
            "kind": text,
            "initial": _SPREAD,
            "final": _SPREAD,
            "moved": {"max_abs": number, "relative": number, "any": flag, "proportional": flag},
            "compared": text,
            "created": PLACE,
        }
    ],
    "observed": {"initial_step": count, "final_step": count, "from_optimizer": flag},
    "requires_grad_changes": [{"name": words, "value": flag, "place": PLACE}],
}

OPTIMIZER = {
    "optimizers": [
        {
            "id": anything,
            "class": text,
            "place": PLACE,
            "used": flag,
            "steps": [count],
            "updates": count,
            "learning_rate": {
                "kind": text,
                "value": finite,
                "first": finite,
                "last": finite,
                "class": text,
                "groups": [[finite]],
            },
            "momentum": finite,
            "weight_decay": anything,
            "loss_scale": finite,
            "parameters": count,
            "parameter_names": [words],
        }
    ]
}

LOSS = {"losses": [{"class": text, "builtin": flag, "args": words, "place": PLACE, "file_class": PLACE}]}

TRAIN_STEP = {
    "scalers": count,
    "steps": [
        {
            "style": text,
            "class": text,
            "function": text,
            "mode": text,
            "place": PLACE,
            "count": count,
            "sink": flag,
            "accumulation": count,
            "overflow_flag": flag,
            "overflow_from": text,
            "loss_scale": {
                "kind": text,
                "class": text,
                "initial": finite,
                "factor": finite,
                "window": count,
                "drop_overflow_update": flag,
                "place": PLACE,
                "floor": finite,
            },
        }
    ],
}

PRECISION = {
    "amp": [{"function": words, "level": words, "dtype": words, "place": PLACE}],
    "to_float": [{"class": words, "dtype": words, "place": PLACE}],
    "parameter_dtypes": Map(count),
    "cells_by_compute_dtype": Map(count),
    "casts": [{"code": words, "dtype": words, "place": PLACE}],
    "half_compute": flag,
    "dtypes": [words],
}

WEIGHTS_LOADED = {
    "loads": [
        {
            "function": words,
            "file": words,
            "bytes": count,
            "md5": text,
            "error": text,
            "parameters": count,
            "network": text,
            "optimizer": flag,
            "network_parameters": count,
            "loaded": count,
            "not_loaded": [words],
            "not_in_network": [words],
            "missing": [{"name": words, "shape": [count], "file_shape": [count], "last": flag}],
            "left_over": [{"name": words, "shape": [count]}],
            "modules": [[anything]],
            "network_used": flag,
            "at_start": {
                "trained": count,
                "kept": count,
                "overwritten": [words],
                "names_in_network": count,
            },
            "strict": flag,
            "place": PLACE,
            "step": count,
        }
    ]
}

_FILES = [{"path": text, "name": text, "root": text, "bytes": count, "md5": text, "dataset": count, "via": text}]
DATA_FILES = {"files": _FILES, "complete": flag, "cut": flag}
REFERENCE_DATA = {"source": text, "files": _FILES}

REFERENCE_WEIGHTS = {
    "file": text,
    "md5": text,
    "parameters": [{"name": text, "shape": [count], "min": finite, "max": finite, "mean": finite, "std": finite}],
}

REFERENCE_RUN = {
    "source": text,
    "name": text,
    "kind": text,
    "numbered": flag,
    "notes": [text],
    "recorded": count,
    "course": {"step": [number], "loss": [number], "rounding": [number], "lr": [number], "scale": [number]},
    "run": RUN,
    "batch": count,
    "datasets": DATASETS["datasets"],
    "optimizers": OPTIMIZER["optimizers"],
    "train_steps": TRAIN_STEP["steps"],
    "losses": LOSS["losses"],
    "parameters": PARAMETERS["parameters"],
    "loads": WEIGHTS_LOADED["loads"],
    "files": _FILES,
    "half_compute": flag,
}

MODES = {
    "phases": [
        {
            "phase": text,
            "via": words,
            "root": words,
            "network": count,
            "updated": flag,
            "resting": [words],
            "place": PLACE,
            "first_step": count,
            "last_step": count,
            "calls": count,
            "root_training": flag,
            "gradient": flag,
            "dependent": [{"path": words, "class": words, "training": flag, "use_batch_statistics": flag}],
        }
    ],
    "construct_calls_set_train": anything,
}

DESIGN = {
    "file": words,
    "frozen_parameters": [words],
    "shared_parameters": [[words]],
    "layers": [words],
    "loss": text,
    "shuffle": flag,
    "batch_size": count,
    "padding": {"side": text, "value": finite, "length": count},
}

EVALUATION = {
    "evaluations": [
        {
            "step": count,
            "epoch": finite,
            "metrics": Map(number),
            "place": PLACE,
            "via": words,
            "dataset": count,
            "samples": count,
        }
    ],
    "without_result": [PLACE],
}

_TENSOR = {
    "dtype": text,
    "shape": [count],
    "min": finite,
    "max": finite,
    "zeros": finite,
    "nan": finite,
    "inf": finite,
}

EVENT = {
    "event": text,
    "step": count,
    "what": text,
    "value": number,
    "first": count,
    "last": count,
    "length": count,
    "scale": number,
    "why": words,
    "type": text,
    "message": text,
    "because": text,
    "phase": text,
    "cell": text,
    "operator": text,
    "expression": text,
    "place": PLACE,
    "function": text,
    "inputs": [_TENSOR],
    "results": [_TENSOR],
    "stack": [PLACE],
    "pattern": text,
    "parameter": text,
    "samples": [count],
    "elements": [[count]],
    "input": count,
    "recorded_loss": number,
    "replayed_loss": number,
    "exact": flag,
    "vanishes_at": finite,
    "why_not": text,
    "outlier": {"input": count, "samples": [count], "value": number, "usual": number, "proved": flag},
}
