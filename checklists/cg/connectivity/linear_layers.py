"""Two linear layers in a row without an activation between them: together they are one linear layer (cg.03)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import note
from msprec.checklists.common.script.class_choice import built_by, chosen_at, conditions_at
from msprec.checklists.common.script.discarded_results import discarded_calls
from msprec.engine.finding import Evidence, Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.record.schema import PRODUCTS
from msprec.source.user_code import called_name, construct_of

#: Names of layers that are linear by design: projections, attention, factors of a matrix, parameters of a distribution.
_BY_DESIGN = re.compile(
    r"proj|attn|attention|(^|[._])(q|k|v|o|wq|wk|wv|wo|mu)($|[._\d])|query|key|value|lora|adapt|emb|bottleneck|latent|mean|logvar|log_var|sigma"
    r"|std|rank|factor|squeeze|reduce|expand|merge|lateral|mix|linear_only|whiten",
    re.IGNORECASE,
)
_NORMS = re.compile(r"norm", re.IGNORECASE)
#: A setting that names no activation.
_NO_ACTIVATION = r"(?i)\bact(ivation|iv|_fn|_func)?\b['\"]?\s*[=:]\s*(None|['\"](linear|identity|none)['\"])"
#: What an activation is called.
_ACTIVATION = re.compile(r"(?i)relu|gelu|tanh|sigmoid|elu$|silu|swish|mish|softplus|^act(iv\w*)?$")
#: Cells that give what they are given, in the place of an activation: the second with a slope of 1.
_NOTHING, _LEAKY = "Identity", "LeakyReLU"


def judge_linear_pairs(run_data: RunData, evidence: list) -> Optional[Finding]:
    """Problem: two of MindSpore's Dense or convolution layers of one cell in a row, the inner width no bottleneck.

    Or two graph convolutions of one class in a row, or the whole network is a row of Dense layers with at most normalisations in
    between, or units of one class follow one another that begin and end with such layers. None where there are none: pairs in
    doubt are added to ``evidence`` as a note. In doubt are a smaller width between wider ones (a factorised matrix, an
    adapter, an autoencoder), grouped, 1×1 and oblong convolutions, a normalisation in between, layers of different cells, and
    names that speak of projections, attention or the parameters of a distribution.
    """
    pairs = run_data.probes.graph.linear_pairs
    plain = [pair for pair in pairs if _is_plain(pair) or _of_graph(run_data, pair)] or (
        pairs if _is_whole_network(run_data, pairs) else []
    )
    name, units = _unit_after_unit(run_data, pairs) if not plain else ("", [])
    if units:
        return _ends_linear(run_data, name, units, evidence)
    if plain:
        return _forgotten(run_data, plain, evidence)
    if pairs:
        evidence.append(_in_doubt(pairs))
    return None


def _is_plain(pair: Fact) -> bool:
    if _home(pair.first) != _home(pair.second) or any(_NORMS.search(name) for name in pair.between):
        return False
    if any(_BY_DESIGN.search(path) for path in (pair.first, pair.second)) or any(n != 1 for n in pair.groups):
        return False
    if any(len(set(kernel)) > 1 or 1 in kernel for kernel in pair.kernels):
        return False
    return _is_wide(pair)


def _is_wide(pair: Fact) -> bool:
    """Whether the width between the two layers is no bottleneck."""
    inputs, inner, outputs = pair.sizes
    return inner >= min(inputs, outputs)


def _of_graph(run_data: RunData, pair: Fact) -> bool:
    """Whether the pair is of two cells of one class of the script's, with a product with a matrix that is given in between, as
    of two graph convolutions, and no bottleneck."""
    classes = _own_classes(run_data)
    one, other = (classes.get(_home(path)) for path in (pair.first, pair.second))
    return bool(one) and one == other and set(pair.between) <= set(PRODUCTS) and bool(pair.between) and _is_wide(pair)


def _own_classes(run_data: RunData) -> dict:
    """``{path: class}`` of the cells of the script's own classes."""
    return {cell.path: cell.class_ for network in run_data.networks for cell in network.cells if not cell.builtin}


def _is_whole_network(run_data: RunData, pairs: list) -> bool:
    """Whether three Dense layers or more, all that ran with weights but for normalisations, are one row of such pairs: what
    normalises between them bends nothing, and the network as a whole is linear."""
    layers = {name for pair in pairs for name in (pair.first, pair.second)}
    ran = [cell for cell in run_data.probes.graph.cells if cell.calls and not cell.loss and cell.path]
    others = {
        parameter.cell
        for parameter in run_data.parameters
        if parameter.kind == "weight" and parameter.cell in {cell.path for cell in ran} - layers
    }
    wide = all(pair.class_ == "Dense" and _is_wide(pair) for pair in pairs)
    return len(pairs) >= 2 and len(layers) == len(pairs) + 1 and wide and not others


def _unit_after_unit(run_data: RunData, pairs: list) -> tuple:
    """``(class, pairs)`` between units of one class of the script's, two or more, of which each ends with a layer as wide as it
    began and the next begins with one: a shortcut around each, or an activation behind it, would stand between the two; no pairs
    where there are none."""
    classes = _own_classes(run_data)

    def unit(path: str) -> str:
        return classes.get(path.rpartition(".")[0]) or ""

    found = [
        pair
        for pair in pairs
        if len(set(pair.sizes)) == 1 and not pair.between and not any(1 in kernel for kernel in pair.kernels)
        if _home(pair.first) != _home(pair.second) and unit(pair.first) and unit(pair.first) == unit(pair.second)
        if all(n == 1 for n in pair.groups)
    ]
    names = {unit(pair.first) for pair in found}
    return (names.pop(), found) if len(found) > 1 and len(names) == 1 else ("", [])


def _ends_linear(run_data: RunData, name: str, pairs: list, evidence: list) -> Finding:
    backs = [
        place(file, one.lineno)
        for file, node in run_data.source.classes(name)
        for one in ast.walk(construct_of(node) or ast.Pass())
        if isinstance(one, ast.Return)
    ]
    places = [*backs, *(at for pair in pairs for at in (pair.before, pair.place, pair.created) if at)]
    return problem(
        Text(
            "{name} 的每个单元以线性层结束，下一个单元又以线性层开始，其间既没有激活函数也没有把输入加回来（{names}）："
            "每两个这样的层合起来只相当于一个。",
            "Each {name} ends with a linear layer and the next begins with one, with neither an activation nor a sum with the "
            "unit's input between them ({names}): every two of these layers can express no more than one.",
            name=name,
            names=listed([f"{pair.first} → {pair.second}" for pair in pairs[:4]]),
        ),
        Text(
            "残差单元应返回 x + f(x)；否则在单元末尾加上激活函数。",
            "A residual unit returns x + f(x); otherwise put an activation at the end of the unit.",
        ),
        [*run_data.code_at(places, Text("单元的结尾", "The end of the units")), *evidence],
        places,
    )


def _home(path: str) -> str:
    """The cell that holds a layer; numbers in a row of layers are passed over."""
    names = path.split(".")
    while names and names[-1].isdigit():
        names.pop()
        if not names or not names[-1].isdigit():
            return ".".join(names[:-1])
    return ".".join(names[:-1])


def _calls_of(run_data: RunData, pair: Fact) -> list:
    """Where the forward function of the network calls the cells that hold the two layers."""
    names = {_home(path).rpartition(".")[2] for path in (pair.first, pair.second)}
    calls = run_data.source.calls_anywhere(names)
    return [place(file, one.lineno) for file, one in calls if run_data.source.in_construct(file, one.lineno)]


def _forgotten(run_data: RunData, pairs: list, evidence: list) -> Finding:
    one = pairs[0]
    made = {cell.path: cell.created for cell in run_data.probes.graph.cells}
    places = [
        place for pair in pairs for place in (pair.place, pair.before, pair.created, made.get(pair.first)) if place
    ]
    places += [where for pair in pairs for where in conditions_at(run_data, made.get(pair.first))]
    places += [*run_data.find_lines(_NO_ACTIVATION, 2), *built_by(run_data, made.get(one.first))]
    around = [where for pair in pairs if _of_graph(run_data, pair) for where in _calls_of(run_data, pair)]
    places = [*_dropped_activations(run_data), *around, *places]
    leaky = any(_LEAKY.lower() in pair.between for pair in pairs)
    for cell in run_data.probes.graph.cells:
        places += chosen_at(run_data, cell.created, _NOTHING) if cell.class_ == _NOTHING else []
        places += [cell.created] if leaky and cell.class_ == _LEAKY and cell.created else []
    return problem(
        Text(
            "{names}：后一层直接取前一层的输出，其间没有激活函数{leaky}；两个 {cls} 合起来只相当于一个线性层。",
            "{names}: the second takes the output of the first with no activation in between{leaky}, so that the two {cls} "
            "layers can express no more than one.",
            leaky=Text("（斜率为 1 的 LeakyReLU 原样输出）", " (LeakyReLU of slope 1 gives what it is given)")
            if leaky
            else Text("", ""),
            names=listed(f"{pair.first} → {pair.second}" for pair in pairs),
            cls=one.class_,
        ),
        Text(
            "在两层之间加上设计中的激活函数，如 ops.relu；若有意如此（例如矩阵分解），可以不改。",
            "Put the design's activation between them, such as ops.relu; where two linear layers are meant (a factorised "
            "matrix, say), leave them.",
        ),
        [*run_data.code_at(places, Text("相邻的线性层", "The linear layers in a row")), *evidence],
        places,
    )


def _dropped_activations(run_data: RunData) -> list:
    """The lines of networks that call an activation and do not keep what it gives."""
    found = [at for at, call in discarded_calls(run_data) if _ACTIVATION.search(called_name(call))]
    return [at for at in found if run_data.source.in_construct(at.file, at.line)]


def _in_doubt(pairs: list) -> Evidence:
    return note(
        "{names} 之间没有激活函数；从形状、名称或位置看可能是有意的（投影、瓶颈、可分离卷积），请对照设计。",
        "{names}: no activation in between. By their sizes, names or places they may be meant so (a projection, a bottleneck, "
        "a separable convolution): compare with the design.",
        names=listed(f"{pair.first} → {pair.second}" for pair in pairs),
    )
