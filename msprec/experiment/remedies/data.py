"""Remedies in the data pipeline: standardised inputs, shuffling, another batch size."""

from functools import cached_property
from typing import Optional

import libcst as cst

from msprec.bilingual import Text
from msprec.experiment.remedies import standardised_arrays
from msprec.experiment.remedies.base import Remedy
from msprec.experiment.source_edit import NoPlace, Project, argument, last_name

#: Features whose means or standard deviations differ by this factor are standardised one by one.
_APART = 4.0


class Standardise(Remedy):
    """Inputs as ``(value - mean) / std``, by the training set's mean and standard deviation: in the array that training and test
    data are cut from, else in every data set that has them."""

    id = "standardise"
    title = Text("输入标准化", "inputs standardised")
    answers = ("dp.01", "td.")

    def fits(self) -> bool:
        return bool(self._columns())

    def _columns(self) -> dict:
        found = self.case.training_set() or {}
        label = (found.get("label") or {}).get("column")
        inputs = [
            one for one in found.get("columns", []) if one.get("kind") in ("float", "int") and one["name"] != label
        ]
        inputs = [one for one in inputs if one.get("shape") and one.get("std") and not _is_token(one)]
        scaled = {one["name"]: _statistics(one) for one in inputs}
        return {name: pair for name, pair in scaled.items() if not _is_standard(*pair)}

    def hook(self) -> Optional[dict]:
        if not self._has_data_set() or self._by_arrays:
            return None
        return {"name": "standardise", "columns": self._columns()}

    @cached_property
    def _by_arrays(self) -> bool:
        """Whether the arrays of all columns can be edited."""
        try:
            self._edit_arrays(Project(self.case))
        except NoPlace:
            return False
        return True

    def _edit_arrays(self, project: Project) -> None:
        dataset = self.case.training_set() or {}
        first = (dataset.get("pipeline") or [{}])[0]
        place = first.get("place")
        if first.get("op") != "NumpySlicesDataset" or not place:
            raise NoPlace("the data set is not made of arrays at a known place")
        names = (first.get("args") or {}).get("column_names") or [one["name"] for one in dataset.get("columns", [])]
        file = project.file(place["file"])
        for column, statistics in self._columns().items():
            position = names.index(column) if column in names else -1
            standardised_arrays.put_in(file, place["line"], position, column, statistics)

    def _has_data_set(self) -> bool:
        """Whether there is one to put it into: in a loop that is handed arrays there is none."""
        steps = (self.case.training_set() or {}).get("pipeline") or []
        return any(step["op"].endswith("Dataset") for step in steps)

    def edit(self, project: Project) -> None:
        if not self._has_data_set():
            raise NoPlace("the training is handed arrays")
        if self._by_arrays:
            self._edit_arrays(project)
            return
        columns, places = self._columns(), {}
        for dataset in self.case.facts("datasets").get("datasets", []):
            names = {one["name"] for one in dataset.get("columns", [])}
            if set(columns) <= names:
                place = next(
                    (step["place"] for step in reversed(dataset.get("pipeline") or []) if step.get("place")), None
                )
                if place is None:
                    raise NoPlace("a data set was made at a place that is not known")
                # a function that makes several data sets is edited once
                places[place["file"], place["line"]] = None
        if not places:
            raise NoPlace("no data set with these columns is known")
        for name, line in places:
            for column, (mean, std) in columns.items():
                _append(project.file(name), line, _map_call(column, mean, std))

    def code(self) -> Optional[str]:
        return "\n".join("dataset = dataset" + _map_call(name, *pair) for name, pair in self._columns().items())


def _map_call(name: str, mean, std) -> str:
    if isinstance(mean, list):
        scaled = f"({name_of(name)} - {mean}) / {std}"
    else:
        scaled = f"({name_of(name)} - {mean!r}) / {std!r}"
    return f'.map(lambda {name_of(name)}: ({scaled}).astype("float32"), input_columns=["{name}"])'


def name_of(column: str) -> str:
    """The column's name as a Python name."""
    return column if column.isidentifier() else "value"


def _statistics(column: dict) -> tuple:
    """Mean and standard deviation of a column: numbers, or a list each where its features lie on scales of their own."""
    channels = column.get("channels") or {}
    means, stds, shape = channels.get("mean"), channels.get("std"), column.get("shape") or []
    known = means and stds and len(shape) == 1 and len(means) == shape[0] and all(std and std > 0 for std in stds)
    if known and (max(stds) > _APART * min(stds) or max(map(abs, means)) > _APART * min(stds)):
        return [float(f"{mean:.6g}") for mean in means], [float(f"{std:.6g}") for std in stds]
    return float(f"{column['mean']:.6g}"), float(f"{column['std']:.6g}")


def _is_standard(mean, std) -> bool:
    return not isinstance(mean, list) and abs(mean) < 0.5 and 0.5 < std < 2


def _is_token(column: dict) -> bool:
    """Whole numbers in rows of one dimension may be the numbers of words."""
    return column["kind"] == "int" and len(column["shape"]) < 2


def _append(file, line: int, code: str) -> None:
    """Puts a call at the end of the pipeline that a line holds: behind the outermost method of ``ds.X(...).batch(...)``."""
    calls = [call for call in file.at(line, cst.Call) if _is_pipeline(file, call)]
    if not calls:
        raise NoPlace(f"no data pipeline at {file.path.name}:{line}")
    outermost = max(calls, key=lambda call: len(file.code(call)))
    if any(call is not outermost and call not in _inside(file, outermost) for call in calls):
        raise NoPlace(f"more than one data pipeline at {file.path.name}:{line}")
    holder = file.parent(outermost, (cst.Assign, cst.AnnAssign, cst.Return))
    if holder is None or holder.value is not outermost:
        raise NoPlace(f"the data pipeline at {file.path.name}:{line} is part of a larger expression")
    module = cst.parse_module("")
    file.change(outermost, lambda node: cst.parse_expression(module.code_for_node(node) + code))


def _inside(file, call) -> list:
    return file.nodes(cst.Call, call)


_STEPS = frozenset(("batch", "shuffle", "map", "repeat", "project", "padded_batch"))


def _is_pipeline(file, call) -> bool:
    name = last_name(call.func) or ""
    return name.endswith("Dataset") or (name in _STEPS and isinstance(call.func, cst.Attribute))


class Shuffle(Remedy):
    """The training set is shuffled as a whole, anew in each epoch."""

    id = "shuffle"
    title = Text("训练集打乱顺序", "training set shuffled")
    answers = ("dp.03",)

    def fits(self) -> bool:
        return self._source() is not None or self._batch() is not None

    def _source(self) -> Optional[dict]:
        """The source of the pipeline, where it is told not to shuffle."""
        steps = (self.case.training_set() or {}).get("pipeline") or []
        told = [
            step
            for step in steps
            if step["op"].endswith("Dataset") and (step.get("args") or {}).get("shuffle") is False
        ]
        return told[0] if len(told) == 1 and told[0].get("place") else None

    def _batch(self) -> Optional[dict]:
        steps = (self.case.training_set() or {}).get("pipeline") or []
        return next((step for step in steps if step["op"] == "batch" and step.get("place")), None)

    def _size(self) -> int:
        return max(2, int((self.case.training_set() or {}).get("samples_per_pass") or 10000))

    def hook(self) -> Optional[dict]:
        source = self._source()
        if source is not None:
            return {"name": "source_argument", "operation": source["op"], **_place(self.case, source), "shuffle": True}
        return {"name": "shuffle_before_batch", **_place(self.case, self._batch()), "size": self._size()}

    def edit(self, project: Project) -> None:
        source = self._source()
        if source is not None:
            file = project.file(source["place"]["file"])
            call = file.call_at(source["place"]["line"], source["op"])
            told = argument(call, "shuffle")
            if told is None or file.code(told.value) != "False":
                raise NoPlace(f"shuffle=False does not stand at {file.path.name}:{source['place']['line']}")
            file.replace(told.value, "True")
            return
        place = self._batch()["place"]
        file = project.file(place["file"])
        call = file.call_at(place["line"], "batch")
        module = cst.parse_module("")
        size = self._size()
        file.change(
            call.func.value,
            lambda node: cst.parse_expression(module.code_for_node(node) + f".shuffle(buffer_size={size})"),
        )

    def code(self) -> Optional[str]:
        return f"dataset = dataset.shuffle(buffer_size={self._size()})  # before batch()"


class BatchSize(Remedy):
    """Batches of 32 samples where they were larger; of twice as many where they were smaller."""

    id = "batch_size"
    title = Text("更换 batch 大小", "another batch size")
    answers = ("hp.03",)
    same_steps = False

    def fits(self) -> bool:
        return self._step() is not None

    def _step(self) -> Optional[dict]:
        steps = (self.case.training_set() or {}).get("pipeline") or []
        found = [step for step in steps if step["op"] == "batch" and step.get("place")]
        sized = [step for step in found if isinstance((step.get("args") or {}).get("batch_size"), int)]
        return sized[0] if len(sized) == 1 else None

    def _size(self) -> int:
        now = self._step()["args"]["batch_size"]
        return 32 if now > 32 else max(2, 2 * now)

    def hook(self) -> Optional[dict]:
        return {"name": "batch_size", **_place(self.case, self._step()), "size": self._size()}

    def edit(self, project: Project) -> None:
        place = self._step()["place"]
        file = project.file(place["file"])
        call = file.call_at(place["line"], "batch")
        given = argument(call, "batch_size", 0)
        if given is None:
            raise NoPlace(f"no batch size at {file.path.name}:{place['line']}")
        file.replace(given.value, str(self._size()))

    def code(self) -> Optional[str]:
        return f"dataset = dataset.batch({self._size()})"


def _place(case, step: dict) -> dict:
    return {"file": str(case.path(step["place"]["file"])), "line": step["place"]["line"]}
