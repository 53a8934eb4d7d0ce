"""Which delivered column is the label, and how often each class occurs."""

import re
from typing import Optional

import numpy as np

_NAMES = ("label", "labels", "target", "targets", "y", "class", "classes", "category", "gt", "lbl", "fine_label")
# two pictures of one thing, or anchor, positive and negative
_VIEW = re.compile(r"view|aug|anchor|positive|negative|(^|_)(pos|neg|query|key|q|k)(_|$)", re.IGNORECASE)
_PAIR = re.compile(r"[a-z_]*[0-9]|(\w*_)?(a|b|p|n|left|right)", re.IGNORECASE)  # x1 and x2, a and b
_REGRESSION_LOSSES = ("MSE", "mse", "L1", "l1_loss", "Huber", "huber", "RMSE", "MAE")
_CLASS_LOSSES = ("CrossEntropy", "cross_entropy", "nll_loss", "NLLLoss", "BCE", "binary_cross_entropy", "FocalLoss")


def is_label_name(name: str) -> bool:
    """Whether a column of that name is the label, whatever else is delivered."""
    return name.lower() in _NAMES


def _is_named(name: str) -> bool:
    """Whether the name says that a column is the label; any other is a guess by place and kind."""
    return is_label_name(name) or any(word in name.lower() for word in ("label", "target", "class_id"))


def _is_scalar(column: dict) -> bool:
    shape = column["shape"] or []
    return not column["varying_shape"] and all(n == 1 for n in shape)


def _candidate(columns: list, loss_name: str) -> Optional[dict]:
    """By name, else the last column of several, when it could be a label at all.

    Of several targets the one that the loss takes: beside a cross-entropy a class rather than a real number.
    """
    usable = [c for c in columns if c["kind"] in ("int", "bool", "float", "string")]
    for column in usable:
        if is_label_name(column["name"]):
            return column
    for column in usable:
        if _is_named(column["name"]):
            return column
    if len(usable) < 2 or _all_views(usable, loss_name):
        return None
    classes = [c for c in usable[1:] if c["kind"] in ("int", "bool") and _is_scalar(c)]
    of_classes = any(word in loss_name for word in _CLASS_LOSSES[:4])
    soft = "BCE" in loss_name or "binary" in loss_name  # a real number may be its target
    if classes and of_classes and not soft and _kind(usable[-1], loss_name)[0] == "regression":
        return classes[-1]
    return usable[-1]


def _all_views(columns: list, loss_name: str) -> bool:
    """Whether all columns are inputs: views of one sample, as contrastive and metric learning compare, and no target."""
    shapes = {tuple(c["shape"] or ()) for c in columns}
    same = len(shapes) == 1 and len({c["dtype"] for c in columns}) == 1
    if not same or any(_is_scalar(c) or c["varying_shape"] or not _of_numbers(c) for c in columns):
        return False
    if any(word in loss_name for word in _CLASS_LOSSES[:4]) and "inary" not in loss_name:
        return not _in_unit(columns[-1])  # no number of a class, and no distribution over classes as wide as the input
    if all(_VIEW.search(c["name"]) for c in columns):
        return True
    paired = len(columns) > 2 or all(_PAIR.fullmatch(c["name"]) for c in columns)
    return paired and not any(word in loss_name for word in _REGRESSION_LOSSES)


def _in_unit(column: dict) -> bool:
    return column["min"] is not None and column["min"] >= 0 and column["max"] <= 1


def _of_numbers(column: dict) -> bool:
    return column["kind"] == "float" or column["dtype"] == "uint8"


def _kind(column: dict, loss_name: str) -> tuple:
    """``(kind, why)`` of the label."""
    class_loss = any(word in loss_name for word in _CLASS_LOSSES)
    if _is_scalar(column):
        if column["kind"] in ("int", "bool", "string"):
            return "class", "one whole number or word a sample"
        values = column["values"]
        whole = values is not None and all(v.lstrip("-").isdigit() for v in values)
        if whole and len(values) <= 100 and (class_loss or len(values) <= 2):
            return "class", "whole numbers stored as floats"
        return "regression", "one real number a sample"
    shape = column["shape"] or []
    if column["kind"] == "float" and len(shape) == 1 and shape[0] and column["min"] == 0 and column["max"] == 1:
        return _one_or_multi_hot(column, shape[0], class_loss)
    if column["kind"] in ("int", "bool"):
        return "sequence", "several whole numbers a sample"
    return "regression", "several real numbers a sample"


def _one_or_multi_hot(column: dict, width: int, class_loss: bool) -> tuple:
    ones = column["elements"] - column["zeros"]
    samples = column["elements"] / width
    exact = column["mean"] is not None and abs(column["mean"] * column["elements"] - ones) < 0.5
    if exact and ones == samples:
        return "one_hot", "zeros and a single one a sample"
    if exact and class_loss:
        return "multi_hot", "zeros and ones"
    return "regression", "several real numbers a sample"


def label_facts(columns: list, passes: list, loss_name: str, delivered: Optional[str] = None) -> Optional[dict]:
    """The entry ``label`` of a data set, or None when no column looks like one.

    ``columns``: the column facts; ``passes``: the recorded :class:`PassOrder` objects; ``loss_name``: for telling classes
    stored as floats from targets of a regression; ``delivered``: the column whose values ``passes`` hold, where it is known.
    """
    column = _candidate(columns, loss_name)
    if column is None:
        return None
    kind, why = _kind(column, loss_name)
    facts = {
        "column": column["name"],
        "kind": kind,
        "why": why,
        "guess": not _is_named(column["name"]),
        "counts": None,
        "counted_samples": 0,
        "complete_pass": False,
    }
    if kind in ("class", "one_hot"):
        facts.update(_counts(column, kind, passes if delivered in (None, column["name"]) else []))
    elif kind == "multi_hot" and column["channels"]:
        whole = [p.samples for p in passes if p.complete]
        # the shares over all that was seen are those of a pass, where there was a whole one
        samples = whole[0] if whole else column["elements"] / max(1, len(column["channels"]["mean"]))
        facts["counts"] = {str(i): round(m * samples) for i, m in enumerate(column["channels"]["mean"])}
        facts["counted_samples"] = round(samples)
        facts["complete_pass"] = bool(whole)
    return facts


def _counts(column: dict, kind: str, passes: list) -> dict:
    complete = next((p for p in passes if p.complete and p.labels is not None and p.samples == len(p.labels)), None)
    if complete is not None:
        values, counts = np.unique(complete.labels, return_counts=True)
        table = {str(int(v)): int(c) for v, c in zip(values, counts)}
        return {"counts": table, "counted_samples": int(counts.sum()), "complete_pass": True}
    if kind == "class":
        table = column["values"]
    else:
        width = len(column["channels"]["mean"]) if column["channels"] else 0
        samples = column["elements"] / max(1, width)
        table = {str(i): round(m * samples) for i, m in enumerate(column["channels"]["mean"])} if width else None
    return {"counts": table, "counted_samples": sum(table.values()) if table else 0}
