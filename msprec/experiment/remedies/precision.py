"""Remedies of mixed precision: float32 throughout, a loss scale."""

from typing import Optional

import libcst as cst

from msprec.bilingual import Text
from msprec.experiment.remedies.base import Remedy
from msprec.experiment.source_edit import NoPlace, Project, argument

#: The usual first value of a static loss scale (MindSpore's FixedLossScaleManager has 128, its mixed-precision guide 1024).
_SCALE = 1024.0


class Float32(Remedy):
    """Nothing is computed in float16."""

    id = "float32"
    title = Text("全部用 float32 计算", "everything computed in float32")
    answers = ("mp.", "td.")

    def fits(self) -> bool:
        precision = self.case.facts("precision")
        return bool(precision.get("half_compute")) and bool(precision.get("to_float") or precision.get("amp"))

    def hook(self) -> Optional[dict]:
        return {"name": "float32"}

    def edit(self, project: Project) -> None:
        precision = self.case.facts("precision")
        if precision.get("amp"):
            raise NoPlace("mixed precision is set by a level")
        for entry in precision.get("to_float", []):
            place = entry.get("place")
            if not place:
                raise NoPlace("to_float is called at a place that is not known")
            file = project.file(place["file"])
            given = argument(file.call_at(place["line"], "to_float"), "dst_type", 0)
            if given is None or not isinstance(given.value, cst.Attribute):
                raise NoPlace(f"the type does not stand at {file.path.name}:{place['line']}")
            file.replace(given.value, f"{file.code(given.value.value)}.float32")

    def code(self) -> Optional[str]:
        return "network.to_float(mindspore.float32)"


class LossScale(Remedy):
    """A loss scale where float16 is computed without one."""

    id = "loss_scale"
    title = Text("使用 loss scale", "a loss scale")
    answers = ("mp.01", "mp.02")

    def fits(self) -> bool:
        return bool(self.case.facts("precision").get("half_compute")) and self._style() is not None

    def _style(self) -> Optional[str]:
        steps = self.case.facts("train_step").get("steps", [])
        if len(steps) != 1 or (steps[0].get("loss_scale") or {}).get("kind") == "dynamic":
            return None
        style = steps[0].get("style")
        if style == "functional":
            return style if (steps[0].get("loss_scale") or {}).get("kind") == "none" else None
        return style if style == "model" else None

    @property
    def loss_factor(self) -> float:
        return _SCALE if self._style() == "functional" else 1.0

    def hook(self) -> Optional[dict]:
        if self._style() == "model":
            return {"name": "dynamic_loss_scale"}
        return {"name": "loss_scale", "scale": _SCALE}

    def edit(self, project: Project) -> None:
        steps = self.case.facts("train_step")["steps"]
        if self._style() != "model":
            raise NoPlace("the loss of a functional training is scaled in several places")
        raise NoPlace(f"where the Model of {steps[0].get('function')} is made is not known")

    def code(self) -> Optional[str]:
        if self._style() == "model":
            return "Model(..., loss_scale_manager=mindspore.amp.DynamicLossScaleManager())"
        return (
            "scaler = mindspore.amp.DynamicLossScaler(scale_value=1024, scale_factor=2, scale_window=1000)\n"
            "loss = scaler.scale(loss)          # at the end of the forward function\n"
            "grads = scaler.unscale(grads)      # before clipping and the update\n"
            "finite = mindspore.amp.all_finite(grads)\n"
            "scaler.adjust(finite)\n"
            "if finite:\n"
            "    optimizer(grads)"
        )
