"""Did the ranks of a distributed run divide the training data among them? (dp.05)"""

import ast
import math
import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import first_place, missing, pipeline_table
from msprec.checklists.common.ranks.rank_disagreement import rank_notes
from msprec.checklists.common.ranks.rank_reduction import SLICED, sums_over_ranks
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.script.call_sites import called_from, made_for_calls
from msprec.engine.finding import Finding, ok, problem, table, undecided
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.record.schema import DATASETS
from msprec.source.names import words
from msprec.source.user_code import Code, called_name, root_name

_LISTINGS = {"listdir", "scandir", "glob", "iglob", "rglob", "iterdir", "walk"}
_SORTS = {"sorted", "natsorted", "sort", "humansorted"}
# what does not depend on the order in which it is given something
_ORDERLESS = words("len set frozenset any all sum max min sorted natsorted humansorted remove unlink")
_NO_DATA = re.compile(r"ckpt|checkpoint|log|output|result|summary|save|tmp", re.IGNORECASE)
_CHECKPOINTS = re.compile(r"\.ckpt\b|def \w*(ckpt|checkpoint)", re.IGNORECASE)
_RANDOM = re.compile(r"(^|\.)(Random|AutoAugment|RandAugment|CutOut|MixUp|CutMix)")
_ADVICE = Text(
    "用 num_shards=get_group_size()、shard_id=get_rank() 交给数据集切分；自己按位置切分文件时先对列表排序（sorted）。",
    "Let the data set divide itself: num_shards=get_group_size(), shard_id=get_rank(); where files are divided by position, sort "
    "the list first (sorted).",
)


class Shard(NamedTuple):
    """The training set of one rank."""

    rank: int
    dataset: Fact

    @property
    def sketch(self) -> Fact:
        return self.dataset.order.sketch

    @property
    def declared(self) -> tuple:
        return self.dataset.sharding.num_shards, self.dataset.sharding.shard_id


def part_for_one_device(run_data: RunData) -> Optional[Finding]:
    """The finding on a run of one device whose training set is one shard of several; None where nothing is cut.

    A process that goes through several shards by itself (as of simulated clients) divides the data on purpose.
    """
    cut = [dataset for dataset in run_data.datasets_of("train") if (dataset.sharding.num_shards or 1) > 1]
    if not cut or len({dataset.sharding.shard_id for dataset in cut}) > 1:
        return None
    whole = [dataset for dataset in run_data.datasets_of("train") if (dataset.sharding.num_shards or 1) <= 1]
    first, sharding = cut[0], cut[0].sharding
    says = Text(
        "只有一个设备在训练，训练集却只送出第 {id} 片（共 {n} 片）：其余 {share} 的数据没有进入训练",
        "One device trains, yet its training set delivers shard {id} of {n} only: {share} of the data never reach the training",
        id=sharding.shard_id,
        n=sharding.num_shards,
        share=f"{100 * (1 - 1 / sharding.num_shards):.0f} %",
    )
    advice = Text(
        "单设备训练时去掉 num_shards 与 shard_id，或从 get_group_size()、get_rank() 取值；若有意只用一部分数据，请在报告中说明。",
        "Leave num_shards and shard_id out on one device, or take them from get_group_size() and get_rank(); if a part of the "
        "data is intended, say so in the report.",
    )
    shown = [
        pipeline_table(first),
        run_data.code(first_place(first), Text("数据集的创建", "Where the data set is created")),
    ]
    if whole:
        return undecided(Text("{says}。", "{says}.", says=says), advice, shown, [first_place(first)])
    return problem(Text("{says}。", "{says}.", says=says), advice, shown, [first_place(first)])


def judge_shards(run_data: RunData) -> Finding:
    """The finding on a run of several ranks."""
    shards = training_sets(run_data)
    listings = unsorted_listings(run_data)
    shown = [_table(shards), rank_notes(run_data, "steps")]
    if not shards:
        return missing("训练数据集", "training data set")
    shown.append(pipeline_table(shards[0].dataset))
    if len(shards) < 2:
        return undecided(
            Text(
                "{n} 个设备中只有 rank {ranks} 留下了训练数据的记录。",
                "Of {n} devices only rank {ranks} left a record of its training data.",
                n=run_data.run.rank_size,
                ranks=listed(shard.rank for shard in shards),
            ),
            Text(
                "让所有 rank 都在 `msprec run` 下运行，并写到同一个目录。",
                "Run all ranks with `msprec run`, into one folder.",
            ),
            shown,
            [first_place(shards[0].dataset)],
        )
    wrong = _wrong_numbers(run_data, shards)
    if wrong is not None and not _is_sliced(run_data):
        return problem(wrong, _ADVICE, shown, [first_place(shard.dataset) for shard in shards])
    if listings and _divides(run_data, shards):
        places = [where for where, _ in listings]
        return problem(
            Text(
                "文件列表未排序就按位置切分（{calls}）：各节点列出的顺序可能不同，有的文件会被重复读取，有的从不读取。",
                "Files are divided by their position in a list that is not sorted ({calls}): nodes may list "
                "them in different orders, and "
                "then some are read twice and others never.",
                calls=listed(name for _, name in listings),
            ),
            _ADVICE,
            [*shown, run_data.code_at(places, Text("未排序的列表", "The list that is not sorted"), "script")],
            places,
        )
    return _compared(run_data, shards, shown)


def divided(run_data: RunData) -> bool:
    """Whether each rank was given other samples than the next, of sets of one kind."""
    shards = training_sets(run_data)
    sketches = [one.sketch for one in shards if one.sketch]
    pairs = [overlap(one, other) for one, other in zip(sketches, sketches[1:])]
    return len(shards) > 1 and len(sketches) == len(shards) and all(share == 0 for share in pairs)


def training_sets(run_data: RunData) -> list:
    """The largest training set of each rank, as `Shard`."""
    found = []
    for rank in run_data.ranks:
        sets = [one for one in run_data.file("datasets", DATASETS, rank).datasets if one.role == "train"]
        if sets:
            found.append(Shard(rank, max(sets, key=lambda one: one.samples or 0)))
    return found


def _is_sliced(run_data: RunData) -> bool:
    return run_data.run.parallel.mode in SLICED


def _wrong_numbers(run_data: RunData, shards: list) -> Optional[Text]:
    """What is wrong with num_shards and shard_id themselves, or None."""
    declared = [shard.declared for shard in shards if shard.declared[0]]
    if not declared:
        return None
    size, numbers = run_data.run.rank_size, sorted({number for number, _ in declared})
    ids = [identity for _, identity in declared]
    if len(declared) < len(shards) or len(numbers) > 1:
        return Text(
            "各 rank 的 num_shards 不同（{values}）：分片对不上。",
            "The ranks disagree on num_shards ({values}): their shards do not fit together.",
            values=listed(f"rank {shard.rank}: {shard.declared[0]}" for shard in shards),
        )
    if len(shards) == size and len(set(ids)) < len(ids):
        return Text(
            "{n} 个 rank 的 shard_id 有重复（{ids}）：它们读取同一个分片，其余分片没有人读取。",
            "The shard_id of the {n} ranks are not distinct ({ids}): several read the same shard, and others are read by none.",
            n=len(ids),
            ids=listed(f"rank {shard.rank}: {shard.declared[1]}" for shard in shards),
        )
    if size and len(shards) == size and numbers[0] > size:
        return Text(
            "num_shards={number}，而只有 {size} 个 rank：{rest} 个分片从未被读取。",
            "num_shards={number} for {size} ranks: {rest} of the shards are read by none.",
            number=numbers[0],
            size=size,
            rest=numbers[0] - size,
        )
    return None


def _divides(run_data: RunData, shards: list) -> bool:
    """Whether the data are divided at all: by the data set, or by hand with the rank."""
    return any(shard.declared[0] for shard in shards) or bool(_divided_by_hand(run_data))


# --- what arrived --------------------------------------------------------------------------------------------------


def overlap(a: Fact, b: Fact) -> Optional[float]:
    """Share of the smaller set that both hold, from their sketches; None where they say too little."""
    mine, theirs = ({key for key in one.keys if key} for one in (a, b))
    if not mine or not theirs:
        return None
    ends = [max(keys) for keys, one in ((mine, a), (theirs, b)) if not one.whole]
    if ends:
        mine, theirs = ({key for key in keys if key <= min(ends)} for keys in (mine, theirs))
    least = min(len(mine), len(theirs))
    return len(mine & theirs) / least if least >= 8 else None


def _compared(run_data: RunData, shards: list, shown: list) -> Finding:
    shares = {
        (a.rank, b.rank): overlap(a.sketch, b.sketch)
        for number, a in enumerate(shards)
        for b in shards[number + 1 :]
        if a.sketch and b.sketch
    }
    known = {pair: share for pair, share in shares.items() if share is not None}
    places = [first_place(shards[0].dataset)]
    if not known:
        return _unknown(shown, places)
    pair, largest = max(known.items(), key=lambda entry: entry[1])
    shown = [_overlap_table(known), *shown]
    if largest > run_data.limit("dp.05.overlap"):
        return _overlapping(run_data, shards, pair, largest, shown, places)
    if not all(_told_apart(shard.dataset) for shard in shards):
        if all(shard.declared[0] == run_data.run.rank_size for shard in shards):
            return ok(
                Text(
                    "num_shards 与 shard_id 正确：{n} 个 rank 各读一个分片。",
                    "num_shards and shard_id are right: each of {n} ranks reads a shard of its own.",
                    n=len(shards),
                ),
                shown,
                places,
            )
        return _unknown(shown, places)
    return _disjoint(run_data, shards, shown, places)


def _overlapping(run_data: RunData, shards: list, pair: tuple, share: float, shown: list, places: list) -> Finding:
    says = Text(
        "rank {a} 与 rank {b} 第一遍的样本有 {share} 相同",
        "rank {a} and rank {b} were given the same samples in their first pass, to {share}",
        a=pair[0],
        b=pair[1],
        share=f"{100 * share:.3g} %",
    )
    if _is_sliced(run_data):
        return undecided(
            Text(
                "{says}；并行模式为 {mode}，各 rank 持有模型的一部分，数据相同可能正是所要的。",
                "{says}; but in the parallel mode {mode} each rank holds a part of the model, and the same "
                "data may be just what is intended.",
                says=says,
                mode=run_data.run.parallel.mode,
            ),
            Text(
                "核对 full_batch / dataset_strategy 与数据切分是否一致。",
                "Check that full_batch or dataset_strategy goes with the way the data are divided.",
            ),
            shown,
            places,
        )
    if not sums_over_ranks(run_data):
        return undecided(
            Text(
                "{says}；但没有看到各 rank 的梯度求和，它们可能各训练各的模型。",
                "{says}; but their gradients were not seen to be added up: they may train models of their own.",
                says=says,
            ),
            Text(
                "若各 rank 训练同一个模型，请按 rank 切分数据。",
                "Where the ranks train one model, divide the data by rank.",
            ),
            shown,
            places,
        )
    few = [shard for shard in shards if not _distinct(run_data, shard)]
    least = run_data.limit("dp.05.drawn")
    drawn = any((one.sketch.distinct or 0) < least * (one.sketch.samples or 0) for one in few)
    if drawn or (few and share < run_data.limit("dp.05.copies")):
        return undecided(
            Text(
                "{says}，但数据中本来就有许多相同的样本。",
                "{says}, but many samples of the data are alike anyway.",
                says=says,
            ),
            Text(
                "核对 num_shards、shard_id，或比较各 rank 的文件列表。",
                "Check num_shards and shard_id, or compare the lists of files of the ranks.",
            ),
            shown,
            places,
        )
    return problem(
        Text("各 rank 的数据没有分开：{says}。", "The data were not divided among the ranks: {says}.", says=says),
        _ADVICE,
        shown,
        [*places, *origins(run_data, shards[0].dataset)],
    )


def origins(run_data: RunData, dataset: Fact) -> list:
    """Where the function around a data set is called, where its widest column got its values, and what was called for them."""
    made = first_place(dataset)
    widest = max(dataset.columns, key=lambda one: math.prod(size or 1 for size in one.shape), default=None)
    arrays = array_origins(run_data, dataset, widest)[:3] if widest is not None else []
    return [
        *called_from(run_data, made),
        *arrays,
        *(one for where in arrays for one in made_for_calls(run_data, where)),
    ]


def _disjoint(run_data: RunData, shards: list, shown: list, places: list) -> Finding:
    """Nothing in common; and do the shards cover the set?"""
    total = sum(shard.sketch.samples or 0 for shard in shards)
    source = shards[0].dataset.pipeline[0].args.get("source_len") if shards[0].dataset.pipeline else None
    by_dataset = all(shard.declared[0] for shard in shards)
    if (
        by_dataset
        and isinstance(source, int)
        and len(shards) == run_data.run.rank_size
        and total < run_data.limit("dp.05.covered") * source
    ):
        steps = [step.op for step in shards[0].dataset.pipeline]
        if (
            not {"take", "skip", "filter"} & set(steps)
            and shards[0].dataset.order.passes[:1]
            and (shards[0].dataset.order.passes[0].complete and "drop_remainder" not in str(shards[0].dataset.pipeline))
        ):
            return problem(
                Text(
                    "各 rank 一遍共读取 {n} 个样本，而数据源有 {total} 个：有分片没有人读取。",
                    "In a pass the ranks read {n} samples together, but the source has {total}: part of it is read by none.",
                    n=total,
                    total=source,
                ),
                _ADVICE,
                shown,
                places,
            )
    return ok(
        Text(
            "{n} 个 rank 第一遍的样本互不相同（共 {total} 个）。",
            "The {n} ranks were given different samples in their first pass ({total} in all).",
            n=len(shards),
            total=total,
        ),
        shown,
        places,
    )


def _unknown(shown: list, places: list) -> Finding:
    return undecided(
        Text(
            "无法从送出的样本看出各 rank 的数据是否互不重叠。",
            "Whether the shards of the ranks are disjoint cannot be seen from the delivered samples.",
        ),
        Text(
            "确认每个 rank 的 num_shards、shard_id 正确，文件列表在切分前已排序；关闭随机增强后再运行一次。",
            "Check num_shards and shard_id of every rank, and that file lists are sorted before they are "
            "split; or run once without random "
            "augmentation.",
        ),
        shown,
        places,
    )


def _told_apart(dataset: Fact) -> bool:
    """Whether a sample looks the same wherever it is delivered: no random augmentation."""
    shares = [entry.common_share for entry in dataset.order.passes if entry.common_share is not None]
    full = dataset.sharding.num_shards is None
    if shares and full:
        return max(shares) > 0.5
    listed_operations = [step.args.get("operations") for step in dataset.pipeline]
    texts = [str(text) for one in listed_operations if isinstance(one, list) for text in one]
    return not any(_RANDOM.search(text) for text in texts)


def _distinct(run_data: RunData, shard: Shard) -> bool:
    seen = shard.sketch.samples or 0
    return bool(seen) and (shard.sketch.distinct or 0) >= run_data.limit("dp.05.distinct") * seen


# --- the source ----------------------------------------------------------------------------------------------------


def unsorted_listings(run_data: RunData) -> list:
    """(place, name of the call) of listings of folders whose order is used as it comes."""
    found = []
    for file, tree in run_data.source.trees.items():
        listings = [one for one in run_data.source.calls_to(file, _LISTINGS) if _lists(one[0])]
        sorted_names = names_sorted(tree) if listings else set()
        for call, parents in listings:
            if not _order_is_settled(call, parents, sorted_names) and not _lists_no_data(call, parents):
                found.append((place(file, call.lineno), ast.unparse(call.func)))
    return found


def _lists_no_data(call: ast.Call, parents: tuple) -> bool:
    """Whether what is listed are results, by the folder's name, or checkpoints, by the function's name or what it looks for."""
    if _NO_DATA.search(ast.unparse(call)):
        return True
    functions = [one for one in parents if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))]
    return any(_CHECKPOINTS.search(ast.unparse(one)) for one in functions[:1])


def _lists(call: ast.Call) -> bool:
    name = called_name(call)
    if name not in _LISTINGS:
        return False
    return name not in ("walk",) or root_name(call.func) == "os"


def names_sorted(tree: ast.Module) -> set:
    """Names that are sorted somewhere: ``x.sort()``, ``sorted(x)``."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and called_name(node) in _SORTS:
            if isinstance(node.func, ast.Attribute) and node.func.attr == "sort":
                names.add(ast.unparse(node.func.value))
            names |= {ast.unparse(argument) for argument in node.args[:1]}
    return names


def _order_is_settled(call: ast.Call, parents: tuple, sorted_names: set) -> bool:
    """Whether a sort stands around the listing, its result is sorted later, or nothing depends on its order."""
    for parent in parents:
        if isinstance(parent, ast.Call) and called_name(parent) in _ORDERLESS:
            return True
        if isinstance(parent, ast.Compare) and any(isinstance(op, (ast.In, ast.NotIn)) for op in parent.ops):
            return True
        if isinstance(parent, (ast.Assign, ast.AnnAssign)):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            return any(ast.unparse(target) in sorted_names for target in targets)
        if isinstance(parent, ast.For):
            return _collected_and_sorted(parent, sorted_names)
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return False
    return False


def _collected_and_sorted(loop: ast.For, sorted_names: set) -> bool:
    """A loop that only removes things, or that fills a list that is sorted afterwards."""
    calls = [node for node in ast.walk(loop) if isinstance(node, ast.Call)]
    filled = {
        ast.unparse(c.func.value)
        for c in calls
        if isinstance(c.func, ast.Attribute) and c.func.attr in ("append", "extend")
    }
    if filled:
        return filled <= sorted_names
    return not any(called_name(call) in ("load", "open", "imread", "read") for call in calls)


_RANK = re.compile(r"rank|shard|worker|local_id|node_id|device_id", re.IGNORECASE)


def _divided_by_hand(run_data: RunData) -> list:
    """Places where a list is cut by the rank: ``files[rank::size]``, ``i % size == rank``."""
    return [place(file, line) for file in run_data.source.trees for line in _cuts(run_data.source, file)]


def _cuts(source: Code, file: str) -> Iterator[int]:
    for node in source.nodes(file, ast.Subscript, ast.Compare):
        cut = isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and ast.unparse(node.slice)
        compared = isinstance(node, ast.Compare) and ast.unparse(node)
        if (cut and _RANK.search(cut)) or (compared and "%" in compared and _RANK.search(compared)):
            yield node.lineno


# --- evidence ------------------------------------------------------------------------------------------------------


def _table(shards: list):
    rows = [
        [
            s.rank,
            s.dataset.pipeline[0].op if s.dataset.pipeline else None,
            *s.declared,
            s.dataset.samples_per_pass,
            s.sketch.distinct,
            ", ".join(key for key in s.sketch.keys[:2] if key),
        ]
        for s in shards
    ]
    heads = [
        "rank",
        Text("来源", "source"),
        "num_shards",
        "shard_id",
        Text("每遍样本数", "samples a pass"),
        Text("其中互不相同", "of them distinct"),
        Text("指纹", "fingerprints"),
    ]
    return table(Text("分片", "Shards"), heads, rows)


def _overlap_table(known: dict):
    rows = [[a, b, share] for (a, b), share in sorted(known.items())]
    heads = ["rank", "rank", Text("共同样本占比", "share of samples in common")]
    return table(Text("两两之间共同的样本", "Samples in common, pair by pair"), heads, rows)
