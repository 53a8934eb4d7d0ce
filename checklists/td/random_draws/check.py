"""td.06: Whether what is drawn at random changes from pass to pass, among workers, and from step to step."""

import re
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.findings import first_place, no_training, note, pipeline_table, train_sets
from msprec.checklists.common.training.generalization_gap import fell_to_nothing, overfits
from msprec.checklists.common.training.training_curves import validation_curves
from msprec.checklists.td.random_draws.equal_views import equal_views
from msprec.checklists.td.random_draws.fixed_masks import fixed_masks
from msprec.checklists.td.random_draws.same_generator import same_generator
from msprec.checklists.td.random_draws.seeded_each_epoch import seeded_each_epoch
from msprec.checklists.td.random_draws.stored_samples import varies_stored_samples
from msprec.engine.finding import Finding, not_applicable, ok, problem, together, undecided
from msprec.engine.item import item
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Transforms of MindSpore's that draw; with a probability of 0 they do nothing.
_RANDOM = re.compile(
    r"^(Random\w+|AutoAugment|RandAugment|TrivialAugmentWide|UniformAugment|CutOut|MixUp\w*|CutMix\w*)\("
)
_NEVER = re.compile(r"\bprob(ability)?=0(\.0*)?[,)]")
_WORKER_SEEDS = re.compile(r"mindspore\.set_seed|dataset\.config\.set_seed")


@item("td.06")
def random_draws(run_data: RunData) -> Finding:
    """Whether what is drawn at random changes from pass to pass, among workers, and from step to step.

    Problem: a pipeline augments at random, and every later pass delivers each sample in just the form of the first (where a
    generator is made anew for each sample, only beside overfitting, as it may be what the samples are made by, or from so few
    seeds that each sample comes td.06.again times in a pass); several worker processes of a GeneratorDataset draw from
    Python's or NumPy's shared generator without any seed of MindSpore's, so that each draws the same numbers (seen with
    MindSpore 2.7 to 2.10); compiled code draws from them, which happens once, when it is compiled; a cell draws a dropout
    mask once, when it is made; a class that is called for each sample makes its generator from one seed every time; two
    inputs that a network without dropout encodes are the same in every batch; or a loop seeds the generator anew with which
    it varies plain arrays, and all its passes are alike. Not judged: orders that are drawn, and other code that seeds by
    itself.
    """
    if run_data.trains_nothing:
        return no_training()
    found = [
        _compiled(run_data),
        _masked(run_data),
        equal_views(run_data),
        same_generator(run_data),
        *(rule(run_data, dataset) for dataset in train_sets(run_data) for rule in (_pipeline, seeded_each_epoch)),
    ]
    known = [one for one in found if one is not None]
    if not known:
        return not_applicable(
            Text(
                "数据处理流程和编译的代码中没有随机增强，也没有从 Python 或 NumPy 抽取随机数。",
                "Neither the data pipeline nor compiled code augments at random or draws from Python's or NumPy's generators.",
            )
        )
    return together(known)


def _compiled(run_data: RunData) -> Optional[Finding]:
    draws = [draw for step in run_data.train_steps if step.count for draw in step.compiled_draws]
    if not draws:
        return None
    return problem(
        Text(
            "编译执行的代码调用 {name}：随机数只在编译时抽取一次，之后每一步都相同。",
            "Compiled code calls {name}: it is drawn once, when the code is compiled, and is the same at every step.",
            name=draws[0].draws,
        ),
        Text(
            "改用 mindspore.ops 或 mindspore.mint 的随机算子（如 ops.dropout、ops.rand），或在编译的代码之外抽取并作为输入传入。",
            "Use random operators of mindspore.ops or mindspore.mint (ops.dropout, ops.rand), or draw outside and hand it in.",
        ),
        run_data.code_at([one.place for one in draws], Text("抽取处", "Where it is drawn")),
        [one.place for one in draws],
    )


def _masked(run_data: RunData) -> Optional[Finding]:
    found = fixed_masks(run_data)
    if not found:
        return None
    places = [one.place for one in found]
    return problem(
        Text(
            "dropout 掩码 {name} 只在创建 Cell 时抽取一次，每一步都相同：被置 0 的神经元从未参与训练。",
            "The dropout mask {name} is drawn once, when the cell is made, and is the same at every step: the units that it sets "
            "to zero are never trained.",
            name=found[0].name,
        ),
        Text(
            "使用 nn.Dropout，或在 construct 中用 ops.dropout、ops.rand 抽取掩码。",
            "Use nn.Dropout, or draw the mask in construct with ops.dropout or ops.rand.",
        ),
        run_data.code_at(places, Text("抽取处", "Where it is drawn")),
        places,
    )


def _pipeline(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    random = [step for step in dataset.pipeline if step.draws or _random_operations(step)]
    if not random:
        return _seeded_for_each(run_data, dataset)
    names = random[0].draws or _random_operations(random[0])[0].partition("(")[0]
    workers = _same_workers(run_data, random)
    if workers is not None:
        return workers
    shares = _shares(run_data, dataset)
    evidence = [pipeline_table(dataset), note("随机的步骤：{names}", "What is random: {names}", names=names)]
    if not shares:
        return undecided(
            Text(
                "数据处理流程随机增强（{names}），但没有记录到两遍完整的数据可以比较。",
                "The pipeline augments at random ({names}); no two whole passes were recorded that could be compared.",
                names=names,
            ),
            Text("用 `msprec run` 训练两个或更多 epoch。", "Train for two epochs or more with `msprec run`."),
            evidence,
        )
    if min(shares) < run_data.limit("td.06.repeated"):
        return ok(
            Text(
                "数据处理流程随机增强（{names}），各遍的样本不同（最多 {share} 与第一遍相同）。",
                "The pipeline augments at random ({names}), and its passes differ: at most {share} of a later pass is as in the "
                "first.",
                names=names,
                share=percent(max(shares)),
            ),
            evidence,
        )
    return problem(
        Text(
            "数据处理流程随机增强（{names}），但后面 {n} 遍的每个样本都与第一遍完全相同：增强没有变化。",
            "The pipeline augments at random ({names}), but in {n} later passes every sample is just as in the first: the "
            "augmentation repeats.",
            names=names,
            n=len(shares),
        ),
        Text(
            "在循环之前创建一次迭代器（create_tuple_iterator(num_epochs=epochs)），多进程时按 worker 进程和 epoch 设置种子；"
            "不要在每个 epoch 开始时重设同一个种子。",
            "Create one iterator before the loop (create_tuple_iterator(num_epochs=epochs)), seed by worker and epoch where "
            "several processes load, and set no seed anew in each epoch.",
        ),
        evidence,
        [random[0].place or first_place(dataset)],
    )


def _seeded_for_each(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    """A generator that is made anew for each sample, by its number alone, beside overfitting: the samples may as well be made by
    it, and are no augmentation then. Without an evaluation, training data learnt by heart speak of it where the code draws upon
    samples that it holds."""
    step = next((one for one in dataset.pipeline if one.seeds.what), None)
    shares = _shares(run_data, dataset)
    if step is None or not shares or min(shares) < run_data.limit("td.06.repeated"):
        return None
    evidence = [pipeline_table(dataset), run_data.code_at([step.seeds.place], Text("随机数", "The random numbers"))]
    if _few_seeds(run_data, dataset):
        return _repeated(dataset, step, evidence)
    by_heart = not validation_curves(run_data) and fell_to_nothing(run_data)
    if not overfits(run_data) and not (by_heart and varies_stored_samples(run_data, step.seeds.place)):
        return ok(
            Text(
                "每个样本的随机数由 {what} 按样本生成，各遍相同；没有过拟合，不构成问题。",
                "The random numbers of each sample come from a {what} of its own and are the same in every pass, which does no "
                "harm: the training does not overfit.",
                what=step.seeds.what,
            ),
            evidence,
            [step.seeds.place],
        )
    return problem(
        Text(
            "每个样本的随机数由 {what} 按样本重新生成：后面 {n} 遍的每个样本都与第一遍完全相同，增强"
            "没有变化，而网络已把它们记住（{why}）。",
            "A {what} is made anew for each sample: in {n} later passes every sample is just as in the first, so that the "
            "augmentation never changes, and the network has memorised them ({why}).",
            what=step.seeds.what,
            n=len(shares),
            why=Text("训练 loss 降到几乎为 0", "the training loss came down to next to nothing")
            if by_heart
            else Text("过拟合", "it overfits"),
        ),
        Text(
            "让种子也随 epoch 变化，或在整个训练中使用同一个随机数生成器。",
            "Let the seed change with the epoch as well, or draw from one generator all the training.",
        ),
        evidence,
        [step.seeds.place],
    )


def _few_seeds(run_data: RunData, dataset: Fact) -> bool:
    """Whether each sample comes td.06.again times in a pass or more, of samples with many values."""
    often = [one.expected_equal for one in _passes(run_data, dataset) if one.expected_equal is not None]
    many = any(one.kind == "float" and one.distinct is None for one in dataset.columns)
    return many and bool(often) and min(often) >= run_data.limit("td.06.again")


def _repeated(dataset: Fact, step: Fact, evidence: list) -> Finding:
    last = dataset.order.passes[-1]
    often = round(last.expected_equal or 0)
    return problem(
        Text(
            "每个样本的随机数由 {what} 重新生成，而种子只有少数几个：一遍 {n} 个样本中，同一个样本出现约 {often} 次，"
            "不同的只有约 {left} 个。",
            "A {what} is made anew for each sample from a few seeds: of {n} samples in a pass each comes about {often} times, "
            "and some {left} are different ones.",
            what=step.seeds.what,
            n=last.samples,
            often=often,
            left=round((last.samples or 0) / max(1, often)),
        ),
        Text(
            "让每个样本的种子各不相同（如 (seed, epoch, index)），或在整个训练中使用同一个随机数生成器。",
            "Give each sample a seed of its own, (seed, epoch, index), or draw from one generator all the training.",
        ),
        evidence,
        [step.seeds.place],
    )


def _shares(run_data: RunData, dataset: Fact) -> list:
    """Of each later pass the share of samples that the first delivered in the same form."""
    return [one.common_share for one in _passes(run_data, dataset) if one.common_share is not None]


def _passes(run_data: RunData, dataset: Fact) -> list:
    """The passes with td.06.samples samples or more."""
    return [one for one in dataset.order.passes if (one.samples or 0) >= run_data.limit("td.06.samples")]


def _random_operations(step: Fact) -> list:
    operations = step.args.get("operations")
    return [one for one in map(str, operations if isinstance(operations, list) else []) if _draws(one)]


def _draws(operation: str) -> bool:
    return bool(_RANDOM.match(operation)) and not _NEVER.search(operation)


def _same_workers(run_data: RunData, random: list) -> Optional[Finding]:
    """Several processes of a GeneratorDataset whose source draws from a shared generator that MindSpore did not seed."""
    seeded = any(_WORKER_SEEDS.search(one.function or "") for one in run_data.run.seeds)
    step = next((one for one in random if one.op == "GeneratorDataset" and one.draws), None)
    if step is None or seeded or (step.args.get("num_parallel_workers") or 1) < 2:
        return None
    if step.args.get("python_multiprocessing") is not True or run_data.find_lines(
        r"config\.set_seed\(|worker_init|get_worker"
    ):
        return None
    return problem(
        Text(
            "{workers} 个进程读取数据，数据源用 {draws} 抽取随机数，而没有设置 MindSpore 的种子：每个进程抽到同样的随机数。",
            "{workers} processes load the data, and the source draws with {draws} without a seed of MindSpore's: each process "
            "draws the same numbers.",
            workers=step.args.get("num_parallel_workers"),
            draws=step.draws,
        ),
        Text(
            "调用 mindspore.set_seed，让各进程的种子不同；或按 epoch 和样本序号创建生成器："
            "np.random.default_rng((seed, epoch, index))。",
            "Call mindspore.set_seed, which seeds each process differently; or make a generator by the epoch and the "
            "sample's number in the source: np.random.default_rng((seed, epoch, index)).",
        ),
        [],
        [step.place],
    )
