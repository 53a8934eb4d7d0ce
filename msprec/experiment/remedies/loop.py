"""Remedies in the training loop: gradient clipping, the order of clipping and unscaling, more epochs."""

from typing import Optional

import libcst as cst

from msprec.bilingual import Text
from msprec.experiment.remedies.base import Remedy
from msprec.experiment.source_edit import NoPlace, Project, SourceFile, argument, last_name, module_alias, only

#: The norm that gradients are clipped to; 1.0 is the default of `ops.clip_by_global_norm`.
_NORM = "1.0"
#: Seconds: 32 times as many epochs are tried of a script that then takes no longer.
_LONGEST = 300.0


class ClipGradients(Remedy):
    """Gradients are clipped to a global norm of 1 before the update."""

    id = "clip_gradients"
    title = Text("按全局范数裁剪梯度", "gradients clipped by their global norm")
    answers = ("mp.01", "td.")

    def fits(self) -> bool:
        return self.case.optimizer() is not None and self.can_edit()

    def edit(self, project: Project) -> None:
        optimizer = self.case.optimizer()
        file = project.file(optimizer["place"]["file"])
        call = file.call_at(optimizer["place"]["line"], optimizer["class"])
        holder = file.parent(call, cst.Assign)
        name = file.code(holder.targets[0].target) if holder is not None and holder.value is call else None
        updates = [one for one in file.nodes(cst.Call) if name and file.code(one.func) == name and len(one.args) == 1]
        update = only(updates, "an update", file.path)
        ops = module_alias(file, "mindspore.ops") or (
            f"{module_alias(file, 'mindspore')}.ops" if module_alias(file, "mindspore") else None
        )
        if ops is None or "clip_by" in file.before:
            raise NoPlace("gradients are clipped already, or mindspore is not imported by name")
        value = update.args[0].value
        file.replace(value, f"{ops}.clip_by_global_norm({file.code(value)}, {_NORM})")

    def code(self) -> Optional[str]:
        return f"grads = ops.clip_by_global_norm(grads, {_NORM})"


class UnscaleFirst(Remedy):
    """Gradients are unscaled before they are clipped."""

    id = "unscale_first"
    title = Text("先还原 loss scale 再裁剪梯度", "gradients unscaled before clipping")
    answers = ("mp.03",)

    def fits(self) -> bool:
        return self.can_edit()

    def edit(self, project: Project) -> None:
        files = {place[0] for one in self.problems for place in one.places}
        file = project.file(only(sorted(files), "a file with the clipping", self.case.script))
        blocks = file.nodes((cst.IndentedBlock, cst.Module))
        pairs = [
            pair for block in blocks for pair in zip(block.body, block.body[1:]) if _clips_then_unscales(file, pair)
        ]
        clip, unscale = only(pairs, "clipping followed by unscaling", file.path)
        file.change(clip, lambda node: unscale.with_changes(leading_lines=node.leading_lines))
        file.change(unscale, lambda node: clip.with_changes(leading_lines=node.leading_lines))


def _clips_then_unscales(file: SourceFile, pair: tuple) -> bool:
    codes = [file.code(one) for one in pair]
    if "clip_by" not in codes[0] or "unscale" not in codes[1]:
        return False
    targets = [one.body[0].targets for one in pair if isinstance(one, cst.SimpleStatementLine) and _assigns(one)]
    return len(targets) == 2 and file.code(targets[0][0].target) == file.code(targets[1][0].target)


def _assigns(statement: cst.SimpleStatementLine) -> bool:
    return (
        len(statement.body) == 1 and isinstance(statement.body[0], cst.Assign) and len(statement.body[0].targets) == 1
    )


class MoreEpochs(Remedy):
    """Twice as many epochs."""

    id = "more_epochs"
    title = Text("epoch 数加倍", "twice as many epochs")
    answers = ("hp.02", "td.")
    same_steps = False
    times = 2

    def fits(self) -> bool:
        return self.can_edit()

    def edit(self, project: Project) -> None:
        file = project.file(str(self.case.script))
        loops = [one for one in file.nodes(cst.For) if "epoch" in file.code(one.target) and _range(one)]
        trains = [one for one in file.nodes(cst.Call) if _is_model_training(file, one)]
        counts = [_range(one) for one in loops] + [argument(one, "epoch", 0) for one in trains]
        count = only([one for one in counts if one is not None], "the number of epochs", file.path).value
        if isinstance(count, cst.Name):
            count = _assigned(file, count.value) or count
        if isinstance(count, cst.Integer):
            file.replace(count, str(self.times * int(count.value)))
        else:
            simple = isinstance(count, (cst.Name, cst.Attribute, cst.Call, cst.Subscript))
            file.replace(count, f"{self.times} * {file.code(count) if simple else f'({file.code(count)})'}")

    def code(self) -> Optional[str]:
        return f"for epoch in range({self.times} * epochs):"


class ManyEpochs(MoreEpochs):
    """Eight times as many epochs, where twice as many helped."""

    id = "many_epochs"
    title = Text("epoch 数增加到 8 倍", "eight times as many epochs")
    times = 8
    after = "more_epochs"
    must_help = True


class MostEpochs(MoreEpochs):
    """32 times as many epochs, where eight times as many helped, of a script that takes seconds: one of a few epochs."""

    id = "most_epochs"
    title = Text("epoch 数增加到 32 倍", "32 times as many epochs")
    times = 32
    after = "many_epochs"
    must_help = True

    def fits(self) -> bool:
        return self.times * self.case.seconds() <= _LONGEST and super().fits()


def _range(loop: cst.For) -> Optional[cst.Arg]:
    """The end of ``range(n)`` or ``range(0, n)``."""
    call = loop.iter
    if not isinstance(call, cst.Call) or last_name(call.func) != "range" or len(call.args) > 2 or not call.args:
        return None
    return call.args[-1]


def _is_model_training(file: SourceFile, call: cst.Call) -> bool:
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in ("train", "fit"):
        return False
    return "model" in file.code(call.func.value).lower() and len(call.args) > 1


def _assigned(file: SourceFile, name: str) -> Optional[cst.BaseExpression]:
    """The whole number that a name is assigned once."""
    found = [
        one.value
        for one in file.nodes(cst.Assign)
        if len(one.targets) == 1 and file.code(one.targets[0].target) == name
    ]
    return found[0] if len(found) == 1 and isinstance(found[0], cst.Integer) else None
