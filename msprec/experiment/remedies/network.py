"""Remedies in the network: its output, its mode, its initial weights."""

import math
from typing import Optional

import libcst as cst

from msprec.bilingual import Text
from msprec.experiment.remedies.base import Remedy
from msprec.experiment.source_edit import NoPlace, Project, SourceFile, argument, last_name, only

_TAKE_LOGITS = ("CrossEntropyLoss", "SoftmaxCrossEntropyWithLogits", "cross_entropy")
_SOFTMAX = ("softmax", "log_softmax", "Softmax", "LogSoftmax")


class Logits(Remedy):
    """The loss is given logits: the network's last softmax is dropped, where the loss has one of its own."""

    id = "logits"
    title = Text("去掉输出的 softmax，损失函数直接使用 logits", "softmax at the output dropped: the loss takes logits")
    answers = ("cg.04",)
    same_loss = False

    def fits(self) -> bool:
        classes = {one.get("class") for one in self.case.facts("loss").get("losses", [])}
        return (bool(classes & set(_TAKE_LOGITS)) or self._is_named()) and self.can_edit()

    def _is_named(self) -> bool:
        """Whether the finding names the softmax that the network returns: its line, or one of its lines."""
        try:
            file, call = self._last_softmax(Project(self.case))
        except NoPlace:
            return False
        named = [line for one in self.problems for name, line in one.places if self.case.path(name) == file.path]
        return call is not None and any(file.start(call)[0] <= line <= file.end(call)[0] for line in named)

    def _last_softmax(self, project: Project) -> tuple:
        """The file of the network's construct, and the softmax call that it returns; None where it returns none.

        Raises:
            NoPlace: It is not known, or returns several.
        """
        network = trained_network(self.case)
        place = network.get("place")
        if not place:
            last = max(_cells(network, _SOFTMAX), key=lambda one: one["created"]["line"], default=None)
            if last is None:
                raise NoPlace("where the network is written is not known")
            place = last["created"]
        file = project.file(place["file"])
        found = [call for one in file.at(place["line"], cst.FunctionDef)[:1] for call in _returned(file, one)]
        return file, only(found, "a softmax that is returned", file.path, place["line"]) if found else None

    def edit(self, project: Project) -> None:
        file, call = self._last_softmax(project)
        if call is None:
            self._from_sequence(project, trained_network(self.case))
            return
        module = cst.parse_module("")
        file.change(call, lambda node: cst.parse_expression(module.code_for_node(node.args[0].value)))

    def _from_sequence(self, project: Project, network: dict) -> None:
        """Takes the softmax out of the arguments of a SequentialCell, where it is the last."""
        cell = only(_cells(network, _SOFTMAX), "a cell of class Softmax", self.case.script)
        file = project.file(cell["created"]["file"])
        calls = [one for one in file.at(cell["created"]["line"], cst.Call) if last_name(one.func) == cell["class"]]
        call = only(calls, f"a call of {cell['class']}", file.path, cell["created"]["line"])
        around = [one for one in file.nodes(cst.Call) if last_name(one.func) == "SequentialCell"]
        for one in around:
            if one.args and one.args[-1].value is call:
                file.change(one, without_last)
                return
        raise NoPlace("the softmax is not the last argument of a SequentialCell")


def without_last(node):
    """A call without its last argument, or a list without its last element."""
    name = "args" if isinstance(node, cst.Call) else "elements"
    kept = list(getattr(node, name)[:-1])
    # the comma of an argument in a line of its own stays
    if (
        kept
        and isinstance(kept[-1].comma, cst.Comma)
        and isinstance(kept[-1].comma.whitespace_after, cst.SimpleWhitespace)
    ):
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return node.with_changes(**{name: kept})


def _returned(file: SourceFile, function: cst.FunctionDef) -> list:
    """The softmax calls that are returned as they are."""
    values = [one.value for one in file.nodes(cst.Return, function)]
    return [one for one in values if isinstance(one, cst.Call) and last_name(one.func) in _SOFTMAX and one.args]


def _cells(network: dict, classes: tuple) -> list:
    return [one for one in network.get("cells", []) if one.get("class") in classes and one.get("created")]


def trained_network(case) -> dict:
    """The network that trained; empty where it is not exactly one."""
    found = [one for one in case.facts("network").get("networks", []) if one.get("role") == "train"]
    return found[0] if len(found) == 1 else {}


class EvaluationMode(Remedy):
    """The network is in inference mode while it is evaluated."""

    id = "evaluation_mode"
    title = Text("评估时切换到推理模式", "inference mode while evaluating")
    answers = ("api.02",)

    def fits(self) -> bool:
        return bool(self._phases()) and self.can_edit()

    def _phases(self) -> list:
        return [
            one
            for one in self.case.facts("modes").get("phases", [])
            if one.get("gradient") is False
            and one.get("via") == "call"
            and one.get("root_training")
            and one.get("dependent")
            and one.get("place")
        ]

    def edit(self, project: Project) -> None:
        phases = self.case.facts("modes").get("phases", [])
        training = [one["place"]["line"] for one in phases if one.get("gradient") and one.get("place")]
        last_training = max((one.get("last_step") or 0 for one in phases if one.get("gradient")), default=0)
        for phase in self._phases():
            file = project.file(phase["place"]["file"])
            line = phase["place"]["line"]
            name = _network_called(file, line, phase.get("root"))
            where = _loop_without(file, line, training)
            file.put_above(where, f"{name}.set_train(False)")
            if last_training > (phase.get("first_step") or 0):
                file.put_below(where, f"{name}.set_train(True)")

    def code(self) -> Optional[str]:
        return "network.set_train(False)  # before evaluating\nnetwork.set_train(True)   # before training goes on"


class TrainingMode(Remedy):
    """The network is in training mode while it trains."""

    id = "training_mode"
    title = Text("训练时切换到训练模式", "training mode while training")
    answers = ("api.02",)

    def fits(self) -> bool:
        return bool(self._phases()) and self.can_edit()

    def _phases(self) -> list:
        return [
            one
            for one in self.case.facts("modes").get("phases", [])
            if one.get("gradient") and one.get("root_training") is False and one.get("dependent") and one.get("place")
        ]

    def edit(self, project: Project) -> None:
        optimizer = self.case.optimizer()
        phase = only(self._phases(), "a training phase", self.case.script)
        if optimizer is None or phase.get("first_step"):
            raise NoPlace("the training begins in training mode")
        file = project.file(optimizer["place"]["file"])
        call = file.call_at(optimizer["place"]["line"], optimizer["class"])
        name = _network_called(file, phase["place"]["line"], phase.get("root"))
        file.put_below(call, f"{name}.set_train()")

    def code(self) -> Optional[str]:
        return "network.set_train()  # before training"


def _network_called(file: SourceFile, line: int, root: Optional[str]) -> str:
    """The variable that holds the network of class ``root`` and is called at a line."""
    made = {
        target.target.value
        for one in file.nodes(cst.Assign)
        for target in one.targets
        if isinstance(target.target, cst.Name) and isinstance(one.value, cst.Call) and last_name(one.value.func) == root
    }
    called = {one.func.value for one in file.at(line, cst.Call) if isinstance(one.func, cst.Name)}
    return only(sorted(made & called), f"a call of a variable that holds {root}", file.path, line)


def _loop_without(file: SourceFile, line: int, others: list):
    """The outermost loop around a line, within its function, that none of the other lines lies in; else the statement."""
    function = next(iter(file.at(line, cst.FunctionDef)), None)
    loops = [
        one
        for one in file.at(line, (cst.For, cst.While))
        if function is None or file.start(function) < file.start(one)
        if not any(file.start(one)[0] <= other <= file.end(one)[0] for other in others)
    ]
    return loops[-1] if loops else file.at(line, cst.SimpleStatementLine)[0]


def by_what_it_is_given(file: SourceFile, call: cst.Call) -> None:
    """``ops.tanh(x)`` or ``x.tanh()`` becomes x, in brackets where it needs them; ``x = ops.tanh(x)`` goes.

    Raises:
        NoPlace: What it is given is not known.
    """

    def given(node: cst.Call) -> Optional[cst.BaseExpression]:
        return node.args[0].value if node.args and not node.args[0].star else getattr(node.func, "value", None)

    value, holder = given(call), file.parent(call, cst.Assign)
    if value is None:
        raise NoPlace("what the call is given is not known")
    if holder is not None and holder.value is call and file.code(holder.targets[0].target) == file.code(value):
        file.drop(call)
    else:
        file.change(call, lambda node: in_brackets(given(node)))


def in_brackets(value: cst.BaseExpression) -> cst.BaseExpression:
    """An expression that binds as tightly as a name does."""
    if isinstance(value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or value.lpar:
        return value
    return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


class GradientFlow(Remedy):
    """Weights that a ``stop_gradient`` keeps from learning learn."""

    id = "gradient_flow"
    title = Text("去掉 stop_gradient", "stop_gradient taken out")
    answers = ("cg.02",)

    def fits(self) -> bool:
        return self.can_edit()

    def edit(self, project: Project) -> None:
        found = {}
        for name, line in sorted({place for one in self.problems for place in one.places}):
            if self.case.patchable(self.case.path(name)):
                file = project.file(name)
                calls = [one for one in file.at(line, cst.Call) if last_name(one.func) == "stop_gradient"]
                found.update(dict.fromkeys(calls, file))
        call = only(list(found), "a stop_gradient that the finding names", self.case.script)
        file = found[call]
        if len(call.args) != 1:
            raise NoPlace("stop_gradient is not given one value")
        by_what_it_is_given(file, call)


#: Weights drawn this many times as wide, or as narrow, as He et al. (2015) draw them, sqrt(2 / inputs), are drawn anew; of a
#: bias that begins at one number, this is far from 0.
_FAR, _FAR_BIAS = 10.0, 1.0


class InitialWeights(Remedy):
    """Weights that begin all alike, or far too large or small, are drawn anew (He, uniform); biases far from 0 begin at 0."""

    id = "initial_weights"
    title = Text("重新随机初始化权重", "initial weights drawn anew")
    answers = ("wi.01", "td.01", "td.03")

    def fits(self) -> bool:
        return bool(self._parameters())

    def _parameters(self) -> list:
        alike = any(one.item == "wi.01" for one in self.problems)
        return [
            one
            for one in self.case.facts("parameters").get("parameters", [])
            if (alike and _is_constant_weight(one)) or _begins_far_off(one)
        ]

    def hook(self) -> Optional[dict]:
        return {"name": "initial_weights", "names": [one["name"] for one in self._parameters()]}

    def edit(self, project: Project) -> None:
        seen = set()
        for one in self._parameters():
            place, bias = one.get("created"), one["kind"] == "bias"
            if not place:
                raise NoPlace("where a weight is made is not known")
            file = project.file(place["file"])
            keyword, code = ("bias_init", '"zeros"') if bias else ("weight_init", '"he_uniform"')
            given = [argument(call, keyword) for call in file.at(place["line"], cst.Call)]
            given = [arg.value for arg in given if arg is not None]
            if seen & set(given):  # a loop makes several layers at one line
                continue
            value = only(given, keyword, file.path, place["line"])
            seen.add(value)
            file.replace(value, code)

    def code(self) -> Optional[str]:
        return 'nn.Dense(in_channels, out_channels, weight_init="he_uniform")'


def _is_constant_weight(one: dict) -> bool:
    return (
        one.get("kind") == "weight"
        and len(one.get("shape") or ()) > 1
        and bool((one.get("initial") or {}).get("constant"))
    )


def _begins_far_off(one: dict) -> bool:
    """Whether a weight of a dense or convolutional layer is drawn far too wide or narrow, or its bias lies far from 0."""
    initial, shape = one.get("initial") or {}, one.get("shape") or []
    if not str(one.get("cell_class")).startswith(("Dense", "Linear", "Conv")) or initial.get("nonfinite"):
        return False
    if one.get("kind") == "bias":
        return bool(initial.get("constant")) and abs(initial.get("mean") or 0) >= _FAR_BIAS
    if one.get("kind") != "weight" or len(shape) < 2 or not initial.get("std") or initial.get("constant"):
        return False
    usual = math.sqrt(2 / math.prod(shape[1:]))
    return not usual / _FAR <= initial["std"] <= usual * _FAR


class ClassWeights(Remedy):
    """The loss weighs classes by the inverse of how often they occur."""

    id = "class_weights"
    title = Text("按类别频率给损失加权", "loss weighted by class")
    answers = ("ds.03",)
    same_loss = False

    def fits(self) -> bool:
        losses = {one.get("class") for one in self.case.facts("loss").get("losses", [])}
        return losses == {"CrossEntropyLoss"} and len(self._weights()) > 1

    def _weights(self) -> list:
        counts = ((self.case.training_set() or {}).get("label") or {}).get("counts") or {}
        if not all(name.isdigit() for name in counts) or sorted(map(int, counts)) != list(range(len(counts))):
            return []
        total = sum(counts.values())
        return [round(total / (len(counts) * counts[str(number)]), 4) for number in range(len(counts))]

    def hook(self) -> Optional[dict]:
        return {"name": "class_weights", "loss": "CrossEntropyLoss", "weights": self._weights()}

    def edit(self, project: Project) -> None:
        from msprec.experiment.source_edit import module_alias, with_argument

        place = self.case.facts("loss")["losses"][0].get("place")
        if not place:
            raise NoPlace("where the loss is made is not known")
        file = project.file(place["file"])
        calls = [one for one in file.nodes(cst.Call) if last_name(one.func) == "CrossEntropyLoss"]
        call = only(calls, "a call of CrossEntropyLoss", file.path)
        module = module_alias(file, "mindspore")
        if module is None or argument(call, "weight", 0) is not None:
            raise NoPlace("the loss has weights or mindspore is not imported by name")
        code = f"{module}.Tensor({self._weights()}, {module}.float32)"
        file.change(call, lambda node: with_argument(node, "weight", code))

    def code(self) -> Optional[str]:
        return f"nn.CrossEntropyLoss(weight=mindspore.Tensor({self._weights()}, mindspore.float32))"
