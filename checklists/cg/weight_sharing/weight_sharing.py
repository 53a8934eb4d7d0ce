"""Which weights a network shares, and which it was meant to share (cg.01)."""

import re
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.cg.weight_sharing.static_weight_sharing import written_sharing
from msprec.checklists.cg.weight_sharing.written_ties import written_tie
from msprec.checklists.common.findings import at, missing, named, note
from msprec.engine.finding import Evidence, Finding, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: One value for several names, made by a call.
_ONCE = r"\bfromkeys\(.*,.*\w\(|\brepeat\(\s*\w[\w.]*\("
#: Names under which WithLossCell, WithGradCell and TrainOneStepCell keep a network; a subclass may name it once more.
_WRAPPERS = {"_backbone", "_loss_fn", "_net", "network"}
#: Names of a table of those who choose, and of one of what they choose: no number means the same in both.
_WHO = re.compile(r"(?i)(^|_)(users?|customers?|members?|viewers?|readers?|buyers?|students?|patients?)(_|$|emb|id)")
_WHAT = re.compile(
    r"(?i)(^|_)(items?|movies?|films?|products?|books?|songs?|tracks?|goods|ads?|articles?|drugs?|exercises?)(_|$|emb|id)"
)


def judge_sharing(run_data: RunData) -> Finding:
    """Problem: one cell with weights several times in a row of layers, and a copy where a tie was meant."""
    cells = [
        cell for network in run_data.networks for cell in network.shared_cells if cell.parameters and not _kept(cell)
    ]
    tied = [parameter for network in run_data.networks for parameter in network.shared_parameters]
    # a second network that holds the first names them once more
    cells = list({(tuple(cell.paths), at(cell.created)): cell for cell in cells}.values())
    tied = list({(one.name, tuple(one.paths)): one for one in tied}.values())
    repeated = [cell for cell in cells if (cell.repeated or 0) > 1]
    evidence = [_table(cells, tied), *_code(run_data, cells)]
    if repeated:
        return _repeated(repeated, evidence, run_data)
    alike = _alike(run_data)
    # equal values alone are no intention: layers drawn with one fixed seed have them too
    ties = [(pair, written_tie(run_data.source, *pair)) for pair in alike]
    broken = [(pair, at) for pair, at in ties if at is not None or _end(pair[0]) == _end(pair[1])]
    if broken:
        return _broken(broken, evidence)
    evidence.append(_begin_alike(alike))
    mixed = [cell for cell in cells if _two_vocabularies(cell) and _too_few_rows(run_data, cell)]
    if mixed:
        return _mixed(run_data, mixed[0], evidence)
    written = {id(cell): written_sharing(run_data.source, cell.paths) for cell in cells if not _parents_differ(cell)}
    several = [cell for cell in cells if id(cell) in written and written[id(cell)] is None]
    if several:
        once = run_data.find_lines(_ONCE, 2)
        return _made_once(several, once, evidence) if once else _two_names(several, evidence)
    told = [one for places in written.values() for one in places or ()]
    if cells or tied:
        return ok(
            Text(
                "{n} 处共享，都是脚本明确写出的（同一个参数或 Cell 被赋给不同位置）：{names}。",
                "All sharing of weights is written out in the script (one parameter or cell given to different parts), "
                "{n} in all: {names}.",
                n=len(cells) + len(tied),
                names=listed(
                    [*(" = ".join(p.paths[:3]) for p in tied), *(" = ".join(c.paths[:3]) for c in cells)], most=3
                ),
            ),
            [*evidence, *run_data.code_at(told, Text("写出共享的语句", "The statements that share it"))],
            [*told, *(cell.created for cell in cells)],
        )
    if not run_data.parameters:
        return missing("网络的参数", "parameters of the network")
    return ok(
        Text(
            "网络的 {n} 个参数各属于一个 Cell，没有共享，也没有断开的共享。",
            "Each of the {n} parameters belongs to one cell: none is shared, and no tie was broken.",
            n=len(run_data.parameters),
        ),
        evidence,
    )


def _two_vocabularies(cell: Fact) -> bool:
    """Whether one table of vectors is looked up by users under one of its names and by items under another."""
    names = [path.rpartition(".")[2] for path in cell.paths]
    who, what = [one for one in names if _WHO.search(one)], [one for one in names if _WHAT.search(one)]
    return "Embedding" in (cell.class_ or "") and bool(who) and bool(what) and not set(who) & set(what)


def _too_few_rows(run_data: RunData, cell: Fact) -> bool:
    """Whether the table has too few rows for the delivered numbers of both: numbers with an offset need the sum of the two."""
    rows = next((one.shape[0] for one in run_data.parameters if one.name in cell.parameters and one.shape), None)
    columns = [
        one
        for dataset in run_data.datasets_of("train")
        for one in dataset.columns
        if one.kind == "int" and one.max is not None and one.name != dataset.label.column
    ]
    who = [one.max for one in columns if _WHO.search(one.name or "")]
    what = [one.max for one in columns if _WHAT.search(one.name or "")]
    if not who and not what and len(columns) == 2:  # of any names
        who, what = [columns[0].max], [columns[1].max]
    return rows is not None and bool(who) and bool(what) and rows < max(who) + 1 + max(what) + 1


def _mixed(run_data: RunData, cell: Fact, evidence: list) -> Finding:
    told = written_sharing(run_data.source, cell.paths) or []
    return problem(
        Text(
            "{paths} 是同一张 {cls} 表：第 k 个用户与第 k 个物品共用一个向量，而两者的编号毫无关系，一方学到的会覆盖另一方。",
            "{paths} are one table of {cls}: user k and item k share a vector, though their numbers have nothing to do with "
            "each other, and what is learnt of one overwrites the other.",
            paths=" = ".join(cell.paths[:4]),
            cls=cell.class_,
        ),
        Text(
            "为用户和物品各建一张表，例如 nn.Embedding(n_users, dim) 和 nn.Embedding(n_items, dim)；"
            "若确实要用一张表，给物品的编号加上用户数作偏移。",
            "Make a table for each, as nn.Embedding(n_users, dim) and nn.Embedding(n_items, dim); where one table is meant, add "
            "the number of users to the numbers of the items.",
        ),
        evidence,
        [*told, cell.created],
    )


def _kept(cell: Fact) -> bool:
    """Whether all but one of its names are those by which MindSpore's own wrappers keep what they are given."""
    return sum(path not in _WRAPPERS for path in cell.paths) <= 1 and (cell.repeated or 0) <= 1


def _repeated(cells: list, evidence: list, run_data: RunData) -> Finding:
    cell = max(cells, key=lambda one: one.repeated)
    holders = (one for network in run_data.networks for one in network.cells if one.path == cell.repeated_in)
    return problem(
        Text(
            "{where} 中的 {n} 层是同一个 {cls} 实例：它们共用一套权重（{weights}），网络实际只有一层的容量。",
            "{n} layers of {where} are one and the same {cls}: they share one set of weights ({weights}), and the network "
            "has the capacity of a single layer.",
            where=next(map(named, holders), cell.repeated_in or Text("网络", "the network")),
            n=cell.repeated,
            cls=cell.class_,
            weights=listed(cell.parameters),
        ),
        Text(
            "每层新建一个 Cell，例如 nn.CellList([Block() for _ in range(n)])，而不是 [Block()] * n；"
            "确实要共享时，在 construct 中对同一个 Cell 循环调用。",
            "Make a new cell for each layer, as in nn.CellList([Block() for _ in range(n)]), instead of [Block()] * n. "
            "Where sharing is intended, call the one cell in a loop in construct.",
        ),
        evidence,
        [one.created for one in cells],
    )


def _two_names(cells: list, evidence: list) -> Finding:
    cell = cells[0]
    return undecided(
        Text(
            "{paths} 是同一个 {cls} 实例，共用权重；设计是否如此，运行记录无法说明。",
            "{paths} are one and the same {cls} and share its weights; whether the design wants that, the run cannot tell.",
            paths=" = ".join(cell.paths[:4]),
            cls=cell.class_,
        ),
        Text(
            "对照设计：若应是独立的层，请分别创建。",
            "Compare with the design: where separate layers are meant, make one for each name.",
        ),
        evidence,
        [one.created for one in cells],
    )


def _made_once(cells: list, once: list, evidence: list) -> Finding:
    """A factory is called once where a value for each name is wanted."""
    cell = cells[0]
    return problem(
        Text(
            "{paths} 是同一个 {cls} 实例：{where} 只调用了一次构造函数，每个名字得到的都是它，权重因此共用。",
            "{paths} are one and the same {cls}: {where} calls what makes it once and gives it to each name, so that they share "
            "its weights.",
            paths=" = ".join(cell.paths[:4]),
            cls=cell.class_,
            where=at(once[0]),
        ),
        Text(
            "为每个名字各创建一个，例如 {{name: make() for name in names}}；若确实要共用，请直接写出（a = b = make()）。",
            "Make one for each name, as in {{name: make() for name in names}}; where they are to be one, write so (a = b = "
            "make()).",
        ),
        evidence,
        [*once, *(one.created for one in cells)],
    )


def _parents_differ(cell: Fact) -> bool:
    """Whether the ways to it lead through different cells, as for a tied embedding or a shared encoder."""
    return len({path.rpartition(".")[0] for path in cell.paths}) > 1


def _alike(run_data: RunData) -> list:
    """Pairs of weights of different kinds of layers that began with the very same values, and train as two parameters.

    Layers of one class may begin alike by design (deep copies, a target network). An Embedding and a Dense do so where one
    was copied into the other, or where their initializers draw with one fixed seed.
    """
    known: dict = {}
    found: list = []
    for parameter in run_data.parameters:
        start = parameter.initial
        if not start or start.std in (None, 0) or start.constant or len(parameter.shape) < 2 or None in parameter.shape:
            continue
        key = (tuple(sorted(parameter.shape)), start.min, start.max, start.mean, start.std)
        other = known.setdefault(key, parameter)
        if other is not parameter and other.cell_class != parameter.cell_class and _both_train(other, parameter):
            found.append((other, parameter))
    return found


def _both_train(one: Fact, other: Fact) -> bool:
    trains = [p.in_optimizer is not False and p.requires_grad is not False for p in (one, other)]
    return all(trains) and None not in _end(one) and None not in _end(other) and bool(one.moved.any and other.moved.any)


def _end(parameter: Fact) -> tuple:
    return (parameter.final.min, parameter.final.max, parameter.final.mean, parameter.final.std)


def _begin_alike(pairs: list) -> Optional[Evidence]:
    if not pairs:
        return None
    return _pair_table(
        pairs,
        Text(
            "源码没有把一个赋给另一个（初始化器的种子可能相同），按各自独立的权重处理。",
            "Nothing in the source gives one to the other (their initializers may draw with one seed): taken as separate "
            "weights.",
        ),
    )


def _pair_table(pairs: list, below: Optional[Text] = None) -> Evidence:
    heads = [Text("权重", "weight"), "Cell", Text("另一权重", "other weight"), Text("其 Cell", "its Cell")]
    rows = [[one.name, one.cell_class, other.name, other.cell_class] for one, other in pairs]
    title = Text("初始值相同的权重（{n} 对）", "Weights that begin with the same values ({n})", n=len(pairs))
    return table(title, heads, rows, below, most=20)


def _broken(ties: list, evidence: list) -> Finding:
    pairs = [pair for pair, _ in ties]
    one, other = pairs[0]
    words = (
        Text(
            "{one}（{one_class}）与 {other}（{other_class}）训练前后数值都完全相同，却是两个参数：它们只是共用一块内存"
            "（set_data 所致），优化器每步把它更新两次，换一种设备或加载检查点后便会分开。",
            "{one} ({one_class}) and {other} ({other_class}) begin and end with the very same values, yet are two parameters: "
            "they only lie in one piece of memory (as set_data leaves them), the optimizer updates it twice a step, and on "
            "another device or after loading a checkpoint they part.",
        )
        if _end(one) == _end(other)
        else Text(
            "{one}（{one_class}）与 {other}（{other_class}）训练前数值完全相同，却是两个独立的参数，训练后已不同："
            "想要的共享没有生效，只复制了数值。",
            "{one} ({one_class}) and {other} ({other_class}) begin with the very same values, yet are two parameters and "
            "have parted in training: the tie that was meant is a mere copy.",
        )
    )
    return problem(
        Text(
            words.zh + ("（这样的权重共 {n} 对，见表。）" if len(pairs) > 1 else ""),
            words.en + (" There are {n} such pairs: see the table." if len(pairs) > 1 else ""),
            n=len(pairs),
            one=one.name,
            other=other.name,
            one_class=one.cell_class,
            other_class=other.cell_class,
        ),
        Text(
            "让两处指向同一个 Parameter：self.head.weight = self.embedding.embedding_table，而不是复制它的值"
            "（set_data、clone、Parameter(...)）；加载权重之后用 is 检查。",
            "Let both be one Parameter: self.head.weight = self.embedding.embedding_table, not a copy of its values "
            "(set_data, clone, Parameter(...)); check with `is`, after loading weights too.",
        ),
        [_pair_table(pairs), *evidence],
        [place for pair, at in ties for place in (at, pair[1].created, pair[0].created)],
    )


def _table(cells: list, tied: list) -> Optional[Evidence]:
    rows = [
        [cell.class_, ", ".join(cell.paths[:6]), ", ".join(cell.parameters[:4]), at(cell.created)] for cell in cells
    ]
    rows += [[" / ".join(dict.fromkeys(p.classes)), ", ".join(p.paths[:6]), p.name, ""] for p in tied]
    heads = [Text("Cell", "cell"), Text("路径", "paths"), Text("权重", "weights"), Text("位置", "place")]
    if rows:
        return table(Text("共享的权重", "Shared weights"), heads, rows)
    return note("没有参数由多个 Cell 使用。", "No parameter is used by more than one cell.")


def _code(run_data: RunData, cells: list) -> list:
    return run_data.code_at([cell.created for cell in cells], Text("创建处", "Where it is made"))
