"""dp.02: The pipelines of training beside those of evaluation and inference: their steps, what they deliver, and what the"""

from msprec.bilingual import Text
from msprec.checklists.common.findings import at, first_place, missing, no_training, pipeline_table, train_sets
from msprec.checklists.dp.preprocessing_consistency.left_out_step import left_out_step
from msprec.checklists.dp.preprocessing_consistency.never_scaled import never_scaled
from msprec.checklists.dp.preprocessing_consistency.not_scaled_back import not_scaled_back
from msprec.checklists.dp.preprocessing_consistency.own_numbering import own_numbering
from msprec.checklists.dp.preprocessing_consistency.own_statistics import own_statistics
from msprec.checklists.dp.preprocessing_consistency.preprocessing_consistency import judge_inputs, judge_pair
from msprec.checklists.dp.preprocessing_consistency.rebuilt_beside_raw import rebuilt_beside_raw
from msprec.checklists.dp.preprocessing_consistency.scaled_back import scaled_back, scaled_back_twice
from msprec.checklists.dp.preprocessing_consistency.scaled_twice import scaled_twice
from msprec.checklists.dp.preprocessing_consistency.static_pipelines import judge_scripts
from msprec.engine.finding import Finding, together, undecided, worst
from msprec.engine.item import item
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact


@item("dp.02")
def same_processing(run_data: RunData) -> Finding:
    """The pipelines of training beside those of evaluation and inference: their steps, what they deliver, and what the
    network is called with.

    Steps are brought to one form (values a·x + b channel by channel, layout, geometry, colour), so that ToTensor equals
    Rescale and HWC2CHW. Problem: a deterministic step that differs, a random one kept outside training (declared, or seen
    as data that change while the labels stay), values too far apart for anything but other processing (dp.02.shift,
    dp.02.ratio), pictures stretched or moved, channels reversed, a set standardised by its own statistics, a
    scaler that the code fits to it (dp.02.standardised), a vocabulary or encoder that the code makes anew of it, mean and
    deviation exchanged where predictions are brought back to the targets' unit, these brought back twice, or though the
    targets were never scaled. Values further apart than samples of one source should be (dp.02.near_shift, dp.02.near_ratio)
    are left open. Steps inside Python functions cannot be compared; there the delivered values decide. Nothing evaluated in
    the run: left open.

    Scripts named beside the run (``--also``) are read: the pipeline that each builds for evaluation or inference is held
    against the recorded one of training. There a difference is a problem only where both sides can be read and come from one
    kind of source; ok only where every step is known and equal.
    """
    if run_data.trains_nothing:
        return no_training()
    train = train_sets(run_data)
    others = run_data.datasets_of("eval", "predict")
    by_network = judge_inputs(run_data)
    settled = by_network is not None and by_network.conclusion == "ok"
    found = [judge_pair(run_data, _counterpart(train, other), other, settled) for other in others] if train else []
    processing = [*found, *filter(None, (by_network, own_statistics(run_data))), *judge_scripts(run_data, train)]
    apart = [
        one
        for one in (
            own_numbering(run_data),
            scaled_twice(run_data),
            left_out_step(run_data),
            rebuilt_beside_raw(run_data),
            scaled_back(run_data) or scaled_back_twice(run_data) or not_scaled_back(run_data) or never_scaled(run_data),
        )
        if one is not None
    ]
    if not processing and not apart:
        return _nothing_evaluated(run_data, train)
    return together([*([worst(processing)] if processing else []), *apart])


def _counterpart(train: list, other: Fact) -> Fact:
    """The training set with the columns of the other, else the first."""
    names = [column.name for column in other.columns]
    return next((one for one in train if [column.name for column in one.columns] == names), train[0])


def _nothing_evaluated(run_data: RunData, train: list) -> Finding:
    if not train and not run_data.trained:
        return missing("数据处理流程", "data pipeline")
    apart = [one for one in run_data.inputs if one.phase != "train" and one.place]
    told = Text(
        "本次运行中只有训练，没有评估或推理。", "The run trained only; nothing was evaluated or inferred in it."
    )
    if apart:
        told = Text(
            "网络在训练之外（{where}）被调用，但它的输入（如编号）没有可与训练比较的数值。",
            "The network was called outside training ({where}), with inputs that have no scale to compare, or another network's.",
            where=at(apart[0].place),
        )
    return undecided(
        told,
        Text(
            "在训练脚本中加入评估（如 Model.eval），用 `msprec run` 再运行；若评估或推理在另一脚本中，"
            "用 `--also 脚本` 指定它（只读取不运行）。",
            "Evaluate in the training script (such as Model.eval) and run it again with `msprec run`; where evaluation or "
            "inference is a script of its own, name it with `--also SCRIPT` (it is read, not run).",
        ),
        [pipeline_table(dataset) for dataset in train],
        [first_place(dataset) for dataset in train],
    )
