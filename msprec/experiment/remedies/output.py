"""Remedies between the network's output and the loss: the activation, the form of the loss, the shape.

What is known of the output comes from the probe of the loss (`probes.json`): the last operation that limits it, with the
line where it is called and, of a cell, the line where it was made.
"""

from typing import Optional

import libcst as cst

from msprec.bilingual import Text
from msprec.experiment.remedies.base import Remedy
from msprec.experiment.remedies.network import Logits, by_what_it_is_given, in_brackets, trained_network, without_last
from msprec.experiment.source_edit import NoPlace, Project, SourceFile, argument, last_name, only, with_argument

_WANT_LOGITS = ("softmax_cross_entropy", "bce_with_logits")
_WANT_SHARES = ("bce",)
_WANT_TARGETS = ("mse", "rmse", "l1", "smooth_l1", "huber")


class _AtTheLoss(Remedy):
    answers = ("cg.04",)
    same_loss = False

    def _losses(self) -> list:
        return [one for one in self.case.facts("probes").get("losses", []) if isinstance(one, dict)]

    def _loss(self) -> dict:
        """The loss that the finding is about: the only one.

        Raises:
            NoPlace: There are several.
        """
        return only(self._losses(), "a known loss", self.case.script)

    def fits(self) -> bool:
        return self.can_edit()


class OutputActivation(_AtTheLoss):
    """The activation at the output dropped, where the loss takes logits or the targets lie beyond its range; a sigmoid
    instead, where the loss takes a probability for each output."""

    id = "output_activation"
    title = Text("去掉或更换输出的激活函数", "activation at the output dropped or changed")

    def fits(self) -> bool:
        return not Logits(self.case).fits() and super().fits()

    def edit(self, project: Project) -> None:
        loss = self._loss()
        output, wanted = loss.get("output") or {}, _wanted(loss)
        made, used = output.get("created"), output.get("place")
        if not output.get("plain") or not used:
            raise NoPlace("what limits the output is not known, or more is computed from it")
        if made is None:
            file = project.file(used["file"])
            _change_call(file, _outermost(file, used["line"], output["name"]), wanted)
            return
        file = project.file(made["file"])
        dense = [arg for one in file.at(made["line"], cst.Call) for arg in [argument(one, "activation")] if arg]
        if dense:
            _change_keyword(file, only(dense, "an activation", file.path, made["line"]), wanted)
            return
        call = only(_named(file, made["line"], output["operator"]), output["operator"], file.path, made["line"])
        if wanted is not None:
            _rename(file, call, wanted)
        elif not _dropped_from_sequence(file, call) and not _dropped_from_attribute(file, call):
            path = ((loss.get("predicted") or {}).get("source") or {}).get("cell")
            _without_last_of_list(project, trained_network(self.case), path)


def _wanted(loss: dict) -> Optional[str]:
    """The activation that the loss wants: "Sigmoid", None for none.

    Raises:
        NoPlace: It wants the one that is there, or that is not known.
    """
    output, targets, kind = loss.get("output") or {}, loss.get("targets") or {}, loss.get("kind")
    limited = output.get("low") is not None or output.get("high") is not None
    beyond = (targets.get("below") or 0) + (targets.get("above") or 0)
    if limited and (kind in _WANT_LOGITS or (kind in _WANT_TARGETS and beyond)):
        return None
    if limited and kind in _WANT_SHARES and (output.get("name") != "sigmoid"):
        return "Sigmoid"
    raise NoPlace("the loss is not known to want another output")


def _named(file: SourceFile, line: int, operator: str) -> list:
    """The calls of a line whose name is the operator's, ``Sigmoid`` or ``sigmoid``."""
    return [one for one in file.at(line, cst.Call) if (last_name(one.func) or "").lower() == operator.lower()]


def _outermost(file: SourceFile, line: int, operator: str) -> cst.Call:
    found = _named(file, line, operator)
    found = [one for one in found if not any(one in file.nodes(cst.Call, other) for other in found if other is not one)]
    return only(found, f"a call of {operator}", file.path, line)


def _change_call(file: SourceFile, call: cst.Call, wanted: Optional[str]) -> None:
    """Without the activation; with ``wanted`` the function of that name instead."""
    if wanted is None:
        by_what_it_is_given(file, call)
    else:
        _rename(file, call, wanted.lower())


def _rename(file: SourceFile, call: cst.Call, name: str) -> None:
    """Another function or cell of the same module, with the first argument of a function alone."""
    if not isinstance(call.func, cst.Attribute):
        raise NoPlace(f"{file.code(call.func)} is imported by its own name")
    keep = 0 if name[0].isupper() else 1

    def renamed(node: cst.Call) -> cst.Call:
        args = [one.with_changes(comma=cst.MaybeSentinel.DEFAULT) for one in node.args[:keep]]
        return node.with_changes(func=node.func.with_changes(attr=cst.Name(name)), args=args)

    file.change(call, renamed)


def _change_keyword(file: SourceFile, arg: cst.Arg, wanted: Optional[str]) -> None:
    """``nn.Dense(16, 3, activation="relu")``: without it, or with another one."""
    if wanted is not None:
        file.replace(arg.value, f'"{wanted.lower()}"')
        return
    call = file.parent(arg, cst.Call)
    kept = [number for number, one in enumerate(call.args) if one is not arg]
    if kept and kept[-1] < len(call.args) - 1:
        file.change(call, without_last)
    else:
        file.change(call, lambda node: node.with_changes(args=[node.args[number] for number in kept]))


def _dropped_from_sequence(file: SourceFile, call: cst.Call) -> bool:
    """Whether the cell was the last argument of a SequentialCell, or of its list, and is so no longer."""
    for one in file.nodes(cst.Call):
        if last_name(one.func) != "SequentialCell" or not one.args:
            continue
        if one.args[-1].value is call:
            file.change(one, without_last)
            return True
        items = one.args[0].value
        if isinstance(items, cst.List) and items.elements and items.elements[-1].value is call:
            file.change(items, without_last)
            return True
    return False


def _dropped_from_attribute(file: SourceFile, call: cst.Call) -> bool:
    """Whether the cell is ``self.act`` of a class whose construct ends with it, and is called there no longer."""
    used = _last_use(file, call)
    if used is None:
        return False
    _change_call(file, used, None)
    return True


def _last_use(file: SourceFile, call: cst.Call) -> Optional[cst.Call]:
    """The last call in ``construct`` of the attribute that the cell is assigned to; None where it is assigned to none.

    Raises:
        NoPlace: There are several such calls, or none.
    """
    holder = file.parent(call, cst.Assign)
    if holder is None or holder.value is not call:
        return None
    name, kind = file.code(holder.targets[0].target), file.parent(holder, cst.ClassDef)
    construct = [one for one in file.nodes(cst.FunctionDef, kind or holder) if one.name.value == "construct"]
    uses = [one for function in construct for one in file.nodes(cst.Call, function) if file.code(one.func) == name]
    # the last one computes the output: what is called inside it, or before it, does not
    last = [one for one in uses if not any(file.end(one) < file.end(other) for other in uses)]
    return only(last, f"a call of {name}", file.path)


def _without_last_of_list(project: Project, network: dict, path: Optional[str]) -> None:
    """``nn.SequentialCell(layers)`` becomes ``nn.SequentialCell(layers[:-1])`` where the cell at ``path`` is its last one."""
    cells = network.get("cells", [])
    top = [
        one for one in cells if one.get("path") == "" and one.get("class") == "SequentialCell" and one.get("created")
    ]
    numbers = [int(one["path"]) for one in cells if str(one.get("path")).isdigit()]
    if not top or path is None or not numbers or path != str(max(numbers)):
        raise NoPlace("the activation is not the last of a SequentialCell")
    file, line = project.file(top[0]["created"]["file"]), top[0]["created"]["line"]
    call = file.call_at(line, "SequentialCell")
    given = only(list(call.args), "the list of the cells", file.path, line).value
    if not isinstance(given, cst.Name):
        raise NoPlace("the cells of the SequentialCell are not one list")
    file.replace(given, f"{given.value}[:-1]")


class OutputRange(_AtTheLoss):
    """The output stretched from the range of its activation to that of the targets: 1 + 4 * sigmoid(x) for ratings of 1 to 5."""

    id = "output_range"
    title = Text("把输出拉伸到目标的取值范围", "output stretched to the range of the targets")

    def edit(self, project: Project) -> None:
        loss = self._loss()
        output, targets = loss.get("output") or {}, loss.get("targets") or {}
        ends = [output.get("low"), output.get("high"), targets.get("min"), targets.get("max")]
        beyond = (targets.get("below") or 0) + (targets.get("above") or 0)
        if loss.get("kind") not in _WANT_TARGETS or not beyond or not output.get("plain") or None in ends:
            raise NoPlace("the output is not known to be bounded on both sides, short of the targets")
        low, high, least, largest = ends
        factor = (largest - least) / (high - low)
        file, call = _called(project, output)
        stretched = f"({least - factor * low:.4g} + {factor:.4g} * {file.code(call)})"
        file.change(call, lambda _: cst.parse_expression(stretched))


def _called(project: Project, output: dict) -> tuple:
    """``(file, call)`` of the activation at the output: of the function, or of the cell that an attribute holds.

    Raises:
        NoPlace: It is not known for sure.
    """
    made, used = output.get("created"), output.get("place")
    if made is None:
        if not used:
            raise NoPlace("where the output is computed is not known")
        file = project.file(used["file"])
        return file, _outermost(file, used["line"], output["name"])
    file = project.file(made["file"])
    call = only(_named(file, made["line"], output["operator"]), output["operator"], file.path, made["line"])
    found = _last_use(file, call)
    if found is None:
        raise NoPlace("the activation is not held by an attribute")
    return file, found


class LossForm(_AtTheLoss):
    """The loss that fits what it is given: with logits where it is given those, with its softmax along the classes."""

    id = "loss_form"
    title = Text("改用形式正确的 loss", "the loss's right form")
    _WITH_LOGITS = {"NLLLoss": "CrossEntropyLoss", "BCELoss": "BCEWithLogitsLoss", "nll_loss": "cross_entropy"}

    def edit(self, project: Project) -> None:
        axes = self.case.facts("probes").get("softmax_axes") or []
        if axes:
            self._along_classes(project, only(axes, "a softmax along another axis", self.case.script))
            return
        loss = self._loss()
        name, place = loss.get("name"), loss.get("place")
        if name not in self._WITH_LOGITS or not place or not (loss.get("output") or {}).get("linear"):
            raise NoPlace("the loss is not known to be given logits that it does not take")
        file = project.file(place["file"])
        call = only(
            [one for one in file.nodes(cst.Call) if last_name(one.func) == name], f"a call of {name}", file.path
        )
        if not isinstance(call.func, cst.Attribute) or (
            name == "BCELoss" and any(not one.keyword for one in call.args)
        ):
            raise NoPlace(f"{name} is imported by its own name, or its arguments have no names")
        named = cst.Name(self._WITH_LOGITS[name])
        file.change(call, lambda node: node.with_changes(func=node.func.with_changes(attr=named)))

    @staticmethod
    def _along_classes(project: Project, entry: dict) -> None:
        """The softmax at the place of an entry of ``softmax_axes``, or the cell that is called there, along axis 1."""
        file, line, name = project.file(entry["place"]["file"]), entry["place"]["line"], entry["operator"]
        called = {file.code(one.func) for one in file.at(line, cst.Call)}
        cells = [
            one.value
            for one in file.nodes(cst.Assign)
            if isinstance(one.value, cst.Call)
            and last_name(one.value.func) == name
            and file.code(one.targets[0].target) in called
        ]
        found = cells or _named(file, line, name)
        call = only(found, name, file.path, line)
        given = argument(call, "axis", 0 if name[0].isupper() else 1)
        if given is not None:
            file.replace(given.value, "1")
        else:
            file.change(call, lambda node: with_argument(node, "axis", "1"))


class OutputShape(_AtTheLoss):
    """The prediction in the shape of the targets: (N, 1) against (N,) would be broadcast to (N, N)."""

    id = "output_shape"
    title = Text("使输出与目标的形状一致", "output in the shape of the targets")

    def edit(self, project: Project) -> None:
        found = self.case.facts("probes").get("broadcasts") or []
        entry = only(found, "a broadcast", self.case.script)
        label = entry.get("label")
        if label not in (0, 1) or len(entry["shapes"]) != 2:
            raise NoPlace("which of the two is the prediction is not known")
        predicted, targets = entry["shapes"][1 - label], entry["shapes"][label]
        if len(targets) == 1 and predicted == [*targets, 1]:
            method = ".squeeze(-1)"
        elif len(predicted) == 1 and targets == [*predicted, 1]:
            method = ".expand_dims(-1)"
        else:
            raise NoPlace(f"the shapes are {predicted} and {targets}")
        file, value = self._predicted(project, entry, label)
        file.change(value, lambda node: cst.parse_expression(cst.Module([]).code_for_node(in_brackets(node)) + method))

    def _predicted(self, project: Project, entry: dict, label: int) -> tuple:
        """The file and the expression of the prediction: an argument of the loss, else what construct returns."""
        file, line = project.file(entry["place"]["file"]), entry["place"]["line"]
        calls = [one for one in file.at(line, cst.Call) if len(one.args) == 2 and not any(a.star for a in one.args)]
        function = next(iter(file.at(line, cst.FunctionDef)), None) or next(iter(file.at(line, cst.Lambda)), None)
        if function is not None and len(calls) == 1:
            return file, calls[0].args[1 - label].value
        place = (self._loss().get("output") or {}).get("place")
        if not place:
            raise NoPlace("where the output is computed is not known")
        file = project.file(place["file"])
        function = next(iter(file.at(place["line"], cst.FunctionDef)), None)
        if function is None or function.name.value != "construct":
            raise NoPlace("the output is not computed in a construct")
        returned = only(file.nodes(cst.Return, function), "a value that is returned", file.path, place["line"])
        if returned.value is None or isinstance(returned.value, cst.Tuple):
            raise NoPlace("construct returns several values")
        return file, returned.value
