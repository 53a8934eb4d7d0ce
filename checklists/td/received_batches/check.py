"""td.05: What the pipeline delivered beside what the training step and the first layers received."""

from typing import Optional

from msprec.bilingual import Text, listed, percent
from msprec.checklists.common.data.input_scale import entering, feature_columns
from msprec.checklists.common.findings import (
    at,
    first_place,
    label_column,
    no_training,
    note,
    op_place,
    pipeline_table,
    plain_arrays,
    train_sets,
)
from msprec.checklists.common.probe_status import remedy, skipped
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.script.reordered_alone import reordered_alone
from msprec.checklists.common.training.simple_predictors import labels_by_chance
from msprec.checklists.td.outcome.assessment import assess
from msprec.checklists.td.received_batches.aliased_states import aliased_states
from msprec.checklists.td.received_batches.carried_states import carried_states
from msprec.checklists.td.received_batches.changed_in_place import changed_in_place
from msprec.checklists.td.received_batches.done_flags import inverted_ends, unread_ends
from msprec.checklists.td.received_batches.encoded_targets import encoded_targets
from msprec.checklists.td.received_batches.exchanged_parts import exchanged_parts
from msprec.checklists.td.received_batches.few_buckets import few_buckets
from msprec.checklists.td.received_batches.first_rows import first_rows_beside_drawn, plain_rows_beside_drawn
from msprec.checklists.td.received_batches.forward_returns import forward_returns
from msprec.checklists.td.received_batches.graph_rows import graph_rows
from msprec.checklists.td.received_batches.index_before_order import index_before_order
from msprec.checklists.td.received_batches.left_out_rows import left_out_rows
from msprec.checklists.td.received_batches.look_ahead import look_ahead
from msprec.checklists.td.received_batches.noisy_targets import noisy_targets
from msprec.checklists.td.received_batches.numbered_categories import numbered_categories
from msprec.checklists.td.received_batches.overlapping_slices import overlapping_slices
from msprec.checklists.td.received_batches.own_class_drawn import own_class_drawn
from msprec.checklists.td.received_batches.part_of_rows import part_of_rows
from msprec.checklists.td.received_batches.predicted_tokens import guessed_tokens_shown, targets_too_far_ahead
from msprec.checklists.td.received_batches.repeated_samples import repeated_samples
from msprec.checklists.td.received_batches.reshaped_arrays import reshaped_arrays
from msprec.checklists.td.received_batches.reshaped_pictures import reshaped_pictures
from msprec.checklists.td.received_batches.reshaped_series import reshaped_series
from msprec.checklists.td.received_batches.same_batch import same_batch
from msprec.checklists.td.received_batches.seen_targets import seen_targets
from msprec.checklists.td.received_batches.split_apart import split_apart
from msprec.checklists.td.received_batches.tables_by_place import tables_by_place
from msprec.checklists.td.received_batches.target_in_inputs import target_in_inputs
from msprec.checklists.td.received_batches.token_targets import targets_beside_tokens
from msprec.checklists.td.received_batches.trained_samples import trained_samples
from msprec.checklists.td.received_batches.transitions import crossed_parts
from msprec.checklists.td.received_batches.turned_classes import turned_classes
from msprec.checklists.td.received_batches.turned_targets import turned_targets
from msprec.checklists.td.received_batches.uncarried_returns import uncarried_returns
from msprec.checklists.td.received_batches.unknown_when_used import unknown_when_used
from msprec.checklists.td.received_batches.unread_actions import unread_actions
from msprec.checklists.td.received_batches.untrained_ids import untrained_ids
from msprec.checklists.td.received_batches.wrapped_ids import wrapped_ids
from msprec.checklists.td.received_batches.zero_discount import zero_discount
from msprec.checklists.td.received_batches.zipped_columns import zipped_columns
from msprec.engine.finding import Finding, ok, problem, together, undecided
from msprec.engine.item import item
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: What makes zeros of numbers below 1.
_WHOLE = (
    r"\.astype\(\s*[\"']?(np\.|numpy\.|ms\.|mnp\.)?u?int|[^/]//\s*\d|\bTypeCast\(\s*[\"']?(np\.|mstype\.|ms\.)?u?int"
)
#: What makes labels that go through the classes in turn.
_CYCLES = (
    r"(?i)\b(y|ys|y_\w+|\w*label\w*|\w*target\w*|\w*class\w*|kinds?)\s*=[^=].*"
    r"(\btile\(\s*((np|numpy)\.)?arange\(|\barange\(.*\)\s*%|\blist\(range\([^()]*\)\)\s*\*"
    r"|\[\s*(?P<number>\w+)\s*%.*\bfor\s+(?P=number)\s+in\s+range\()"
)
#: What puts labels into another order as they are given to a name of labels.
_SHUFFLED_LABELS = (
    r"(?i)\b(y|ys|y_\w+|\w+_ys?|\w*labels?\w*|\w*targets?\w*)\b[^=]*=[^=].*\.permutation\(\s*"
    r"(y|ys|y_\w+|\w+_ys?|\w*labels?\w*|\w*targets?\w*)\b(?!\.(shape|size))"
)
#: A column whose spread is at least this part of its size differs between samples.
_SPREAD = 1e-3


@item("td.05")
def received_batches(run_data: RunData) -> Finding:
    """What the pipeline delivered beside what the training step and the first layers received.

    Problem: the step received the rows of one column in another order than delivered, and those of another column not in that
    order, in every captured batch (labels that no longer belong to their inputs); a data set of labels that is zipped with
    one of inputs, of which one alone is shuffled; an array that is changed in place and kept without a copy; batches
    whose samples are all the same (td.05.alike); zeros in place
    of a column; the training set delivers one number throughout as its inputs; every layer was given the same for all samples
    although the delivered samples differ; what differs between samples is the same for all behind an operator inside the
    network, on the way to a layer; predictions of the next token that change with that very token, or targets that are not
    shifted against the tokens of a causal network, or are shifted more than once; targets that follow from the token beside
    theirs (td.05.beside), not learnt, where marks have moved the tokens alone (without marks: undecided); masks that fit
    their picture mirrored or turned in some samples; pictures turned at random that look like those of another class;
    a target that one column of the inputs holds; a column that tells the target and is constant where the network is used; a
    category encoded by the mean target of
    the rows themselves; ids that a type of one or two bytes wrapped round; a recurrent state
    that is kept from batch to batch of a shuffled training set; a reshape in the sources whose sizes are the array's own in
    another order, where its axes were to be exchanged; the flag of an episode's end taken for that of its going on, or never read
    where what follows is valued, or the next state never read, or the actions that were taken; a discount of 0; batches that
    begin at their number; a part of a kept transition that is taken out under the name of another; one batch
    in every step, of an iterator made anew for each; a series that a script of forecasts smooths about each value; a part of what
    is evaluated after training (td.05.leaked) that was trained on; rows looked for in an array before it was put into a new
    order; inputs and labels split by draws of their own; the first rows of predictions beside the targets of rows that were
    drawn; another class that is drawn and may be the
    label's own; the parts of a split that are taken under each other's names; or td.05.lost of the batches that were
    delivered between two training steps of a pass never met one; or nothing was learnt, nearest neighbours find the labels no
    oftener than shuffled labels (td.05.related), and the source shuffles one array alone, or lets labels go through the
    classes in turn (without such a line: undecided). Shapes that broadcast, (N, 1) against (N), are cg.04's.
    """
    if run_data.trains_nothing:
        return no_training()
    found = [one for one in (judge(run_data) for judge in _JUDGES) if one is not None]
    if found:
        return together(found)
    unrelated = _unrelated(run_data)
    if unrelated is not None:
        return unrelated
    received = run_data.probes.received
    if not received.batches:
        return undecided(
            Text(
                "训练步收到的 batch 没有与数据处理流程交付的比较：{why}。",
                "What the step received has not been compared with what the pipeline delivered: {why}.",
                why=_why(run_data),
            ),
            remedy(run_data, "received"),
        )
    broadcasts = run_data.probes.broadcasts
    return ok(
        Text(
            "比较了 {n} 个保留的 batch：训练步收到的就是流程交付的样本，各列的行仍然对应。",
            "{n} captured batches were compared: the step received the samples that the pipeline delivered, and the rows of the "
            "columns still belong to each other.",
            n=received.batches,
        ),
        [
            note("标签与预测的形状发生广播，见 cg.04。", "Labels and predictions broadcast: see cg.04.")
            if broadcasts
            else None
        ],
    )


def _why(run_data: RunData) -> Text:
    plain = run_data.has("probes") and not run_data.probes.skipped.get("received")
    return Text("没有数据集交付它们", "no data set delivered them") if plain else skipped(run_data, "received")


def _constant(run_data: RunData) -> Optional[Finding]:
    """All inputs of a training set hold one and the same number, ids of tokens too, and its labels do not."""
    for dataset in train_sets(run_data):
        label = label_column(dataset)
        if label is not None and label.min is not None and label.min == label.max:
            continue  # nothing is told of that either (ds.02)
        columns = entering(run_data, [one for one in feature_columns(dataset) if one.kind in ("float", "int")])
        ids = [one for one in dataset.columns if one is not label and one.kind == "int" and one.shape]
        if any(one.min != one.max for one in ids):
            continue
        columns = columns or ids
        known = [one for one in columns if None not in (one.min, one.max)]
        enough = (dataset.scanned.samples or 0) >= run_data.limit("td.05.samples")
        if known and len(known) == len(columns) and enough and all(one.min == one.max for one in known):
            return _all_constant(run_data, dataset, known)
    return None


def _all_constant(run_data: RunData, dataset: Fact, columns: list) -> Finding:
    zeros = all(one.max == 0 for one in columns)
    places = [*(run_data.find_lines(_WHOLE, 2) if zeros else []), *array_origins(run_data, dataset, columns[0])]
    places += [op_place(dataset, "map") or first_place(dataset)]
    return problem(
        Text(
            "训练集交付的输入 {names} 处处等于 {value}：{n} 个样本中没有任何可学的内容。",
            "The training set delivers {value} throughout as its inputs {names}: {n} samples with nothing to learn from.",
            names=listed(one.name for one in columns),
            value=columns[0].max,
            n=dataset.scanned.samples,
        ),
        Text(
            "逐个检查数据处理的操作：归一化之后转成整数（astype(np.uint8)）、整除、用错的掩码，或没有填入的数组。",
            "Go through the operations of the pipeline: a cast to integers after the scaling (astype(np.uint8)), a division of "
            "whole numbers, a wrong mask, an array that is never filled.",
        ),
        [pipeline_table(dataset), run_data.code_at(places, Text("数据处理", "The pipeline"))],
        [one for one in places if one],
    )


def _permuted(run_data: RunData) -> Optional[Finding]:
    received = run_data.probes.received
    always = [one for one in received.permuted if one.batches and one.batches == received.batches]
    if not always or received.batches < 2:
        return None
    one = always[0]
    return problem(
        Text(
            "训练步收到的 {rows} 的行与交付时的顺序不同，而 {against} 的行没有变（{n} 个 batch 都如此）：样本与标签不再对应。",
            "The step receives the rows of {rows} in another order than delivered and those of {against} as delivered, in all "
            "{n} batches: samples and labels no longer belong to each other.",
            rows=one.rows,
            against=one.against,
            n=one.batches,
        ),
        Text(
            "用同一个排列打乱所有列（x[perm]、y[perm]），或让 dataset.shuffle 打乱。",
            "Permute all columns with one permutation (x[perm], y[perm]), or let dataset.shuffle do it.",
        ),
        [],
        _places(run_data),
    )


def _zeroed(run_data: RunData) -> Optional[Finding]:
    names = run_data.probes.received.zeroed
    if not names:
        return None
    return problem(
        Text(
            "训练步收到的 {names} 全部为 0，而数据处理流程交付的不是。",
            "The step receives zeros for {names}, and the pipeline does not deliver zeros.",
            names=listed(names),
        ),
        Text(
            "检查从迭代器到训练步之间对它的处理：类型转换（astype(int)）、掩码、初始化为 0 而没有填入的数组。",
            "Look at what is done to it between the iterator and the step: casts (astype(int)), masks, an array of zeros that is "
            "never filled.",
        ),
        [],
        _places(run_data),
    )


def _emptied(run_data: RunData) -> Optional[Finding]:
    """Every layer is given the same for all samples, at the start and at the end, though the delivered samples differ."""
    moments = [one for one in run_data.probes.units.moments if one.moment in ("start", "end")]
    layers = [[one for one in moment.entries if one.kind == "layer"] for moment in moments]
    known = [one for held in layers for one in held]
    if len(moments) < 2 or not all(layers) or not all(one.input_alike for one in known):
        return None
    if (known[0].samples or 0) < 2 or not _differs(run_data):
        return None
    first = layers[-1][0]
    arrays = [one for one in train_sets(run_data) if plain_arrays(one) and one.columns]
    if any([one.samples for one in dataset.order.passes[:1]] == [1] for dataset in arrays):
        return None  # the training has one sample
    made = [place for one in arrays[:1] for place in array_origins(run_data, one, one.columns[0])[:2]]
    why = Text(
        "，而交付的样本各不相同：输入在到达网络的途中丢失或被清零",
        " although the delivered samples differ: the inputs are lost or zeroed on their way",
    )
    if arrays:  # what the step was called with is all that is known
        why = Text(
            "：训练循环所取的数组中各样本相同，或者输入在到达网络的途中丢失或被清零",
            ": the arrays that the loop takes them from hold one sample throughout, or the inputs are lost or zeroed on their "
            "way",
        )
    return problem(
        Text(
            "第一层 {name} 对所有样本得到同样的输入{why}。",
            "The first layer, {name}, is given the same for all samples{why}.",
            name=first.cell or first.operator,
            why=why,
        ),
        Text(
            "检查该层之前对输入的处理：类型转换、归一化、切片、乘以 0 的掩码。",
            "Look at what is done to the inputs before this layer: casts, normalisation, slices, a mask of zeros.",
        ),
        run_data.code_at([first.place, *made], Text("第一层的调用处", "Where the first layer is called")),
        [one for one in (first.place, first.created, *made) if one],
    )


_LEAVES_ONE = Text("结果对所有样本都相同", "gives the same for all of them")
_LEAVES_TWO = Text(
    "结果几乎只有两种：两个数的归一化只留下哪个更大",
    "gives nearly all of them one of two results: of two numbers a norm only leaves which is larger",
)


def _lost_inside(run_data: RunData) -> Optional[Finding]:
    """What differs between samples is the same for all of them behind an operator inside the network."""
    found = [one for one in run_data.probes.lost_inputs if one.place]
    if not found:
        return None
    made = {one.path: one.created for one in run_data.probes.graph.cells if one.created}
    places = [*(one.place for one in found), *(made[one.cell] for one in found if one.cell in made)]
    return problem(
        Text(
            "{operator}（{where}）的输入随样本不同，而{left}：这部分输入在到达后面的层之前丢失。",
            "{operator} at {where} is given what differs between samples and {left}: that part of the inputs is lost before the "
            "layers behind it.",
            left=_LEAVES_TWO if found[0].left == 2 else _LEAVES_ONE,
            operator=found[0].operator,
            where=at(found[0].place),
        ),
        Text(
            "检查该运算：整除（//）、转成整数、取整、clip 到同一个值，或只在一两个元素上的归一化。",
            "Look at that operation: a division of whole numbers (//), a cast to integers, rounding, clipping to one value, a "
            "norm over one number or two.",
        ),
        [run_data.code_at(places, Text("输入丢失之处", "Where the inputs are lost"))],
        places,
    )


def _unrelated_labels(run_data: RunData) -> Optional[Text]:
    control = run_data.probes.label_control
    if not labels_by_chance(run_data):
        return None
    return Text(
        "最近邻与样本标签相同的占 {agreement}，标签随机打乱后为 {shuffled}（{n} 个样本）",
        "the nearest neighbour has a sample's label in {agreement} of the cases, and in {shuffled} with shuffled labels ({n} "
        "samples)",
        agreement=percent(control.agreement),
        shuffled=percent(control.shuffled),
        n=control.samples,
    )


def _unrelated_targets(run_data: RunData) -> Optional[Text]:
    control = run_data.probes.target_control
    if control.explained is None or control.explained > run_data.limit("td.05.explained"):
        return None
    return Text(
        "线性回归与最近邻的均值都不能解释目标的方差（{n} 个留出的样本上最多 {share}）",
        "neither a linear regression nor the mean of nearest neighbours explains the targets' variance ({share} at most of {n} "
        "samples left out)",
        share=percent(max(0.0, control.explained)),
        n=control.samples,
    )


_HEART = Text(
    "；训练只背下了样本，验证精度不高于常数预测",
    "; what was learnt is by heart, and no better than a constant on validation",
)
_NEITHER = Text("；训练也什么都没有学到", "; the training learnt nothing either")


def _unrelated(run_data: RunData) -> Optional[Finding]:
    """Nearest neighbours find the labels no oftener than shuffled ones, or no simple predictor tells anything of the targets, and
    the code puts one array alone into another order in a training that did not learn, or nothing was learnt, or nothing but by
    heart."""
    outcome = run_data.once(assess)
    by_heart = outcome.state == "hardly" and outcome.reason == "validation"
    nothing = outcome.state == "nothing" and outcome.sure
    told = _unrelated_labels(run_data) or _unrelated_targets(run_data)
    reordered = run_data.once(reordered_alone) if told is not None and outcome.told != "learnt" else None
    if told is None or (reordered is None and not (nothing or by_heart)):
        return None
    places = [reordered.place] if reordered is not None else run_data.find_lines(_SHUFFLED_LABELS, 1)
    cycled = run_data.find_lines(_CYCLES, 2) if not places else []
    if cycled:
        return _in_turn(run_data, told, cycled)
    says = Text(
        "标签与输入没有关系：{told}{learnt}{at}。",
        "The labels have nothing to do with the inputs: {told}{learnt}{at}.",
        told=told,
        learnt=_HEART if by_heart else _NEITHER if nothing else Text("", ""),
        at=Text("；{where} 只打乱了其中一个数组", "; one array alone is shuffled at {where}", where=at(places[0]))
        if places
        else Text("", ""),
    )
    advice = Text(
        "用同一个排列打乱输入和标签（x[order]、y[order]），并核对读入时它们是否逐行对应。",
        "Shuffle inputs and labels by one permutation (x[order], y[order]), and check that their rows belong together where they "
        "are read.",
    )
    made = [one for one in map(first_place, train_sets(run_data)) if one]
    if places:
        return problem(says, advice, [run_data.code_at(places, Text("打乱之处", "Where it is shuffled"))], places)
    if by_heart:
        return problem(says, advice, [run_data.code_at(made, Text("数据的来处", "Where the data come from"))], made)
    return undecided(says, advice, [], made)


def _in_turn(run_data: RunData, told: Text, places: list) -> Finding:
    return problem(
        Text(
            "标签与输入没有关系：{told}；{where} 让标签按类别轮流取值，而输入并不是这样排列的。",
            "The labels have nothing to do with the inputs: {told}; {where} makes them go through the classes in turn, and the "
            "inputs do not lie in that order.",
            told=told,
            where=at(places[0]),
        ),
        Text(
            "输入按类别成块时用 np.repeat(np.arange(classes), n)，轮流时才用 np.tile。",
            "Where the inputs come class after class take np.repeat(np.arange(classes), n); np.tile is for inputs in turn.",
        ),
        [run_data.code_at(places, Text("标签的来处", "Where the labels are made"))],
        places,
    )


def _differs(run_data: RunData) -> bool:
    """Whether a column of the training set that is no label differs between samples."""
    columns = [c for dataset in train_sets(run_data) for c in dataset.columns if c.name != dataset.label.column]
    return any(c.std and c.std > _SPREAD * max(abs(c.min or 0.0), abs(c.max or 0.0)) for c in columns)


def _lost(run_data: RunData) -> Optional[Finding]:
    sets = [one for one in train_sets(run_data) if one.fed]
    if len(sets) != 1 or any(step.style == "model" for step in run_data.train_steps):
        return None
    dataset = sets[0]
    used = (dataset.fed or 0) + (dataset.passed_over or 0)
    if not dataset.passed_over or used < run_data.limit("td.05.batches") or dataset.other_calls:
        return None
    lost = dataset.passed_over / used
    if lost < run_data.limit("td.05.lost") or _several_pipelines(run_data, dataset):
        return None
    return problem(
        Text(
            "训练过程中交付了 {batches} 个 batch，其中 {over} 个没有用于训练：{share}在途中丢失。",
            "Of {batches} batches delivered while it trained, {over} met no training step: {share} are lost on the way.",
            batches=used,
            over=dataset.passed_over,
            share=percent(lost),
        ),
        Text(
            "检查循环：是否每步取了两次（next(iterator)），是否用 continue 跳过，是否只训练了条件成立的 batch。",
            "Look at the loop: is a batch taken twice a step (next(iterator)), are batches passed over by continue, or trained "
            "on under a condition only?",
        ),
        [],
        [place for place in (dataset.iterated_at, op_place(dataset, "batch")) if place],
    )


def _several_pipelines(run_data: RunData, dataset: Fact) -> bool:
    """Whether other data sets feed the same steps: then the last to deliver counts, and not this one."""
    return any(one is not dataset and one.batches for one in run_data.datasets_of("train", "unknown"))


def _places(run_data: RunData) -> list:
    steps = [step.place for step in run_data.train_steps if step.count]
    return [*(dataset.iterated_at for dataset in train_sets(run_data) if dataset.fed), *steps]


#: What is asked of any training, what is measured before what is read.
_JUDGES = (
    _constant,
    same_batch,
    zipped_columns,
    aliased_states,
    repeated_samples,
    inverted_ends,
    unread_ends,
    unread_actions,
    crossed_parts,
    zero_discount,
    forward_returns,
    uncarried_returns,
    overlapping_slices,
    _permuted,
    _zeroed,
    _emptied,
    _lost_inside,
    seen_targets,
    targets_too_far_ahead,
    guessed_tokens_shown,
    targets_beside_tokens,
    target_in_inputs,
    unknown_when_used,
    numbered_categories,
    encoded_targets,
    wrapped_ids,
    turned_targets,
    turned_classes,
    carried_states,
    _lost,
    reshaped_pictures,
    reshaped_series,
    reshaped_arrays,
    look_ahead,
    trained_samples,
    index_before_order,
    graph_rows,
    tables_by_place,
    split_apart,
    untrained_ids,
    few_buckets,
    left_out_rows,
    part_of_rows,
    noisy_targets,
    first_rows_beside_drawn,
    plain_rows_beside_drawn,
    own_class_drawn,
    changed_in_place,
    exchanged_parts,
)
