"""wi.01: Initial values of every weight with two or more dimensions, as before the first step (after any loading)."""

import re
from typing import Optional

from msprec.bilingual import Joined, Text, english, listed
from msprec.checklists.common.findings import missing, no_training, note
from msprec.checklists.common.ranks.rank_disagreement import named, rank_notes, weights_apart
from msprec.checklists.common.reference.reference_findings import with_reference
from msprec.checklists.common.script.setting_origin import WEIGHT_INIT, argument_origin
from msprec.checklists.common.training.constant_prediction import learning_outcome
from msprec.checklists.common.weights.constant_initialization import starts, zeros_in_a_row
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided, worst
from msprec.engine.item import item
from msprec.engine.run_data import RunData, place

_EXCUSES = {
    "vector": Text("实为向量", "really a vector"),
    "buffer": Text("冻结的常量", "a frozen constant"),
    "embedding": Text("位置编码等，零初始化是惯例", "a position table or token: zero is customary"),
    "adapter": Text("适配层的末层，零初始化是有意的", "last layer of an adapter: zero by construction"),
    "apart": Text(
        "从零开始，但训练已使它各单元的值各不相同",
        "it starts at zero, and training has drawn its units apart",
    ),
    "linear": Text("单层线性模型，零初始化不影响收敛", "the only layer of a linear model: zero is a sound start"),
    "": Text("", ""),
}


@item("wi.01", after=with_reference)
def zero_weights(run_data: RunData) -> Finding:
    """Initial values of every weight with two or more dimensions, as before the first step (after any loading).

    Problem: all zero, or one constant throughout (units that start alike stay alike). Biases, gamma and beta are not
    judged. Right by construction: the zero last layer of an adapter (LoRA's B beside a varying A, zero convolutions),
    position tables and class tokens, frozen constants, the one weight of a linear model, whose loss is convex, and what
    started at zero beside weights that vary and was drawn apart by training, so that neither its rows nor its columns are the
    same at the end; several such weights of a training that learnt nothing are a problem, and so are two in a row. Of a
    distributed run every rank is judged; ranks that add up their gradients and do not start with the same weights, nor end
    with them, are a problem too.
    """
    if run_data.trains_nothing:
        return no_training()
    if not run_data.parameters:
        return missing("网络参数", "parameter of the network")
    ranks = [rank for rank in run_data.ranks if run_data.parameters_of(rank)]
    return worst([*(_starts_of(run_data, rank) for rank in ranks), *filter(None, [weights_apart(run_data)])])


def _starts_of(run_data: RunData, rank: int) -> Finding:
    """The judgement on the weights of one rank."""
    found = starts(run_data.parameters_of(rank))
    known = [start for start in found if start.parameter.initial]
    bad = [start for start in known if start.state and not start.excuse]
    apart = [start for start in known if start.excuse == "apart"]
    if len(apart) > 1 and learning_outcome(run_data).verdict == "nothing":
        bad += apart  # their biases drew them apart, and several zeros in a row let no gradient through
    else:
        bad += zeros_in_a_row(found)
    if bad:
        return _bad(run_data, rank, found, bad)
    if len(known) < len(found):
        return undecided(
            Text(
                "{total} 个权重中有 {n} 个的初始值没有观察到。",
                "The initial values of {n} of {total} weights were not observed.",
                n=len(found) - len(known),
                total=len(found),
            ),
            Text(
                "用 `msprec run` 运行训练，让初始值在第一步之前被记录。",
                "Run the training with `msprec run`, which records them before the first step.",
            ),
            [_table(found)],
        )
    if not found:
        return not_applicable(
            Text("网络没有二维及以上的权重。", "The network has no weight of two or more dimensions.")
        )
    excused = [start for start in known if start.excuse]
    why = Joined(
        [
            Text(
                "；{name} 为常数（{why}）",
                "; {name} is constant ({why})",
                name=start.parameter.name,
                why=_EXCUSES[start.excuse],
            )
            for start in excused[:3]
        ],
        zh="",
        en="",
    )
    return ok(
        Text(
            "{total} 个二维及以上的权重中 {n} 个的初始值各不相同{why}。",
            "{n} of {total} weights with two or more dimensions start with varying values{why}.",
            n=len(known) - len(excused),
            total=len(known),
            why=why,
        ),
        [_table(found), rank_notes(run_data, "weights")],
    )


def _number(value: Optional[float]) -> str:
    return "?" if value is None else f"{value:.6g}"


def _bad(run_data: RunData, rank: int, found: list, bad: list) -> Finding:
    zero = [start for start in bad if start.state == "zero"]
    alike = [start for start in bad if start.state == "constant"]
    parts = [
        Text(
            "{n} 个（{total} 个中）初始值全为 0：{names}",
            "{n} of {total} {noun} start at zero throughout: {names}",
            n=len(zero),
            total=len(found),
            noun=english("weight", len(found)),
            names=listed(start.parameter.name for start in zero),
        )
        if zero
        else None,
        Text(
            "{n} 个（{total} 个中）初始值为同一常数：{names}",
            "{n} of {total} {noun} start at one constant: {names}",
            n=len(alike),
            total=len(found),
            noun=english("weight", len(found)),
            names=listed(f"{start.parameter.name} = {_number(start.parameter.initial.mean)}" for start in alike),
        )
        if alike
        else None,
    ]
    created = [start.parameter.created for start in bad if start.parameter.created]
    bare = [] if created else run_data.find_lines(r"\bParameter\(", 3)  # weights that stand in no cell
    places = [*bare, *_initialising_lines(run_data)]
    written = [origin for one in created for origin in argument_origin(run_data, one, WEIGHT_INIT)]
    places = list({(p.file, p.line): p for p in [*created, *written, *places]}.values())[:5]
    networks = [network.place for network in run_data.networks if network.role == "train"] or [
        network.place for network in run_data.networks
    ]
    return problem(
        named(run_data, rank, Text("权重{parts}。", "{parts}.", parts=Joined(parts, zh="；", en="; "))),
        Text(
            "改用随机初始化（默认的 HeUniform、XavierUniform、Normal 等）；只有 bias 适合全零。",
            "Start them at random (the default HeUniform, XavierUniform, Normal, …); zeros suit biases only.",
        ),
        [
            _table(found),
            note("这些权重在初始记录之前加载过检查点。", "A checkpoint was loaded before these values were recorded.")
            if run_data.loads
            else None,
            run_data.code_at(places, Text("初始化", "Where weights are initialised"), "script"),
        ],
        places or networks,
    )


#: What a line says that gives a weight its first values. ``set_data`` is also what plots call: its receiver has to be a
#: parameter, or what it is given a tensor.
_INITIALISES = re.compile(
    r"weight_init\s*=\s*['\"]?(zeros?|ones?|Zero|One|Constant|Tensor|initializer|ms|mindspore|init)\b|embedding_table\s*=\s*['\"]?(zeros?|ones?)"
    r"|initializer\(\s*['\"]?(zeros?|ones?|Zero|One|Constant)|Parameter\(.*(zeros|ones|full)"
    r"|\b(weight|bias|gamma|beta|embedding_table|p|w|\w*param\w*|\w*weights?)(\[[^\]]*\])?\.set_data\("
    r"|\.set_data\(.*\b(Tensor|initializer|ops|mint|mnp|ms|mindspore)\b"
)


def _initialising_lines(run_data: RunData) -> list:
    """Lines that give weights their first values, in files that import MindSpore."""
    imports = {file for file, _ in run_data.source.grep(re.compile(r"^\s*(import|from)\s+mindspore\b"))}
    hits = run_data.source.grep(_INITIALISES)
    return [place(*hit) for hit in hits if hit[0] in imports][:5]


def _table(found: list):
    order = sorted(found, key=lambda start: (not start.state, bool(start.excuse)))
    rows = [
        [
            start.parameter.name,
            "×".join(map(str, start.parameter.shape)),
            start.parameter.initial.min,
            start.parameter.initial.max,
            start.parameter.initial.mean,
            start.parameter.initial.std,
            start.parameter.initial.zeros,
            _EXCUSES[start.excuse],
        ]
        for start in order
    ]
    heads = [
        Text("权重", "weight"),
        Text("形状", "shape"),
        Text("最小", "min"),
        Text("最大", "max"),
        Text("均值", "mean"),
        Text("标准差", "std"),
        Text("零的占比", "share of zeros"),
        Text("说明", "remark"),
    ]
    return table(Text("权重的初始值", "Weights at the start"), heads, rows)
