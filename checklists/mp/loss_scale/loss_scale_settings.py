"""Do float16, loss scale and optimizer agree? The judgement on the settings of each training step (mp.02)."""

import math
from typing import Optional

import numpy as np

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import at, gradients_figure, missing, scale_figure
from msprec.checklists.common.nonfinite_origin import located
from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.checklists.common.training.manual_loss_scaling import KEPT, NONE, UNDONE, HandScale, hand_scale, keeps_scale
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided, worst
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_PRODUCT = r"loss\s*\*=?\s*\w*(scal|sens)|\w*(scal|sens)\w*\s*\*\s*loss"
BY_HAND = _PRODUCT + r"|\.scale\(\s*\w*loss|LossScaler\("

#: The divisor of an optimizer: by its name alone, as optimizers differ in its position.
_DIVISOR = ArgumentName(("loss_scale",), 99)


def loss_scale_setting(run_data: RunData) -> Finding:
    steps = [step for step in run_data.train_steps if step.count != 0]
    if not steps:
        return missing("训练步的 loss scale 设置", "loss-scale setting of a training step")
    return worst([_Setting(run_data, step).finding() for step in steps])


class _Setting:
    """The settings of one training step and of the optimizers in use."""

    def __init__(self, run_data: RunData, step: Fact):
        self.run_data, self.step, self.scale = run_data, step, step.loss_scale
        self.half = run_data.precision.half_compute
        self.optimizers = [entry for entry in run_data.optimizers if entry.used is not False]
        self.dividing = [entry for entry in self.optimizers if entry.loss_scale not in (None, 1)]

    @property
    def hand(self) -> HandScale:
        """What the source does to its scale; read once, where it is asked for."""
        return self.run_data.once(hand_scale)

    def finding(self) -> Finding:
        wrong = self._wrong() or self._overflowing()
        if wrong is not None:
            return self._problem(*wrong)
        if self.half is False and keeps_scale(self.run_data):
            return self._scaled_by_hand()
        if self.half is None:
            return undecided(
                Text("训练是否使用 float16 未知。", "Whether the training computes in float16 is not known."),
                Text(
                    "用 `msprec run` 运行训练，记录各个 Cell 的计算精度。",
                    "Run the training with `msprec run`, which records the precision of each cell.",
                ),
                self._evidence(),
            )
        if self.half:
            return self._half()
        if self.scale.kind in ("fixed", "dynamic"):
            return ok(
                Text(
                    "训练不使用 float16，loss scale（{kind}）与优化器一致。",
                    "The training computes without float16; its loss scale ({kind}) agrees with the optimizer.",
                    kind=self.scale.kind,
                ),
                self._evidence(),
            )
        return not_applicable(
            Text(
                "训练不使用 float16（精度：{dtypes}），不需要 loss scale。",
                "The training does not compute in float16 (precision: {dtypes}): it needs no loss scale.",
                dtypes=listed(self.run_data.precision.dtypes or ["float32"]),
            )
        )

    def _wrong(self) -> Optional[tuple]:
        """(what is wrong, advice) whatever the precision, or None."""
        kind, drop = self.scale.kind, self.scale.drop_overflow_update
        if kind == "none" and self.dividing and not self._by_hand() and self.hand.verdict == NONE:
            return self._divides(Text("loss 没有被放大", "nothing scales the loss")), _EQUAL
        if kind == "none" and self._divided_already():
            return self._divides(
                Text("脚本在更新之前已经除过一次", "the script has divided them by it before the update already")
            ), _ONE
        if kind == "dynamic" and self.dividing:
            return self._divides(
                Text(
                    "动态 loss scale 的训练步已经还原了梯度",
                    "the step with the dynamic scale has unscaled the gradients already",
                )
            ), _ONE
        if kind == "fixed" and drop is True and self.dividing:
            return self._divides(
                Text(
                    "drop_overflow_update=True 的训练步已经还原了梯度",
                    "the step (drop_overflow_update=True) has unscaled the gradients already",
                )
            ), _ONE
        if kind == "fixed" and drop is False and self.scale.initial is not None:
            return self._unequal()
        return None

    def _divided_already(self) -> bool:
        """Whether every update computed again was given the gradients over the number that the optimizer divides by."""
        scales, updates = {one.loss_scale for one in self.dividing}, self.run_data.probes.gradients.updates
        if len(scales) != 1 or not updates or any(None in (one.factor, one.left, one.rest) for one in updates):
            return False
        scale, near = scales.pop(), self.run_data.limit("td.04.exact")
        return all(abs(one.factor * scale - 1) <= near and max(abs(one.left), one.rest) <= near for one in updates)

    def _overflowing(self) -> Optional[tuple]:
        """A fixed scale under which every step overflows although the loss itself is finite: the scale alone is too large."""
        if self.scale.kind != "fixed" or (self.scale.initial or 0) <= 1:
            return None
        steps = self.run_data.steps()
        if len(steps) < self.run_data.limit("mp.02.overflowing"):
            return None
        if "overflow" in steps:
            skipped = bool((np.nan_to_num(np.asarray(steps["overflow"], float)) > 0).all())
        else:  # of a compiled step the optimizers' own count tells
            skipped = bool(self.half) and bool(self.optimizers) and all(one.updates == 0 for one in self.optimizers)
        losses = steps.observed("loss")
        if not skipped or not len(losses) or not np.isfinite(losses).all():
            return None
        found = located(self.run_data)
        fits = found.vanishes_at if found is not None else None
        known = (
            Text("；重放表明降到 {fits} 时不再溢出", "; replayed, the step no longer overflows at {fits}", fits=fits)
            if fits is not None
            else Text("", "")
        )
        return Text(
            "固定的 loss scale {scale} 过大：loss 本身是有限值，全部 {n} 步的梯度却都溢出，没有进行任何一次更新{known}。",
            "The fixed loss scale of {scale} is too large: the losses are finite, yet the gradients of all {n} steps overflow: "
            "not one update is made{known}.",
            scale=self.scale.initial,
            n=len(steps),
            known=known,
        ), self._smaller(fits)

    def _smaller(self, fits: Optional[float]) -> Text:
        if fits is None:
            return Text(
                "使用 DynamicLossScaleManager，由它找到合适的值；或把固定值减小到 1024 左右再试。",
                "Use DynamicLossScaleManager, which finds one that fits; or try a fixed one about 1024.",
            )
        return Text(
            "把固定的 loss scale 设为 {fits} 或更小（留出余量，如 {safe}），或使用 DynamicLossScaleManager。",
            "Set the fixed loss scale to {fits} or less (with some room, such as {safe}), or use DynamicLossScaleManager.",
            fits=fits,
            safe=max(1.0, 2.0 ** math.floor(math.log2(fits)) / 4) if fits >= 1 else 1.0,
        )

    def _divides(self, why: Text) -> Text:
        entry = self.dividing[0]
        return Text(
            "优化器 {name} 的 loss_scale={scale}，但{why}：更新被多除了一次。",
            "Optimizer {name} divides by loss_scale={scale}, but {why}: updates are too small by that factor.",
            name=entry.class_,
            scale=entry.loss_scale,
            why=why,
        )

    def _unequal(self) -> Optional[tuple]:
        other = [
            entry
            for entry in self.optimizers
            if entry.loss_scale is not None and entry.loss_scale != self.scale.initial
        ]
        if not other:
            return None
        if self.scale.class_ == "TrainOneStepCell":
            return Text(
                "TrainOneStepCell 用 sens={scale} 放大 loss，而优化器 {name} 的 loss_scale={own}：梯度没有被正确还原。",
                "TrainOneStepCell multiplies the loss with sens={scale}, but optimizer {name} has loss_scale={own}: gradients "
                "are not unscaled rightly.",
                scale=self.scale.initial,
                name=other[0].class_,
                own=other[0].loss_scale,
            ), _EQUAL
        return Text(
            "loss scale 固定为 {scale} 且 drop_overflow_update=False，而优化器 {name} 的 loss_scale={own}"
            "：梯度没有被正确还原。",
            "The loss scale is fixed at {scale} with drop_overflow_update=False, but optimizer {name} has loss_scale="
            "{own}: gradients are not unscaled rightly.",
            scale=self.scale.initial,
            name=other[0].class_,
            own=other[0].loss_scale,
        ), _EQUAL

    def _half(self) -> Finding:
        if self.scale.kind == "none" or self._scaler_unused():
            return self._unscaled()
        if self._never_unscaled():
            return self._problem(
                Text(
                    "loss 经 {name} 放大，但优化器得到的梯度没有用它还原（unscale）：梯度放大了 {scale} 倍。",
                    "The loss is scaled by {name}, but the optimizer is given gradients that were never unscaled: they are "
                    "{scale} times too large.",
                    name=self.scale.class_,
                    scale=self.scale.initial,
                ),
                _UNSCALE,
            )
        if self.scale.kind not in ("fixed", "dynamic"):
            return missing("loss scale 设置", "loss-scale setting")
        if self.scale.kind == "fixed" and self.scale.drop_overflow_update is not True and self._unknown_optimizer():
            return undecided(
                Text(
                    "loss scale 固定为 {scale}，但优化器的 loss_scale 未知。",
                    "The loss scale is fixed at {scale}; the optimizer's loss_scale is not known.",
                    scale=self.scale.initial,
                ),
                Text("确认优化器的 loss_scale 与之相同。", "See that the optimizer's loss_scale is the same."),
                self._evidence(),
            )
        largest = self._largest()
        if largest is not None and largest < self.run_data.limit("mp.02.min_scale"):
            return self._problem(
                Text(
                    "float16 训练的 loss scale 最大只有 {scale}，等于没有放大，梯度可能下溢。",
                    "The loss scale of this float16 training never exceeds {scale}: it scales nothing, and gradients "
                    "may underflow.",
                    scale=largest,
                ),
                _SET,
            )
        return ok(
            Text(
                "float16 训练使用了 loss scale（{kind}，初始 {initial}），与优化器一致。",
                "This float16 training has a loss scale ({kind}, initially {initial}) that agrees with the optimizer.",
                kind=self.scale.kind,
                initial=self.scale.initial,
            ),
            self._evidence(),
        )

    def _unknown_optimizer(self) -> bool:
        return self.scale.drop_overflow_update is False and not any(
            entry.loss_scale is not None for entry in self.optimizers
        )

    def _unscaled(self) -> Finding:
        hand = [] if self._scaler_unused() else self._by_hand()
        if not self._scaler_unused() and self.hand.verdict in (UNDONE, KEPT):
            return self._scaled_by_hand()
        if hand or self.hand.places:
            hand = hand or self.hand.places
            return undecided(
                Text(
                    "float16 训练没有记录到 loss scale，但代码中似乎手工缩放了 loss。",
                    "No loss scale was recorded for this float16 training, but the code seems to scale the loss by "
                    "hand.",
                ),
                Text(
                    "确认这几行在训练步中执行，且梯度随后除以同一数值。",
                    "See that these lines run in the training step and that the gradients are divided by the same "
                    "number.",
                ),
                [*self._evidence(), self.run_data.code_at(hand, Text("手工缩放", "Scaling by hand"), "script")],
                hand,
            )
        if self._scaler_unused():
            return self._problem(
                Text(
                    "训练使用 float16 计算；创建了 {name}，但代码从未调用它的 scale()，等于没有 loss scale。",
                    "The training computes in float16; a {name} is created, but its scale() is never called: there is "
                    "no loss scale in effect.",
                    name=self.scale.class_,
                ),
                _SET,
            )
        return self._problem(
            Text(
                "训练使用 float16 计算，但没有任何 loss scale：小于约 6e-8 的梯度会变成 0。",
                "The training computes in float16 without any loss scale: gradients below about 6e-8 become zero.",
            ),
            _SET,
        )

    def _scaled_by_hand(self) -> Finding:
        """The script scales its loss without any of MindSpore's classes, and its source tells what becomes of it."""
        places = self.hand.places
        code = self.run_data.code_at(places, Text("手工缩放", "Scaling by hand"), "script")
        if self.hand.verdict == UNDONE:
            return ok(
                Text(
                    "float16 训练手工放大了 loss，梯度在交给优化器之前除以了同一数值。",
                    "This float16 training scales its loss by hand, and divides the gradients by the same number before the "
                    "optimizer gets them.",
                ),
                [*self._evidence(), code],
                places,
            )
        return problem(
            Text(
                "loss 被手工放大，但优化器得到的梯度没有除以同一数值：更新放大了同样的倍数（Adam 会掩盖这一点，权重衰减、"
                "裁剪和 eps 的作用却变了）。",
                "The loss is scaled by hand, but the gradients that the optimizer is given were never divided by the same "
                "number: they are too large by that factor (Adam hides it, but not from weight decay, clipping and eps).",
            ),
            _UNSCALE_BY_HAND,
            [*self._evidence(), code],
            places,
        )

    def _scaler_unused(self) -> bool:
        """A scaler object exists, but the user's files (all of them at hand) never call its scale()."""
        return self._is_scaler() and not self.run_data.find_lines(r"\.scale\b|\bscale_value\b")

    def _never_unscaled(self) -> bool:
        if not self._is_scaler() or self.hand.verdict == UNDONE:
            return False
        return self.hand.verdict == KEPT or not self.run_data.find_lines(
            r"\.unscale\b|\bscale_value\b|grad\w*\s*/|\bdiv\("
        )

    def _is_scaler(self) -> bool:
        """Is the scale a DynamicLossScaler or StaticLossScaler, which the user's own step has to call?"""
        created = self.run_data.find_lines(r"LossScaler\(")
        return (self.scale.class_ or "").endswith("LossScaler") and bool(created)

    def _by_hand(self) -> list:
        # in a run that made no scaler object, lines that call one did not run
        none_made = self.run_data.scalers == 0 and not self.run_data.find_lines(r"def scale\(")
        return self.run_data.find_lines(_PRODUCT if none_made else BY_HAND)

    def _largest(self) -> Optional[float]:
        """The largest scale that a step really used, or the one that was set."""
        seen = [value for value in self.run_data.steps().observed("scale").tolist() if value == value]
        return max(seen) if seen else self.scale.initial

    def _problem(self, summary: Text, advice: Text) -> Finding:
        places = [
            *(self.hand.kept_at if self._never_unscaled() else []),
            self.scale.place,
            self.step.place,
            *[entry.place for entry in self.dividing or self.optimizers],
            *[
                one
                for entry in self.dividing
                for one in argument_origin(self.run_data, entry.place, _DIVISOR, entry.class_)
            ],
            *self._half_places()[:1],
        ]
        known = [place for place in places if place]
        return problem(
            summary,
            advice,
            [*self._evidence(), self.run_data.code_at(known, Text("相关设置", "The settings"), source="run")],
            known,
        )

    def _half_places(self) -> list:
        precision = self.run_data.precision
        return [
            entry.place
            for entry in (*precision.amp, *precision.to_float, *precision.casts)
            if "16" in entry.dtype or entry in precision.amp
        ]

    def _evidence(self) -> list:
        scale, precision = self.scale, self.run_data.precision
        rows = [
            [
                self.step.class_ or self.step.function,
                scale.kind,
                scale.class_,
                scale.initial,
                scale.factor,
                scale.window,
                scale.drop_overflow_update,
            ]
        ]
        heads = [
            Text("训练步", "training step"),
            Text("方式", "kind"),
            Text("类", "class"),
            Text("初始值", "initial"),
            Text("倍数", "factor"),
            Text("窗口", "window"),
            "drop_overflow_update",
        ]
        sources = [[entry.function, entry.level, entry.dtype, at(entry.place)] for entry in precision.amp]
        sources += [["to_float", getattr(entry, "class"), entry.dtype, at(entry.place)] for entry in precision.to_float]
        sources += [["cast", entry.code, entry.dtype, at(entry.place)] for entry in precision.casts]
        return [
            table(Text("loss scale 设置", "Loss scale"), heads, rows),
            table(
                Text("优化器", "Optimizers"),
                [Text("优化器", "optimizer"), "loss_scale", Text("位置", "place")],
                [[entry.class_, entry.loss_scale, at(entry.place)] for entry in self.optimizers],
            )
            if self.optimizers
            else None,
            table(
                Text("半精度的来源", "Where half precision comes from"),
                [Text("途径", "by"), Text("内容", "what"), "dtype", Text("位置", "place")],
                sources,
            )
            if sources
            else None,
            table(
                Text("各精度的 Cell 数", "Cells by precision"),
                ["dtype", Text("Cell 数", "cells")],
                list(precision.cells_by_compute_dtype.items()),
            )
            if precision.cells_by_compute_dtype
            else None,
            scale_figure(self.run_data),
            gradients_figure(self.run_data),
        ]


_EQUAL = Text(
    "让优化器的 loss_scale 与 FixedLossScaleManager 的值相同；没有缩放 loss 时保持 1.0。",
    "Give the optimizer the same loss_scale as FixedLossScaleManager; leave it at 1.0 where the loss is not scaled.",
)
_ONE = Text(
    "保持优化器的 loss_scale 为默认值 1.0：还原由训练步完成。",
    "Leave the optimizer's loss_scale at its default of 1.0: the training step unscales.",
)
_UNSCALE = Text(
    "在优化器之前用同一个 scaler 的 unscale 还原梯度，再更新。",
    "Unscale the gradients with the same scaler before they go to the optimizer.",
)
_UNSCALE_BY_HAND = Text(
    "在优化器之前把每个梯度除以放大 loss 的数值，或改用 DynamicLossScaler / StaticLossScaler。",
    "Divide each gradient by the number that the loss was multiplied with, before the optimizer gets it; or use "
    "DynamicLossScaler or StaticLossScaler.",
)
_SET = Text(
    "使用 DynamicLossScaleManager（推荐）或 FixedLossScaleManager，可先用默认参数。",
    "Use DynamicLossScaleManager (to be preferred) or FixedLossScaleManager, with their defaults to begin with.",
)
