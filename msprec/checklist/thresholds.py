"""Every number that a conclusion hangs on, with where it comes from. Users set them by name; facts never hold them.

``GUIDE`` is MindSpore's guide for first location of accuracy problems; "ours" are this project's own choices.
"""

from collections.abc import Mapping
from typing import NamedTuple, Optional

from msprec.checklist.text import Text


class Threshold(NamedTuple):
    name: str
    value: float
    meaning: Text
    source: str


def _define(*rows) -> dict:
    return {name: Threshold(name, value, Text(zh, en), source) for name, value, zh, en, source in rows}


GUIDE = "guide"

DEFAULTS = _define(
    (
        "ds.01.min_samples",
        32,
        "判为“无问题”至少要看到的样本数（整轮看完则不限）",
        "samples to have seen before data count as clean, unless a whole pass was seen",
        "ours",
    ),
    (
        "ds.01.gap",
        3.0,
        "重复的远离值与其余取值的距离，以其余取值的范围为单位",
        "distance of a repeated outlying value from the rest, in widths of the rest",
        "ours: beyond any clipping",
    ),
    (
        "ds.01.code_gap",
        0.5,
        "常见缺失码（-999、9999 等）与其余取值的距离，以其余取值的范围为单位",
        "the same for a customary missing-value code such as -999 or 9999",
        "ours",
    ),
    ("ds.01.zero_gap", 1.0, "取值 0 视作缺失标记时与其余取值的距离", "the same for the value zero", "ours"),
    (
        "ds.01.zero_share",
        0.2,
        "取值 0 视作缺失标记时的最大占比（更多则视为稀疏特征）",
        "largest share of zeros taken for a missing-value mark (more is a sparse feature)",
        "ours",
    ),
    (
        "ds.01.doubtful_share",
        0.1,
        "与其余取值分开的重复极值至多占多少时，请人确认是否为缺失标记",
        "share up to which a repeated extreme value, apart from the rest, is left to a person as a possible mark",
        "ours",
    ),
    (
        "ds.01.share",
        0.001,
        "缺失标记或空字符串的最小占比",
        "least share of a missing-value mark or of empty strings",
        "ours",
    ),
    ("ds.01.count", 3, "缺失标记每轮最少出现次数", "least occurrences of a missing-value mark in a pass", "ours"),
    (
        "ds.01.distinct",
        10,
        "判断远离值时，其余取值至少有多少个不同值",
        "distinct values among the rest before an outlying one is judged",
        "ours: spares one-hot and coded columns",
    ),
    (
        "ds.02.contradictions",
        0.005,
        "输入完全相同而标签不同的样本占比，达到即为标签错误",
        "share of samples whose inputs are identical and whose labels are not, that means wrong labels",
        "ours: samples of many values do not coincide by chance",
    ),
    (
        "ds.02.elements",
        16,
        "判断上项时，每个样本至少应有的数值个数",
        "values a sample must have before identical inputs are taken for the same sample",
        "ours",
    ),
    (
        "ds.02.predicted",
        100,
        "用网络的预测判断标签至少需要的样本数",
        "samples predicted before the network's own view of the labels counts",
        "ours",
    ),
    (
        "ds.02.suspects",
        0.04,
        "网络有把握地认为标签错误的样本占比，达到即为标签有误",
        "share of samples whose label the trained network is sure is wrong",
        "ours: Northcutt et al. find 3.4 % on average in ten well-known test sets",
    ),
    (
        "ds.02.accuracy",
        0.97,
        "验证精度达到此值且训练 loss 很低时，认为标签错误很少",
        "validation accuracy from which, with a low training loss, few labels can be wrong",
        "ours",
    ),
    (
        "ds.02.loss",
        0.15,
        "同上，结尾的训练 loss（交叉熵）上限",
        "the same: the training loss (cross-entropy) at the end at most",
        "ours: 3 % of wrong labels, not memorised, cost about 0.13",
    ),
    (
        "ds.03.ratio",
        10.0,
        "最多类与最少类样本数之比",
        "samples of the largest class over those of the smallest",
        "ours: the customary order-of-magnitude rule",
    ),
    ("ds.03.few", 5, "一个类别最少应有的样本数", "samples a class must have at the least", "ours"),
    (
        "ds.03.per_class",
        50,
        "未看完整轮时，平均每类至少要看到的样本数",
        "samples a class on average before a part of a pass is judged",
        "ours",
    ),
    ("dp.01.max_abs", 10.0, "尺度正常的特征的最大绝对值", "largest absolute value that needs no second look", "ours"),
    (
        "dp.01.rms",
        5.0,
        "特征的均方根上限",
        "root mean square above which a feature is not on unit scale",
        "ours: standardised data has 1, pixels of 0–16 have about 8",
    ),
    (
        "dp.01.lone",
        10.0,
        "只有一个输入特征时，上面两个界限放宽的倍数",
        "times that these two limits are wider for a single feature, which is out of proportion with no other",
        "ours: a line is fitted well to values around ten, not to years or prices",
    ),
    (
        "dp.01.image_abs",
        50.0,
        "图像像素的最大绝对值",
        "largest absolute pixel value of an image",
        "ours: raw 0–255 pixels",
    ),
    (
        "dp.01.min_abs",
        0.1,
        "所有取值的绝对值都低于此值时，尺度过小",
        "all values below this: the scale is too small",
        "ours",
    ),
    (
        "dp.01.offset",
        20.0,
        "均值与标准差之比，每个特征或通道都达到时视为几乎是常数",
        "mean over standard deviation that, reached in every feature or channel, makes the input all but constant",
        "ours: standardised data has about 0, values from 0 to 1 about 1",
    ),
    (
        "dp.01.disparity",
        100.0,
        "同一输入中特征尺度之比",
        "ratio between the scales of features of one input",
        "ours: two orders of magnitude",
    ),
    (
        "dp.02.shift",
        2.0,
        "推理数据均值偏离训练数据的程度（以训练的标准差为单位），超过即为处理不同",
        "distance of the inference data's mean from training's, in training's standard deviations, that only other "
        "processing explains",
        "ours",
    ),
    (
        "dp.02.ratio",
        4.0,
        "推理与训练数据标准差之比，超过即为处理不同",
        "ratio of the standard deviations of inference and training data that only other processing explains",
        "ours",
    ),
    ("dp.02.near_shift", 0.6, "同上的均值偏离，超过即存疑", "the same distance, above which it is in doubt", "ours"),
    ("dp.02.near_ratio", 1.6, "同上的标准差之比，超过即存疑", "the same ratio, above which it is in doubt", "ours"),
    ("dp.03.repeated", 0.5, "与第一轮顺序相同的轮次占比", "share of passes in the very order of the first", "ours"),
    (
        "dp.03.equal",
        0.5,
        "与第一轮处于同一位置的样本占比",
        "share of samples in the same position as in the first pass",
        "ours",
    ),
    (
        "dp.03.dependence",
        0.3,
        "标签与位置的相关度（互信息/熵）",
        "dependence of the label on the position (mutual information over entropy)",
        "ours: 0 when mixed, near 1 when sorted",
    ),
    (
        "dp.03.weak_dependence",
        0.15,
        "同上，且相邻标签变化也偏少时",
        "the same where neighbours also change too seldom",
        "ours",
    ),
    (
        "dp.03.weak_changes",
        0.8,
        "相邻标签变化次数与随机顺序期望之比",
        "label changes between neighbours over those of a random order",
        "ours",
    ),
    ("dp.03.changes", 0.2, "同上，低于此值时视为按标签聚集", "the same, below which labels come in runs", "ours"),
    ("dp.03.min_samples", 64, "判断标签顺序至少需要的样本数", "samples before the order of labels is judged", "ours"),
    (
        "hp.01.min_steps",
        10,
        "判断 loss 走势至少需要的训练步数",
        "training steps before the course of the loss is judged",
        "ours",
    ),
    (
        "hp.01.converged",
        0.1,
        "没有范围测试时，loss 降到开头的这一比例以下，说明学习率合适",
        "share of its start that the loss has to fall to before a rate suits without a range test",
        "ours",
    ),
    (
        "hp.01.far_below",
        30.0,
        "loss 仍在下降时，学习率低于范围测试下界多少倍才判为过小",
        "how many times below the range test's lower bound a rate is too small though the loss falls",
        "ours",
    ),
    (
        "hp.01.fell_well",
        0.125,
        "训练使 loss 下降了开头的这一比例，学习率就不算过小",
        "share of its start that a run brings the loss down by whose rate is not too small",
        "ours",
    ),
    (
        "hp.01.outdone",
        0.25,
        "结尾的 loss 高出范围测试最低值多少（占测试总下降量的比例），即为不如范围测试",
        "how far above the range test's lowest loss, as a share of what the test gained, a run ends that is outdone by it",
        "ours",
    ),
    (
        "hp.01.outdone_steps",
        3.0,
        "训练步数至少为范围测试步数的多少倍，才与之比较",
        "how many times the steps of the range test a run has to have to be held beside it",
        "ours",
    ),
    (
        "hp.01.reference_ratio",
        2.0,
        "与标杆运行的学习率相差多少倍才可能据此判断",
        "factor between the learning rates of the run and of the reference run from which on it counts",
        "ours",
    ),
    (
        "hp.01.reference_gain",
        0.5,
        "结尾的 loss 比标杆运行高出其总下降量的这个比例，即为远远落后",
        "lag of the loss behind the reference run at the end, as a share of what that run gained, that is far behind",
        "ours",
    ),
    (
        "hp.02.rise",
        0.1,
        "验证 loss 从最低点到结尾的相对上升，达到即为训练过头",
        "relative rise of the validation loss from its lowest point to the end that means too many epochs",
        "ours",
    ),
    (
        "hp.02.drop",
        0.03,
        "验证精度从最高点到结尾的下降，达到即为训练过头",
        "fall of a validation score from its highest point to the end that means too many epochs",
        "ours",
    ),
    (
        "hp.02.before",
        0.75,
        "最好的一次评估早于训练的这一比例时，才判为训练过头",
        "share of the training before which the best evaluation must lie to mean too many epochs",
        "ours",
    ),
    (
        "hp.02.falling",
        0.08,
        "训练 loss 在最后五分之一中的相对下降，达到即为仍在快速下降",
        "relative fall of the training loss over the last fifth that is still steep",
        "ours",
    ),
    (
        "hp.02.share",
        0.04,
        "最后五分之一的下降占全程下降的比例，达到即为仍在快速下降",
        "share of the whole fall that lies in the last fifth and is still steep",
        "ours: an even fall would have 0.2",
    ),
    (
        "dp.04.contradicts",
        0.01,
        "与 mask 或长度列矛盾的元素（样本）占比，超过即为错误",
        "share of elements (or samples) that the mask (or the lengths) contradict",
        "ours",
    ),
    (
        "dp.04.inside",
        0.05,
        "补齐值同时作为真实值出现的样本占比，超过即为冲突",
        "share of samples in which the pad value is a real value too",
        "ours",
    ),
    (
        "dp.04.counted",
        0.1,
        "目标中补齐元素的占比，达到时 loss 应忽略它们",
        "share of padding among the targets from which on the loss should leave it out",
        "ours",
    ),
    (
        "dp.04.mixed",
        0.02,
        "补齐在另一侧的样本占比，超过即为两侧混用",
        "share of samples padded on the other side, above which the sides are mixed",
        "ours",
    ),
    (
        "dp.05.overlap",
        0.02,
        "两个 rank 之间重复样本的占比，超过即为分片重叠",
        "share of samples that two ranks have in common and that makes their shards overlap",
        "ours: the last samples may be dealt out twice to fill the batch",
    ),
    (
        "dp.05.distinct",
        0.98,
        "一个 rank 的样本中互不相同者的占比，低于此值时样本无法逐个辨认",
        "share of distinct samples on a rank, below which samples cannot be told from each other",
        "ours",
    ),
    ("hp.02.epochs", 5, "判断训练过少至少需要的轮数", "epochs before too few of them are judged", "ours"),
    ("hp.02.steps", 300, "轮数不够时，判断训练过少至少需要的步数", "or, with fewer epochs, this many steps", "ours"),
    ("hp.03.safe", 256, "全局 batch 的安全上限", "largest global batch of the safe range", GUIDE),
    (
        "hp.03.large",
        1024,
        "远超安全范围的全局 batch",
        "a global batch far above the safe range",
        "ours: four times the guide's largest",
    ),
    (
        "hp.03.few_updates",
        10,
        "每轮更新次数过少（batch 超出安全范围时）",
        "updates an epoch that are few above the safe range",
        "ours",
    ),
    (
        "hp.03.updates",
        50,
        "每轮更新次数偏少（batch 远超安全范围时）",
        "updates an epoch that are few far above the safe range",
        "ours",
    ),
    (
        "cg.02.min_updates",
        3,
        "判断权重是否未更新至少需要的更新次数",
        "updates before an unmoved weight is judged",
        "ours: beside a zero-initialised layer the first gradients are zero",
    ),
    (
        "cg.02.min_lr",
        1e-7,
        "低于此学习率时，权重不动不能说明冻结",
        "below this learning rate an unmoved weight proves nothing",
        "ours: float32 rounding",
    ),
    (
        "api.01.keep",
        0.5,
        "Dropout 的 keep_prob 低于此值时，视为把丢弃比例当作了保留比例",
        "a Dropout that keeps less than this was given the share to drop for the share to keep",
        "ours",
    ),
    (
        "api.01.drop",
        0.8,
        "Dropout 的 p 达到此值时，视为把保留比例当作了丢弃比例",
        "a Dropout that drops this much or more was given the share to keep for the share to drop",
        "ours",
    ),
    (
        "api.01.momentum",
        0.5,
        "BatchNorm 的 momentum 低于此值时，视为沿用了 PyTorch 的含义",
        "a BatchNorm momentum below this was meant in PyTorch's sense",
        "ours: MindSpore's 0.9 is PyTorch's 0.1",
    ),
    (
        "api.01.initial",
        6.0,
        "两次运行的初始权重的标准差或均值相差多少个标准误，才算另一种分布",
        "standard errors between the initial weights of two runs from which on they are another distribution",
        "ours: beyond any chance",
    ),
    (
        "wi.02.loaded",
        0.3,
        "视为“部分加载、新增输出层”至少要加载的参数占比",
        "share of the parameters that must be loaded before the rest counts as a new head",
        "ours",
    ),
    (
        "wi.02.head",
        2,
        "形状不同而未加载的 Cell 的最大个数（更多则视为另一种网络的权重）",
        "cells of another shape that may be left out; more are the weights of another network",
        "ours: a new head, and a new input layer",
    ),
    (
        "wi.02.equal",
        0.001,
        "与参考权重的统计量之差（以其取值范围为单位），不超过即为相同",
        "difference from the reference weight's statistics, in its range, up to which the two count as equal",
        "ours: rounding of float16",
    ),
    (
        "mp.01.returns",
        5,
        "尺度稳定后溢出次数超出增长次数的部分",
        "overflows after the scale has settled beyond its growths",
        "ours",
    ),
    (
        "mp.01.return_rate",
        0.01,
        "尺度稳定后溢出步的占比（超过时才判为反复溢出）",
        "share of the steps after the search that overflow, before they count as returning",
        "ours",
    ),
    (
        "mp.01.skipped",
        0.2,
        "尺度稳定后被跳过的更新占比",
        "share of updates skipped after the scale has settled",
        "ours",
    ),
    ("mp.01.tail", 5, "训练结尾连续溢出的步数", "steps in a row that overflow at the end of the run", "ours"),
    (
        "mp.01.search",
        0.5,
        "loss scale 初始搜索占全部训练步的比例",
        "share of the run that the scale's first search may take",
        "ours",
    ),
    (
        "mp.02.min_scale",
        2.0,
        "float16 训练的最小 loss scale",
        "least loss scale that helps float16 gradients",
        "ours: a scale of 1 scales nothing",
    ),
)


class UnknownThreshold(ValueError):
    """A threshold was set by a name that does not exist, or to something that is no number."""


def settle(chosen: Optional[Mapping] = None) -> dict:
    """The defaults with the user's values in place."""
    settled = dict(DEFAULTS)
    for name, value in (chosen or {}).items():
        if name not in settled:
            raise UnknownThreshold(f"there is no threshold {name!r}; known: {', '.join(sorted(DEFAULTS))}")
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
            raise UnknownThreshold(f"threshold {name!r} must be a number, not {value!r}")
        settled[name] = settled[name]._replace(value=value, source="user")
    return settled
