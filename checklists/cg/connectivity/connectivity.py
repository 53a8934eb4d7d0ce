"""Which cells are used in a training step, and whose results reach the loss (cg.03)."""

import re
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.cg.connectivity.linear_layers import judge_linear_pairs
from msprec.checklists.common.findings import at, named
from msprec.checklists.common.weights.unregistered_cells import (
    REGISTER,
    several_unregistered,
    unregistered_cells,
    unregistered_places,
)
from msprec.engine.finding import Finding, ok, problem, table, undecided
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact

#: Layers without weights whose absence nobody misses: left over, or done by the loss.
_HARMLESS = ("Identity", "Flatten", "Softmax", "LogSoftmax", "Sigmoid", "LogSigmoid", "Unflatten")
#: MindSpore's cells that hold the script's.
_CONTAINERS = ("SequentialCell", "CellList", "CellDict")
#: Functions that do what a layer of this class does.
_FUNCTIONS = {
    "dropout": r"dropout",
    "relu": r"relu",
    "gelu": r"gelu",
    "silu": r"silu|swish",
    "maxpool": r"max_?pool",
    "avgpool": r"avg_?pool|reduce_?mean|\.mean\(",
    "batchnorm": r"batch_?norm",
    "layernorm": r"layer_?norm",
    "tanh": r"tanh",
    "elu": r"elu",
}


class WatchedCells:
    """The cells of the watched step, sorted."""

    def __init__(self, run_data: RunData) -> None:
        graph = run_data.probes.graph
        self.all = graph.cells
        names = {cell.path for cell in self.all}
        layers = {cell.path for cell in self.all if cell.builtin and cell.path and cell.class_ not in _CONTAINERS}
        leaves = [
            cell
            for cell in self.all
            if not _holds_others(cell.path, names) and not cell.loss and not _inside_one(cell.path, layers)
        ]
        trained = _trained_paths(run_data)
        self.never = [c for c in leaves if c.calls == 0 and _counts(run_data, c, c.path in trained)]
        self.lost = [
            c for c in leaves if c.calls and c.used is False and c.gradient is not True and not _muted(run_data, c)
        ]

    def table(self):
        """All cells of the step."""
        rows = [[c.path or c.class_, c.class_, c.calls, c.used, c.gradient, at(c.created)] for c in self.all]
        heads = [
            Text("路径", "path"),
            "Cell",
            Text("调用次数", "calls"),
            Text("结果被使用", "result used"),
            Text("收到梯度", "gets a gradient"),
            Text("位置", "place"),
        ]
        return table(Text("一个训练步中的 Cell", "The cells in one training step"), heads, rows)


def _none_called(cells: WatchedCells) -> Finding:
    """The step that was run again is one of something else, such as of a further training without cells."""
    return undecided(
        Text(
            "重放的训练步没有调用网络的任何 Cell，无法得知它们是否参与计算。",
            "The training step that was run again calls no cell of the network; whether they are used is not known.",
        ),
        Text("让脚本只训练这一个网络，再运行一次。", "Let the script train this network alone, and run it again."),
        [cells.table()],
        [cell.created for cell in cells.all[:1]],
    )


def judge_connections(run_data: RunData) -> Finding:
    """Problem: a cell that was built and never runs, or runs and whose result nothing uses."""
    cells = WatchedCells(run_data)
    odd = cells.never + cells.lost
    evidence = [cells.table(), *run_data.code_at([c.created for c in odd], Text("创建处", "Where it is made"))]
    if cells.all and not any(cell.calls for cell in cells.all):
        return _none_called(cells)
    if cells.lost:
        return _lost(cells.lost, evidence, run_data)
    if cells.never:
        return _never(cells.never, evidence)
    linear = judge_linear_pairs(run_data, evidence)
    if linear is not None:
        return linear
    if run_data.probes.graph.loss_seen is False:
        return _loss_not_seen(run_data, evidence)
    stopped = [c for c in cells.all if c.calls and c.gradient is False and not c.loss and _can_learn(run_data, c)]
    if stopped:
        return undecided(
            Text(
                "所有 Cell 都参与了计算，但 {names} 在重放的训练步中没有得到梯度。",
                "All cells are used, but {names} got no gradient in the step that was run again.",
                names=listed(map(named, stopped)),
            ),
            Text(
                "看 cg.02：权重在整个训练中是否变化；确认 stop_gradient 是否有意。",
                "See cg.02 for whether these weights were updated in the run, and whether a stop_gradient is intended.",
            ),
            evidence,
            [c.created for c in stopped],
        )
    return ok(
        Text(
            "重放一个训练步：{n} 个 Cell 都参与计算，结果都到达 loss。",
            "One training step was run again: all {n} cells are used, and their results reach the loss.",
            n=len([c for c in cells.all if c.calls]),
        ),
        evidence,
    )


def judge_hidden(run_data: RunData) -> Optional[Finding]:
    """Layers that no network has registered: in a plain Python list, or somewhere else where they ran; None: there are none."""
    hidden, several = unregistered_cells(run_data), several_unregistered(run_data)
    ran = run_data.probes.graph.unregistered
    made = _made_in_construct(run_data, ran)
    if made:
        return _made_anew(run_data, made)
    if not hidden and _alike(ran):
        return _ran_unseen(run_data, _alike(ran))
    if not several and not (hidden and ran):
        return None
    one = (several or hidden)[0]
    summary = Text(
        "{holder} 是 Python 的 {kind}，其中 {n} 个带权重的 Cell（{cls}）没有注册：它们参与计算，但优化器、检查点和 "
        "set_train 都看不到它们。",
        "{holder} is a Python {kind}: the {n} cells with weights in it ({cls}) are not registered. They compute, but the "
        "optimizer, checkpoints and set_train do not see them.",
        holder=one.holder,
        kind=one.kind,
        n=len([other for other in hidden if other.holder == one.holder]),
        cls=one.class_,
    )
    places = unregistered_places(run_data, hidden)
    code = run_data.code_at(places, Text("创建处", "Where it is made"))
    return (problem if several else undecided)(summary, REGISTER, code, places)


def _made_in_construct(run_data: RunData, ran: list) -> list:
    """Places in ``construct`` where a class is called of which a cell with weights ran that belongs to no network."""
    names = {one.class_ for one in ran if one.parameters}
    calls = run_data.source.calls_anywhere(names) if names else ()
    return [place(file, call.lineno) for file, call in calls if run_data.source.in_construct(file, call.lineno)]


def _made_anew(run_data: RunData, places: list) -> Finding:
    return problem(
        Text(
            "{where} 在 construct 中创建带权重的层：每次调用都得到新的随机权重，优化器从未更新它们。",
            "{where} makes a layer with weights in construct: each call gets random weights of its own, which the optimizer "
            "never updates.",
            where=at(places[0]),
        ),
        Text(
            "在 __init__ 中创建该层并赋给 self 的属性，在 construct 中只调用它。",
            "Make the layer in __init__ as an attribute of self, and only call it in construct.",
        ),
        run_data.code_at(places, Text("创建处", "Where it is made")),
        places,
    )


def _alike(ran: list) -> list:
    """Cells that ran inside a network without belonging to it, two or more made at one line: weights of one name, which no
    optimizer can have been given, and no other network, which is made once."""
    for one in ran:
        same = [other for other in ran if _made_as(other) == _made_as(one)]
        if len(same) > 1 and one.inside is not None and one.parameters and one.created:
            return same
    return []


def _made_as(cell: Fact) -> tuple:
    return cell.class_, list(cell.parameters), cell.created.file, cell.created.line


def _ran_unseen(run_data: RunData, cells: list) -> Finding:
    places = [cells[0].created]
    return problem(
        Text(
            "{n} 个带权重的 Cell（{cls}）参与计算，但没有注册到网络（例如放在 dict 或嵌套的列表中，或在 construct 中临时创建）："
            "优化器、检查点和 set_train 都看不到它们。",
            "{n} cells with weights ({cls}) compute and are not registered in the network, such as in a dict or a nested list, "
            "or made anew in construct: the optimizer, checkpoints and set_train do not see them.",
            n=len(cells),
            cls=cells[0].class_,
        ),
        Text(
            "在 __init__ 中用 nn.CellList、nn.CellDict 或单独的属性保存它们。",
            "Keep them in nn.CellList, nn.CellDict or attributes of their own, made in __init__.",
        ),
        run_data.code_at(places, Text("创建处", "Where it is made")),
        places,
    )


def _lost(cells: list, evidence: list, run_data: RunData) -> Finding:
    return problem(
        Text(
            "{names} 参与了计算，但结果没有被任何运算使用，也没有到达 loss。",
            "{names}: runs, but nothing uses the result, and it does not reach the loss.",
            names=listed(map(named, cells)),
        ),
        Text(
            "在 construct 中检查这一行：返回值是否赋给了变量，是否被后面的赋值覆盖，下一层的输入是否正确。",
            "Look at its line in construct: is the result assigned, is it overwritten before use, does the next layer take "
            "the right input?",
        ),
        evidence,
        [place for c in cells for place in (*_calls(run_data, c), c.created)],
    )


def _loss_not_seen(run_data: RunData, evidence: list) -> Finding:
    return undecided(
        Text(
            "重放的训练步中没有观察到 loss 由哪些运算得到，无法说明哪些 Cell 的结果到达了 loss。",
            "In the step that was run again, what the loss was computed from was not seen: which results reach it is not known.",
        ),
        Text(
            "在 construct 中检查每一层的返回值是否被后面的运算使用。",
            "Check in construct that what each layer returns is used by what follows.",
        ),
        evidence,
        [network.place for network in run_data.networks],
    )


def _never(cells: list, evidence: list) -> Finding:
    return problem(
        Text(
            "{names} 创建了，但在训练步中从未运行。",
            "{names}: built, but never run in a training step.",
            names=listed(map(named, cells)),
        ),
        Text(
            "在 construct 中把它接到设计的位置；若不需要，删去它的创建。",
            "Connect it in construct where the design has it; if it is not needed, do not build it.",
        ),
        evidence,
        [c.created for c in cells],
    )


def _inside_one(path: str, layers: set) -> bool:
    """Whether a cell is a part of one of MindSpore's own layers, such as the dropout of an nn.LSTM, which may rest."""
    parts = path.split(".")
    return any(".".join(parts[:n]) in layers for n in range(1, len(parts)))


def _holds_others(path: str, names: set) -> bool:
    return path == "" or any(name.startswith(path + ".") for name in names)


def _trained_paths(run_data: RunData) -> set:
    """Cells with a weight that an optimizer has."""
    return {p.cell for p in run_data.parameters if p.requires_grad and p.in_optimizer is not False}


def _can_learn(run_data: RunData, cell: Fact) -> bool:
    """Whether it has weights to learn, none of which moved: a bias alone may have a gradient of zero, and in the step of a
    GAN's one optimizer the other's network gets none."""
    held = [p for p in run_data.parameters if p.cell == cell.path and p.requires_grad]
    return bool(held) and not any(p.moved.any for p in held)


def _counts(run_data: RunData, cell: Fact, trained: bool) -> bool:
    """Whether a cell that did not run is missed.

    Not where its code names it in a branch that this step did not take; nor a frozen one, such as the head that comes
    with a pretrained network; nor a layer that is left over while a function does its work.
    """
    if _named_to_run(run_data, cell):
        return False
    held = [p for p in run_data.parameters if p.cell == cell.path]
    if held:
        return trained and not any(p.moved.any for p in held)
    if cell.class_ in _HARMLESS or not cell.builtin:
        return False
    return not _done_by_function(run_data, cell.class_)


def _attribute(path: str) -> str:
    """The attribute of a class that leads to the cell: of ``blocks.3.drop`` it is ``drop``, of ``blocks.3`` ``blocks``."""
    names = [name for name in path.split(".") if not name.isdigit()]
    return names[-1] if names else path


#: What is asked of a cell that is not run: its weights are initialised, its precision is set.
_NOT_RUN = (
    r"weight|bias|gamma|beta|embedding_table|moving_mean|moving_variance|\w*parameters\w*|trainable_params|to_float|set_train|recompute"
    r"|shard|pipeline_stage|cells_and_names|requires_grad|add_flags\w*|update_parameters_name"
)


def _named_to_run(run_data: RunData, cell: Fact) -> bool:
    """Whether a line but its making reads the attribute as one that runs it would: in the class that made it, in one that is
    related to that, or through an object (``self.decoder.norm``). Another class's ``self.norm`` is another norm.
    """
    name, code = re.escape(_attribute(cell.path)), run_data.source
    read = re.compile(rf"(?P<of>[\w.\])]*)\.{name}\b(?!\s*=[^=])(?!\.({_NOT_RUN})\b)|getattr\(.*[\"']{name}[\"']")
    home = code.class_around(cell.created.file, cell.created.line) if cell.created and cell.created.line else None
    for file, line, found in code.matches(read):
        reader = code.class_around(file, line)
        if found["of"] != "self" or home is None or reader is None or code.related(home, reader):
            return True
    # elsewhere cells are gone through by name to initialise or to count them
    return any(
        code.in_construct(*hit) for hit in code.grep(re.compile(r"\.(cells|_cells|cells_and_names|name_cells)\b"))
    )


def _done_by_function(run_data: RunData, cls: str) -> bool:
    small = re.sub(r"\d+d$", "", cls.lower())
    pattern = _FUNCTIONS.get(small, re.escape(small))
    return any(
        True for _ in run_data.source.grep(re.compile(rf"(ops|F|P|mint|functional)\b.*({pattern})", re.IGNORECASE))
    )


def _muted(run_data: RunData, cell: Fact) -> bool:
    """Whether what a cell without weights gives is for people: read on the host, printed, or compared with labels."""
    return any(p.cell == cell.path and p.moved.any for p in run_data.parameters) or cell.class_ in _HARMLESS


def _calls(run_data: RunData, cell: Fact) -> list:
    """Lines of the sources that call the cell."""
    return run_data.find_lines(rf"self\.{re.escape(_attribute(cell.path))}\s*(\[[^\]]*\])?\(", most=2)
