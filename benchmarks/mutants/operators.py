"""Mutation operators for training programs, after the list of DeepCrime.

An operator takes a program and returns the edits of one mutant. What can be found in any program (the optimizer and its
rate, the layers and activations of a network, an option with its default) is found in the syntax tree; where only a reader
knows the place (which variable holds the labels) `catalogue.py` names it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import libcst as cst
from source import Edit, Module, NotFoundError, Program, Span, apply

OPTIMIZERS = re.compile(r"nn\.(Adam|AdamWeightDecay|SGD|Momentum|RMSProp)$")
DATASETS = re.compile(r"(\w+\.)?(GeneratorDataset|NumpySlicesDataset)$")
ACTIVATIONS = re.compile(r"nn\.(ReLU|LeakyReLU|GELU|Tanh|Sigmoid)$")
ACTIVATION_CALLS = re.compile(r"(self\.(relu|act|activation)|ops\.(relu|gelu|tanh|sigmoid))$")
WEIGHTED = re.compile(r"nn\.(Dense|Conv1d|Conv2d)$")


@dataclass(frozen=True)
class Fault:
    """What an operator did: the edits, the items that should find them, what to call it.

    ``used`` are places of the original that speak of the same fault although nothing was changed there: the optimizer for a
    rate that is an option's default, the source of the data for samples that came in broken.
    """

    edits: Sequence[Edit]
    items: Sequence[str]
    description: str
    used: Sequence[Span] = ()


@dataclass(frozen=True)
class Mutant:
    """A mutated program."""

    program: str
    operator: str
    items: tuple[str, ...]
    description: str
    texts: dict[str, str] = field(repr=False)
    places: tuple[tuple[str, int, int], ...]
    used: tuple[tuple[str, int, int], ...]

    @property
    def name(self) -> str:
        """Program and operator."""
        return f"{self.program}/{self.operator}"

    def write(self, folder: Path) -> None:
        """The files of the mutant, into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in self.texts.items():
            (folder / name).write_text(text, encoding="utf-8")


def mutate(program: Program, kind: str, operator: str, fault: Fault) -> Mutant:
    """The mutant that a fault makes of a program, with its lines as they are in the mutant."""
    texts, lines = apply(program.texts, list(fault.edits))
    _check(texts)
    parsed = {name: Module(name, text) for name, text in texts.items() if name.endswith(".py")}
    places = [_statement(parsed, place) for place in lines]
    used = [_moved(fault.edits, span) for span in fault.used]
    return Mutant(kind, operator, tuple(fault.items), fault.description, texts, tuple(places), tuple(used))


def _check(texts: dict[str, str]) -> None:
    for name, text in texts.items():
        if name.endswith(".py"):
            compile(text, name, "exec")


def _statement(parsed: dict[str, Module], place: tuple[str, int, int]) -> tuple[str, int, int]:
    """The whole statement around the changed lines; for statements that hold a whole block, the changed lines alone."""
    name, first, last = place
    if name not in parsed:
        return place
    start, end = parsed[name].statement_at(first), parsed[name].statement_at(last)
    return name, min(first, start.start[0]), max(last, end.end[0])


def _moved(edits: Sequence[Edit], span: Span) -> tuple[str, int, int]:
    """The lines of an unchanged place after the edits above it."""
    before = [edit for edit in edits if edit.span.file == span.file and edit.span.end <= span.start]
    shift = sum(edit.text.count("\n") - (edit.span.end[0] - edit.span.start[0]) for edit in before)
    return span.file, span.start[0] + shift, span.end[0] + shift


# -- finding places ----------------------------------------------------------------------------------------------------


def optimizers(program: Program) -> list[tuple[Module, cst.Call]]:
    """The calls that construct the optimizers of train.py and of the modules beside it, but not of a pre-training."""
    found = program.calls(lambda name: bool(OPTIMIZERS.match(name)))
    return [(module, call) for module, call in found if module.name != "pretrain.py"]


def data_sources(program: Program) -> list[Span]:
    """The statements that make the data sets of the training."""
    return [span for span in statements(program, DATASETS) if span.file != "pretrain.py"]


def statements(program: Program, pattern: re.Pattern) -> list[Span]:
    """The statements with calls of functions whose name fits."""
    found = program.calls(lambda name: bool(pattern.match(name)))
    return [module.statement(call) for module, call in found]


def argument(call: cst.Call, keyword: str, position: int | None = None) -> cst.Arg | None:
    """The argument of that keyword, or the one at a position."""
    for arg in call.args:
        if arg.keyword is not None and arg.keyword.value == keyword:
            return arg
    if position is not None and position < len(call.args) and call.args[position].keyword is None:
        return call.args[position]
    return None


def number_of(program: Program, name: str) -> Span:
    """Where a setting gets its number: an assignment, a keyword argument of a table of settings, an option's default, YAML."""
    for module in program.modules:
        for node in module.nodes((cst.Assign, cst.AnnAssign, cst.Call)):
            value = _value_of(module, node, name)
            if value is not None:
                return module.span(value)
    for file, text in program.texts.items():
        found = re.search(rf"(?m)^{name}: (\S+)$", text) if file.endswith((".yaml", ".yml")) else None
        if found:
            line = text[: found.start(1)].count("\n") + 1
            column = len(name) + 2
            return Span(file, (line, column), (line, column + len(found.group(1))))
    raise NotFoundError(f"no number for {name}")


def _value_of(module: Module, node: cst.CSTNode, name: str) -> cst.BaseExpression | None:
    """The number that a statement or call gives to a name."""
    value = None
    if isinstance(node, cst.Call):
        value = _value_in_call(module, node, name)
    elif module.code(node.targets[0].target if isinstance(node, cst.Assign) else node.target) == name:
        value = node.value
    return value if isinstance(value, (cst.Integer, cst.Float)) else None


def _value_in_call(module: Module, call: cst.Call, name: str) -> cst.BaseExpression | None:
    function = module.code(call.func)
    if function.endswith("add_argument"):
        option = module.code(call.args[0].value).strip("\"'").lstrip("-").replace("-", "_")
        default = argument(call, "default")
        return default.value if option == name and default is not None else None
    found = argument(call, name) if function in ("SimpleNamespace", "dict") else None
    return found.value if found is not None else None


def construct_of(program: Program, network: str) -> tuple[Module, cst.FunctionDef]:
    """The `construct` of a network."""
    module, node = program.class_named(network)
    for function in module.nodes(cst.FunctionDef, node):
        if function.name.value == "construct":
            return module, function
    raise NotFoundError(f"{network}.construct")


def layers(program: Program, network: str, pattern: re.Pattern) -> list[tuple[Module, cst.Call]]:
    """The calls within a network's class that construct layers."""
    module, node = program.class_named(network)
    return [(module, call) for call in module.nodes(cst.Call, node) if pattern.match(module.code(call.func))]


def _with_ops(module: Module) -> list[Edit]:
    """The import of `ops` where the file lacks it."""
    if re.search(r"import .*\bops\b", module.text):
        return []
    found = re.search(r"(?m)^from mindspore import .*$", module.text)
    if found is None:
        raise NotFoundError(f"{module.name}: no import of MindSpore")
    span = module.find(found.group(0))
    return [Edit(Span(span.file, span.end, span.end), ", ops", place=False)]


# -- operators ---------------------------------------------------------------------------------------------------------


def learning_rate(program: Program, factor: float, name: str | None = None) -> Fault:
    """The learning rate multiplied, where its number stands."""
    calls = optimizers(program)
    used, edits = [module.statement(call) for module, call in calls], []
    for module, call in calls[:1]:
        arg = argument(call, "learning_rate", 1)
        if arg is None:
            raise NotFoundError("the optimizer has no learning_rate")
        if isinstance(arg.value, (cst.Float, cst.Integer)):
            span = module.span(arg.value)
        else:
            span = number_of(program, name or re.findall(r"\w+", module.code(arg.value))[-1])
        rate = float(_text(program, span)) * factor
        plain = f"{rate:.10f}".rstrip("0")  # PyYAML reads 2e-05 as text
        edits.append(Edit(span, f"{rate:g}" if span.file.endswith(".py") else plain))
    return Fault(edits, ["hp.01"], f"learning rate times {factor:g}", used)


def _text(program: Program, span: Span) -> str:
    line = program.texts[span.file].splitlines()[span.start[0] - 1]
    return line[span.start[1] : span.end[1]]


def number(program: Program, name: str, value: str, items: Sequence[str], what: str) -> Fault:
    """Another number for a setting; what reads it (dropout, batches) counts as its use."""
    used = statements(program, re.compile(r"nn\.Dropout$|.*\.batch$", re.DOTALL))
    return Fault([Edit(number_of(program, name), value)], items, f"{what}: {name} = {value}", used)


def epochs(program: Program, name: str, value: int) -> Fault:
    """Far too few or too many epochs."""
    return Fault([Edit(number_of(program, name), str(value))], ["hp.02"], f"trains for {value} instead of enough")


def batch_size(program: Program, name: str, value: int) -> Fault:
    """A batch of a large part of the data."""
    return number(program, name, str(value), ["hp.03"], "batch too large")


def optimizer(program: Program, name: str) -> Fault:
    """Another optimizer, with the arguments of the one before that it knows; the rate is then far off."""
    module, call = optimizers(program)[0]
    known = ("learning_rate", "weight_decay", "params")
    kept = [arg for arg in call.args if arg.keyword is None or arg.keyword.value in known]
    arguments = ", ".join(module.code(arg).rstrip(", \n") for arg in kept)
    edit = Edit(module.span(call), f"nn.{name}({arguments})")
    return Fault([edit], ["hp.01"], f"{name} instead of {module.code(call.func)} with the same rate")


def output_activation(program: Program, network: str, function: str) -> Fault:
    """An activation on what the network returns."""
    module, construct = construct_of(program, network)
    value = list(module.nodes(cst.Return, construct))[-1].value
    text = f"ops.{function}({module.code(value)}{', axis=-1' if function == 'softmax' else ''})"
    edits = [Edit(module.span(value), text), *_with_ops(module)]
    return Fault(edits, ["cg.04"], f"{function} added on the output")


def activation_removed(program: Program, network: str, which: int = 0) -> Fault:
    """One activation of the network left out."""
    cells = layers(program, network, ACTIVATIONS)
    in_sequence = [pair for pair in cells if _is_element(*pair)]
    if in_sequence:
        module, call = in_sequence[which]
        return Fault([_without(module, call)], ["cg.03"], "an activation between layers left out")
    module, construct = construct_of(program, network)
    calls = [call for call in module.nodes(cst.Call, construct) if ACTIVATION_CALLS.match(module.code(call.func))]
    if not calls:
        raise NotFoundError(f"no activation in {network}")
    call = calls[which]
    return Fault([Edit(module.span(call), module.code(call.args[0].value))], ["cg.03"], "an activation left out")


def _is_element(module: Module, call: cst.Call) -> bool:
    """Whether a cell is an argument of SequentialCell or an element of its list."""
    around = module.parent(module.parent(call, (cst.Arg, cst.Element, cst.Assign)), (cst.Call, cst.Assign))
    return isinstance(around, cst.Call) and "SequentialCell" in module.code(around.func)


def _without(module: Module, call: cst.Call) -> Edit:
    """The edit that takes a cell and its comma out of a sequence, with the line where nothing else stands there."""
    span = module.span(call)
    lines = module.text.splitlines()
    line = lines[span.start[0] - 1]
    if line.strip().rstrip(",") == module.code(call):
        return Edit(Span(span.file, (span.start[0], 0), (span.start[0] + 1, 0)), "")
    rest = re.match(r",\s*", line[span.end[1] :])
    if rest:
        return Edit(Span(span.file, span.start, (span.end[0], span.end[1] + rest.end())), "")
    before = re.search(r",\s*$", line[: span.start[1]])
    return Edit(Span(span.file, (span.start[0], before.start() if before else span.start[1]), span.end), "")


def activation_changed(program: Program, network: str, name: str) -> Fault:
    """Another activation everywhere in the network."""
    edits = [Edit(module.span(call.func), f"nn.{name}") for module, call in layers(program, network, ACTIVATIONS)]
    if not edits:
        module, construct = construct_of(program, network)
        calls = [call for call in module.nodes(cst.Call, construct) if ACTIVATION_CALLS.match(module.code(call.func))]
        edits = [Edit(module.span(call.func), f"ops.{name.lower()}") for call in calls]
    return Fault(edits, ["td"], f"activation {name} everywhere")


def weight_init(program: Program, network: str, value: str, which: int | None = None) -> Fault:
    """Weights that start at one number: of all layers, or of one of them."""
    cells = layers(program, network, WEIGHTED)
    chosen = cells if which is None else [cells[which]]
    edits = [_argument_set(module, call, "weight_init", f'"{value}"') for module, call in chosen]
    return Fault(edits, ["wi.01"], f"weights of {'all layers' if which is None else 'one layer'} start at {value}")


def bias_removed(program: Program, network: str, which: int = -1) -> Fault:
    """A layer without its bias."""
    module, call = layers(program, network, WEIGHTED)[which]
    return Fault([_argument_set(module, call, "has_bias", "False")], ["td"], "bias of a layer removed")


def _argument_set(module: Module, call: cst.Call, keyword: str, value: str) -> Edit:
    arg = argument(call, keyword)
    if arg is not None:
        return Edit(module.span(arg.value), value)
    end = module.span(call.args[-1]).end
    return Edit(Span(module.name, end, end), f", {keyword}={value}")


def dropout(program: Program, value: str) -> Fault:
    """The probability to keep given as the probability to drop."""
    found = list(program.calls(lambda name: name.endswith("nn.Dropout")))
    edits = [Edit(module.span(argument(call, "p").value), value) for module, call in found]
    if not edits:
        raise NotFoundError("no dropout")
    return Fault(edits, ["api.01"], f"dropout of {value}")


def stop_gradient(program: Program, network: str, layer: str) -> Fault:
    """No gradient for what comes before a layer's result."""
    module, construct = construct_of(program, network)
    for call in module.nodes(cst.Call, construct):
        if module.code(call.func) == layer:
            edits = [Edit(module.span(call), f"ops.stop_gradient({module.code(call)})"), *_with_ops(module)]
            return Fault(edits, ["cg.02"], f"stop_gradient on {layer}")
    raise NotFoundError(f"{layer} in {network}")


def partial_parameters(program: Program, old: str, new: str) -> Fault:
    """An optimizer that is given the parameters of a part of the network."""
    module, call = optimizers(program)[0]
    if module.code(call.args[0].value) != old:
        raise NotFoundError(f"{old}: the optimizer has {module.code(call.args[0].value)}")
    return Fault([Edit(module.span(call.args[0].value), new)], ["cg.02"], f"the optimizer is given {new} only")


def after(program: Program, statement: str, inserted: str, items: Sequence[str], what: str) -> Fault:
    """Statements inserted after the statement that begins so; the data's source counts as the place too."""
    module = next(m for m in program.modules if re.search(rf"(?m)^ *{re.escape(statement)}", m.text))
    line = re.search(rf"(?m)^( *){re.escape(statement)}", module.text)
    row = module.text[: line.start()].count("\n") + 1
    last = module.statement_at(row).end[0]
    text = "".join(f"{line.group(1)}{part}\n" for part in inserted.split("\n"))
    return Fault([Edit(Span(module.name, (last + 1, 0), (last + 1, 0)), text)], items, what, data_sources(program))


def replaced(program: Program, file: str, pairs: Sequence[tuple[str, str]], items: Sequence[str], what: str) -> Fault:
    """Named pieces of the source replaced."""
    module = program.module(file)
    edits = [Edit(module.find(old), new, place=not old.startswith("from ")) for old, new in pairs]
    return Fault(edits, items, what)
