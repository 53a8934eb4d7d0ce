"""Is the delivered order shuffled? The judgement on one training set's passes (dp.03)."""

import ast
import itertools
import re
from typing import Optional

from msprec.bilingual import Joined, Text, listed
from msprec.checklists.common.data.label_source import is_open
from msprec.checklists.common.findings import (
    at,
    callers_of,
    first_place,
    op_place,
    pipeline_table,
    plain_arrays,
    train_sets,
)
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.script.recurrent_state import carried_state
from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.checklists.common.training.constant_prediction import learnt_by
from msprec.checklists.common.training.generalization_gap import overfits
from msprec.checklists.common.training.training_curves import keeps_best
from msprec.checklists.dp.shuffling.discarded_order import discarded_order
from msprec.checklists.dp.shuffling.plain_order import plain_orders
from msprec.checklists.dp.shuffling.seeded_draw import drawn_anew
from msprec.engine.finding import Finding, not_applicable, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import target_names

SHUFFLE = Text(
    "创建数据集时设 shuffle=True，或在 batch 之前加 .shuffle(buffer_size)，buffer "
    "最好不小于数据集。若顺序本身有意义（如有状态的序列训练），请在报告中说明。",
    "Pass shuffle=True when creating the data set, or add .shuffle(buffer_size) before batch, with a buffer as large "
    "as the set. "
    "If the order itself carries meaning (stateful training on sequences), say so in the report.",
)
ARRAYS = Text(
    "每个 epoch 开始时重新打乱样本的下标（np.random.permutation），再按新的顺序取 batch。",
    "Draw a new order of the samples at the start of each epoch (np.random.permutation of their indices) and take the "
    "batches in it.",
)
ONE_ITERATOR = Text(
    "固定种子后，每个 epoch 新建的迭代器会给出相同的顺序：在循环外只建一个迭代器（create_tuple_iterator(num_epochs=N)），或改"
    "用 "
    "Model.train。",
    "Under a fixed seed each new iterator delivers the same order: create one iterator before the loop "
    "(create_tuple_iterator(num_epochs=N)) and go through it every epoch, or use Model.train.",
)

REPEATING_SAMPLER = Text(
    "这里的采样器在固定种子下每个 epoch 给出相同的顺序：改用 shuffle=True 或 .shuffle(buffer_size)，"
    "或在自定义采样器的 __iter__ 中按 epoch 重新打乱。",
    "Under the fixed seed this sampler gives the same order every epoch: use shuffle=True or .shuffle(buffer_size), or "
    "a sampler of your own whose __iter__ draws a new order each time.",
)

_SHUFFLE = ArgumentName(("shuffle",), 99)  # by its name alone, as data sets differ in its position
#: First samples that two passes have in common, over all pairs of passes: so many at least, and times what random orders bring.
_FIRST_SHARED, _BEYOND = 4, 4
#: What puts samples into a drawn order, or makes each by itself; noise on a series leaves them in the order of time.
_DRAWN = (
    r"(?i)permut|shuffl|train_test_split|\.sample\(|make_(classification|regression|blobs|moons|circles)"
    r"|^(np\.|numpy\.)?(random|rng)\.\w+\("
)


class Order:
    """One training set: what it declares, and what it delivered."""

    def __init__(self, run_data: RunData, dataset: Fact):
        self.run_data, self.dataset = run_data, dataset
        self.shuffle = dataset.shuffle
        self.passes = [entry for entry in dataset.order.passes if entry.samples]
        self.compared = [entry for entry in self.passes if entry.same_order_as_first is not None]
        self.sorted = [entry for entry in self.passes if self._by_label(entry)]

    def finding(self) -> Finding:
        if not self.passes:
            return undecided(
                Text("没有记录到数据的送出顺序。", "The order of the delivered data was not recorded."),
                Text("用 `msprec run` 完整运行至少两个 epoch 的训练。", "Run at least two epochs with `msprec run`."),
                self._evidence(),
            )
        if self._one_batch():
            return self._same_draw() or not_applicable(
                Text(
                    "每个 epoch 只有一个 batch，每步都用到全部样本，顺序不起作用。",
                    "Each pass is a single batch: every step sees all samples, so their order cannot matter.",
                ),
                self._evidence(),
            )
        return self._carried() or self._drawn_once() or self._mixed_once() or self._problem() or self._mixed()

    def _same_draw(self) -> Optional[Finding]:
        """Every step is given one batch, and the generator that draws it begins anew each time."""
        where = drawn_anew(self.run_data, self.dataset) if (self.dataset.passes or 0) > 2 else None
        if where is None:
            return None
        return problem(
            Text(
                "{steps} 步得到的都是同样的 {n} 个样本：抽取它们的随机数生成器每步都以同一个种子重新创建（{where}）。",
                "All {steps} steps were given the same {n} samples: the generator that draws them is made anew with one seed "
                "each time ({where}).",
                steps=self.dataset.passes,
                n=self.dataset.samples_per_pass or self.dataset.batch_size,
                where=at(where),
            ),
            Text(
                "在循环之外创建一次生成器（rng = np.random.default_rng(seed)），循环中只从它抽取。",
                "Make the generator once, before the loop (rng = np.random.default_rng(seed)), and only draw from it inside.",
            ),
            [*self._evidence(), *self.run_data.code_at([where], Text("种子", "The seed"))],
            [where],
        )

    def _carried(self) -> Optional[Finding]:
        """In order, with recurrent state carried from step to step: then the order is the point, and no shuffling a fault."""
        in_order = self._repeats() or self._mostly_equal()
        # of plain arrays the state is an argument like the others, and makes each sample look new
        if self.shuffle.declared or self.sorted or not (in_order or (plain_arrays(self.dataset) and not self.compared)):
            return None
        where = carried_state(self.run_data, self.dataset)
        if where is None:
            return None
        return ok(
            Text(
                "{where} 把状态从一步带到下一步：这样的训练需要样本保持顺序，不应混洗{seen}。",
                "The state is carried from step to step at {where}: such a training needs its samples in their order, and is "
                "not shuffled{seen}.",
                where=at(where),
                seen=Text("，各遍送出的顺序也相同", "; they do come in the same order in every pass")
                if in_order
                else Text("", ""),
            ),
            [*self._evidence(), *self.run_data.code_at([where], Text("状态的传递", "The state that is carried"))],
            [where],
        )

    def _drawn_once(self) -> Optional[Finding]:
        """One random order in every pass, as the shuffle of a new iterator draws it under a fixed seed, and no harm seen.

        Its batches are as mixed as those of a new order, and gradient descent converges at the same rate in it (Mishchenko,
        Khaled and Richtárik 2020, "Random Reshuffling: Simple Analysis with Vast Improvements", shuffle-once). What the
        guide fears of it is overfitting: beside that it is a problem, unless the script keeps the weights of its best epoch.
        """
        changed = self._mostly_equal() and (any(one.draws for one in self.dataset.pipeline) or self._changed_in_place())
        again = self._renewed() and (self._repeats() or changed)
        if not again or self.sorted or self._buffer_too_small():
            return None
        overfitted = overfits(self.run_data)
        if overfitted and not keeps_best(self.run_data):
            return None
        return ok(
            Text(
                "已启用混洗（{means}），顺序是随机的{mixed}；但{each}，固定种子下都得到这同一个顺序（第一遍之后"
                "的 {n} 遍中有 {same} 遍）。{harm}；在循环外只建一个迭代器"
                "（create_tuple_iterator(num_epochs=N)），每个 epoch 就会换新的顺序。",
                "Shuffling is on ({means}) and the order is random{mixed}; but {each} makes a new iterator, which under a "
                "fixed seed draws this same order again ({same} of {n} later passes). {harm}; one iterator for all epochs "
                "(create_tuple_iterator(num_epochs=N)) gives each a new order.",
                each=self._each_iterator(),
                harm=Text("脚本保留最好的权重", "The script keeps its best weights")
                if overfitted
                else Text("没有看到由此造成的过拟合", "No overfitting is seen that would follow from it"),
                means=listed(self.shuffle.means) if self.shuffle.means else None,
                mixed=self._label_words(),
                n=len(self.compared),
                same=self._same() if self._repeats() else len(self.compared),
            ),
            self._evidence(),
            self._places(True),
        )

    def _mixed_once(self) -> Optional[Finding]:
        """The same of an order that nothing shuffles and that is mixed as it comes, or from which dp.03.solved of a constant
        prediction's loss was learnt all the same: whether it costs anything, a run does not show."""
        mixed = self._comes_mixed()
        harmless = mixed or learnt_by(self.run_data, "dp.03.solved")
        once = self._repeats() and not self.shuffle.declared and not self.sorted and harmless
        if not once or overfits(self.run_data) or self.run_data.once(discarded_order):
            return None
        return undecided(
            Text(
                "没有混洗：第一遍之后的 {n} 遍中有 {same} 遍与第一遍顺序完全相同。但{but}，也没有看到"
                "由此造成的过拟合：它对精度的影响可能很小。",
                "Nothing is shuffled: {same} of {n} later passes deliver the samples in exactly the order of the first. But "
                "{but}, and no overfitting is seen that would follow from it: it may cost little.",
                n=len(self.compared),
                same=self._same(),
                but=Text("这个顺序本身是混合的{mixed}", "that order is a mixed one{mixed}", mixed=self._label_words())
                if mixed
                else Text("训练仍学到了几乎全部", "the training learnt nearly all there is"),
            ),
            Text(
                "{advice}再训练一次，比较精度。",
                "{advice} Train once more so, and compare the accuracy.",
                advice=self._advice(),
            ),
            self._evidence(),
            self._places(),
        )

    def _changed_in_place(self) -> bool:
        """Whether all samples that come again stand where they stood: the others are changed at random, in the same order."""
        known = [one for one in self.compared if one.compared_samples and one.common_share is not None]
        apart = [one.common_share - (one.equal_samples or 0) / one.compared_samples for one in known]
        return bool(apart) and max(map(abs, apart)) < 0.01

    def _comes_mixed(self) -> bool:
        """Whether labels were seen to change as in a random order, or, where no classes tell, the code draws the samples or
        their order at random."""
        told = [entry for entry in self.passes if entry.label_changes is not None and entry.expected_changes]
        if told:
            limit = self.run_data.limit("dp.03.weak_changes")
            return all(entry.label_changes > limit * entry.expected_changes for entry in told)
        columns = self.dataset.columns
        origins = array_origins(self.run_data, self.dataset, columns[0]) if columns else []
        return any(map(self._drawn, origins))

    def _drawn(self, origin: Fact) -> bool:
        """Whether a statement draws something, or what it reads was drawn: ``order = rng.permutation(n)``, ``x = x[order]``."""
        source = self.run_data.source
        here = source.nodes_at(origin.file, origin.line, ast.Assign)
        read = {name for one in here for name in target_names(one.value)}
        statements = source.nodes(origin.file, ast.Assign)
        made = [one for one in statements if any(read & set(target_names(target)) for target in one.targets)]
        return any(re.search(_DRAWN, ast.unparse(one.value)) for one in [*here, *made])

    def _renewed(self) -> bool:
        """Whether a declared shuffle began anew in each pass, or in each that has the order of the first: the first pass of a new
        iterator, as each `Model.train` makes one."""
        if not self.shuffle.declared:
            return False
        first: dict = {}
        for entry in self.passes:
            first.setdefault(entry.iterator, entry)
        again = [entry for entry in self.compared if entry.same_order_as_first]
        anew = bool(again) and all(entry.iterator and first[entry.iterator] is entry for entry in again)
        return bool(self.dataset.order.new_iterator_each_pass or anew)

    def _each_iterator(self) -> Text:
        if self.dataset.order.new_iterator_each_pass:
            return Text("每个 epoch 都新建迭代器", "each epoch")
        return Text("每次调用 Model.train 都新建迭代器", "each call of Model.train")

    def _same(self) -> int:
        return sum(1 for entry in self.compared if entry.same_order_as_first)

    def _problem(self):
        if self._repeats():
            return self._repeated()
        if self.by_label():
            return self._sorted()
        if self._buffer_too_small():
            return self._small_buffer()
        if self._mostly_equal():
            return self._little_mixed()
        return None

    def _mixed(self) -> Finding:
        if self.compared:
            return ok(
                Text(
                    "记录到 {n} 遍数据：各遍的顺序与第一遍不同{mixed}。",
                    "{n} passes were seen: each differs in order from the first{mixed}.",
                    n=len(self.passes),
                    mixed=self._label_words(),
                ),
                self._evidence(),
            )
        if self.shuffle.declared and self.shuffle.means:
            return ok(
                Text(
                    "只看到一遍数据；已启用混洗（{means}）{mixed}。",
                    "One pass was seen; shuffling is on ({means}){mixed}.",
                    means=listed(self.shuffle.means) if self.shuffle.means else None,
                    mixed=self._label_words(),
                ),
                self._evidence(),
            )
        if plain_arrays(self.dataset) and not any(entry.complete for entry in self.passes):
            return self._never_again()
        state = (
            Text("没有启用混洗", "no shuffling is declared")
            if self.shuffle.declared is False
            else Text("是否混洗未知", "shuffling is unknown")
        )
        return undecided(
            Text(
                "只看到一遍数据，{state}{mixed}；无法知道下一遍的顺序是否不同。",
                "Only one pass was seen and {state}{mixed}: whether the next one differs is unknown.",
                state=state,
                mixed=self._label_words(),
            ),
            Text(
                "再多训练一个 epoch，比较两遍的顺序；若只训练一个 epoch，请确认数据源已预先打乱。",
                "Train a second epoch, so that the two orders can be compared; for a single epoch, make sure that the "
                "source is in random order.",
            ),
            self._evidence(),
            [first_place(self.dataset)],
        )

    def _never_again(self) -> Finding:
        """A loop over arrays in which no pass could be told from the next."""
        return undecided(
            Text(
                "训练循环直接送入数组；{n} 个样本中看不出从哪里开始第二遍（没有成批重复的样本）{mixed}。",
                "The training loop hands over arrays; in {n} samples nothing shows where a second pass would begin (no batch "
                "of samples came again){mixed}.",
                n=sum(entry.samples or 0 for entry in self.passes),
                mixed=self._label_words(),
            ),
            Text(
                "若样本每步新生成或有放回地抽取（仿真、强化学习），则无需混洗；否则训练第二个 epoch，"
                "并确认每个 epoch 重新打乱下标。",
                "Samples made anew or drawn with replacement at each step (a simulation, reinforcement learning) need no "
                "shuffling; else train a second epoch, and see that each draws a new order of the indices.",
            ),
            self._evidence(),
            [first_place(self.dataset)],
        )

    # judgements

    def _one_batch(self) -> bool:
        dataset = self.dataset
        if dataset.samples_per_pass and dataset.batch_size:
            return dataset.batch_size >= dataset.samples_per_pass
        return bool(
            dataset.batches and dataset.passes and dataset.samples_per_pass and dataset.batches == dataset.passes
        )

    def _repeats(self) -> bool:
        same = self._same()
        return bool(same) and same >= self.run_data.limit("dp.03.repeated") * len(self.compared)

    def _mostly_equal(self) -> bool:
        """Most samples stay where they were: a shuffle that hardly moves anything.

        What copies of one sample bring about in any order is taken off, of the samples and of those that stayed.
        """
        told = [(entry, (entry.compared_samples or 0) - (entry.expected_equal or 0.0)) for entry in self.compared]
        shares = [
            ((entry.equal_samples or 0) - (entry.expected_equal or 0.0)) / movable
            for entry, movable in told
            if movable >= self.run_data.limit("dp.03.min_samples")
        ]
        return bool(shares) and sum(shares) / len(shares) > self.run_data.limit("dp.03.equal")

    def by_label(self) -> bool:
        """Whether samples come grouped by label in half of the passes or more, of several batches each."""
        return bool(self.sorted) and 2 * len(self.sorted) >= len(self._judged()) and not self._one_batch()

    def _judged(self) -> list:
        return [
            entry
            for entry in self.passes
            if entry.label_changes is not None or entry.label_segment_dependence is not None
        ]

    def _by_label(self, entry: Fact) -> bool:
        """Does the label of a sample depend on its position in this pass?"""
        if self.dataset.label.kind not in ("class", "one_hot") or is_open(self.run_data, self.dataset):
            return False
        limit, dependence = self.run_data.limit, entry.label_segment_dependence or 0.0
        expected = entry.expected_changes or 0.0
        changes = entry.label_changes / expected if entry.label_changes is not None and expected > 0 else 1.0
        if self._small_groups(entry):
            return False
        if expected >= limit("dp.03.expected") and changes <= limit("dp.03.changes") and not self._is_pk():
            return True
        if (entry.samples or 0) < limit("dp.03.min_samples"):
            return False
        return dependence >= limit("dp.03.dependence") or (
            dependence >= limit("dp.03.weak_dependence") and changes <= limit("dp.03.weak_changes")
        )

    def _is_pk(self) -> bool:
        """PKSampler puts samples of one class together on purpose."""
        return any("PKSampler" in mean for mean in self.shuffle.means) or any(
            "PKSampler" in str(step.args.get("sampler", "")) for step in self.dataset.pipeline
        )

    def _small_groups(self, entry: Fact) -> bool:
        """Runs of one label so short that each batch holds several, in an order that depends on nothing.

        So are the batches of metric learning (P classes with K samples each) and the views of one sample.
        """
        batch, runs, chance = self.dataset.batch_size or 0, (entry.label_changes or 0) + 1, entry.random_runs_dependence
        seen = entry.labels_seen or entry.samples or 0  # the labels of a long pass are not all counted
        if chance is None or 2 * seen > runs * batch or self._in_blocks():
            return False
        return (entry.label_segment_dependence or 0.0) < chance + self.run_data.limit("dp.03.weak_dependence")

    def _in_blocks(self) -> bool:
        """Whether passes begin with samples of one small part of the data again and again: their first samples have far more in
        common than those of random orders of as many, and what is shuffled is each part by itself."""
        firsts = [(set(one.first_keys or ()), one.samples or 0) for one in self.passes]
        pairs = [
            (len(one & other), len(one) * len(other) / n)
            for (one, n), (other, _) in itertools.combinations(firsts, 2)
            if n
        ]
        shared, chance = sum(one for one, _ in pairs), sum(one for _, one in pairs)
        return shared >= _FIRST_SHARED and shared >= _BEYOND * chance

    def _buffer_too_small(self) -> bool:
        """The only shuffle is a buffer smaller than one batch: samples hardly leave the batch they came in."""
        buffer, batch = self.shuffle.buffer_size, self.dataset.batch_size
        only = all("buffer" in mean or mean.lower().startswith("shuffle") for mean in self.shuffle.means)
        operations = [step.op for step in self.dataset.pipeline]
        before = (
            "shuffle" in operations
            and "batch" in operations
            and operations.index("shuffle") < operations.index("batch")
        )
        if not (buffer and batch and only and before) or buffer >= batch:
            return False
        return (self.dataset.samples_per_pass or 0) >= self.run_data.limit("dp.03.batches") * batch

    # findings

    def _repeated(self) -> Finding:
        same, renewed = self._same(), self._renewed()
        why = (
            Text(
                "；虽然声明了混洗（{means}），但{each}，固定种子下顺序重复{harm}",
                "; shuffling is declared ({means}), but {each} makes a new iterator, which under a fixed seed "
                "starts the same order again{harm}",
                each=self._each_iterator(),
                harm=Text("，而且训练过拟合了", ", and the training overfits")
                if overfits(self.run_data)
                else Text("", ""),
                means=listed(self.shuffle.means) if self.shuffle.means else None,
            )
            if renewed
            else Text("", "")
        )
        unkept = self.run_data.once(discarded_order)
        if unkept:
            why = Text("；{at} 打乱的结果没有被使用", "; the order drawn at {at} is not kept", at=at(unkept[0]))
        return problem(
            Text(
                "第一遍之后的 {n} 遍中有 {same} 遍的样本顺序与第一遍完全相同{why}{grouped}。",
                "{same} of {n} later passes deliver the samples in exactly the order of the first{why}{grouped}.",
                grouped=Text("；而且样本按标签聚集", "; and samples come grouped by label")
                if self.sorted
                else Text("", ""),
                n=len(self.compared),
                same=same,
                why=why,
            ),
            ONE_ITERATOR if renewed else REPEATING_SAMPLER if self._by_sampler() else self._advice(),
            self._evidence(),
            self._places(renewed),
        )

    def _advice(self) -> Text:
        return ARRAYS if plain_arrays(self.dataset) else SHUFFLE

    def _by_sampler(self) -> bool:
        return bool(self.shuffle.declared) and any("Sampler" in means for means in self.shuffle.means)

    def _sorted(self) -> Finding:
        entry = self.sorted[0]
        return problem(
            Text(
                "样本按标签聚集：{n} 个样本中相邻标签只变化 {changes} 次（随机顺序期望 {expected} "
                "次），标签与位置的相关度 {dependence}{buffer}。",
                "Samples come grouped by label: in {n} samples the label changes {changes} times between neighbours ("
                "{expected} expected in a "
                "random order); dependence of label on position {dependence}{buffer}.",
                n=entry.labels_seen or entry.samples,
                changes=entry.label_changes,
                expected=entry.expected_changes,
                dependence=entry.label_segment_dependence,
                buffer=self._buffer_words(),
            ),
            self._advice(),
            self._evidence(),
            self._places(),
        )

    def _small_buffer(self) -> Finding:
        return problem(
            Text(
                "唯一的混洗缓冲区只有 {buffer} 个样本，小于一个 batch（{batch}）：样本几乎不会离开原来的 batch（每轮 "
                "{n} "
                "个样本）。",
                "The only shuffle has a buffer of {buffer} samples, less than one batch ({batch}): samples hardly "
                "leave their batch ({n} samples a pass).",
                buffer=self.shuffle.buffer_size,
                batch=self.dataset.batch_size,
                n=self.dataset.samples_per_pass,
            ),
            self._advice(),
            self._evidence(),
            self._places(),
        )

    def _little_mixed(self) -> Finding:
        entry = max(self.compared, key=lambda entry: (entry.equal_samples or 0) / (entry.compared_samples or 1))
        return problem(
            Text(
                "第 {number} 遍的 {n} 个样本中有 {same} 个与第一遍处于同一位置{chance}{buffer}。",
                "In pass {number}, {same} of {n} samples stand in the same position as in the first{chance}{buffer}.",
                chance=_chance(entry),
                number=getattr(entry, "pass"),
                n=entry.compared_samples,
                same=entry.equal_samples,
                buffer=self._buffer_words(),
            ),
            self._advice(),
            self._evidence(),
            self._places(),
        )

    def _buffer_words(self) -> Text:
        if not self.shuffle.buffer_size:
            return Text("", "")
        return Text("；混洗缓冲区为 {n}", "; the shuffle buffer holds {n}", n=self.shuffle.buffer_size)

    def _label_words(self) -> Text:
        known = [entry for entry in self.passes if entry.label_changes is not None and entry.expected_changes]
        if not known:
            return Text("", "")
        entry = known[-1]
        return Text(
            "，标签已混合（相邻变化 {changes} 次，随机期望 {expected} 次）",
            ", and labels are mixed ({changes} changes between neighbours, {expected} expected at random)",
            changes=entry.label_changes,
            expected=entry.expected_changes,
        )

    def _places(self, iterator: bool = False) -> list:
        shuffle = op_place(self.dataset, "shuffle")
        unkept, made = self.run_data.once(discarded_order), first_place(self.dataset)
        orders, taken = [], []
        if self._plain():
            orders = [one for where in (made, *callers_of(self.dataset)) for one in plain_orders(self.run_data, where)]
            taken = array_origins(self.run_data, self.dataset, self.dataset.columns[0])[:2]
        return [
            *unkept,
            self.dataset.iterated_at if iterator else None,
            shuffle,
            made,
            *orders,
            *self._handed_in(made),
            *taken,
        ]

    def _handed_in(self, made: Optional[Fact]) -> list:
        """Where ``shuffle`` is given its value, and where the function that makes the data set is called, where it is one of its
        arguments."""
        if made is None or not made.file or self.shuffle.declared:
            return []
        calls = self.run_data.source.nodes_at(made.file, made.line, ast.Call)
        given = [one.value for call in calls for one in call.keywords if one.arg == "shuffle"]
        named = [one for one in given if not isinstance(one, ast.Constant)]
        origins = argument_origin(self.run_data, made, _SHUFFLE) if named else []
        return [*origins, *(callers_of(self.dataset)[:1] if any(isinstance(one, ast.Name) for one in named) else [])]

    def _plain(self) -> bool:
        return plain_arrays(self.dataset) and bool(self.dataset.columns)

    def _evidence(self) -> list:
        rows = [
            [
                getattr(entry, "pass"),
                entry.samples,
                entry.complete,
                entry.same_order_as_first,
                entry.equal_samples,
                entry.compared_samples,
                entry.label_changes,
                entry.expected_changes,
                entry.label_segment_dependence,
            ]
            for entry in self.passes
        ]
        heads = [
            Text("第几遍", "pass"),
            Text("样本数", "samples"),
            Text("完整", "complete"),
            Text("与第一遍相同", "order of the first"),
            Text("同位置样本", "equal positions"),
            Text("比较数", "compared"),
            Text("相邻标签变化", "label changes"),
            Text("随机期望", "expected at random"),
            Text("标签-位置相关度", "label by position"),
        ]
        declared = Joined(
            [
                Text(
                    "声明混洗：{declared}；方式：{means}；缓冲区：{buffer}。",
                    "Shuffling declared: {declared}; means: {means}; buffer: {buffer}.",
                    declared=self.shuffle.declared,
                    means=listed(self.shuffle.means) if self.shuffle.means else None,
                    buffer=self.shuffle.buffer_size,
                )
            ]
        )
        return [
            table(Text("各遍的送出顺序", "Order of the passes as delivered"), heads, rows, declared) if rows else None,
            pipeline_table(self.dataset),
            self.run_data.code_at(
                [place for place in self._places(True) if place], Text("数据集与迭代", "The data set and its iteration")
            ),
        ]


def _chance(entry: Fact) -> Text:
    """What a random order would have brought about, where that is worth a word."""
    if (entry.expected_equal or 0.0) < 0.01 * (entry.compared_samples or 0) or entry.expected_equal is None:
        return Text("", "")
    return Text("（随机顺序约 {n} 个）", " (about {n} in a random order)", n=round(entry.expected_equal))


def grouped_by_label(run_data: RunData) -> bool:
    """Whether the samples of a training set come grouped by label in half of its passes or more."""
    return any(Order(run_data, dataset).by_label() for dataset in train_sets(run_data))
