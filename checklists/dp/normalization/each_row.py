"""A table whose rows, not its columns, were standardised (dp.01)."""

from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.data.input_scale import feature_columns, is_picture
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: A standard deviation along the last axis.
_ALONG_ROWS = r"\bstd\(\s*(axis\s*=\s*)?-?1\b|\bstd\([^)]*,\s*(axis\s*=\s*)?-?1\b"
#: Fewest features of a table; how near a whole column of standardised rows lies to a mean of 0 and a deviation of 1.
_FEATURES, _NEAR = 4, 0.05


def each_row_by_itself(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    """A problem where a table of features has the mean 0 and the deviation 1 as a whole, while half of the features or more lie
    dp.01.level of their own deviations or more off 0, and the code takes a deviation along axis 1: what tells the samples apart
    is small beside what tells the features apart. None elsewhere, and of pictures and series, whose values are of one kind."""
    for column in feature_columns(dataset):
        means, stds = column.channels.mean or [], column.channels.std or []
        if column.kind != "float" or len(column.shape) != 1 or len(means) < _FEATURES or is_picture(column):
            continue
        if None in (column.mean, column.std) or abs(column.mean) > _NEAR or abs(column.std - 1) > _NEAR:
            continue
        level = run_data.limit("dp.01.level")
        off = sum(std > 0 and abs(mean) >= level * std for mean, std in zip(means, stds))
        places = run_data.find_lines(_ALONG_ROWS, 3) if 2 * off >= len(means) else []
        if places:
            return problem(
                Text(
                    "{column} 是按行（每个样本各自）标准化的：{n} 个特征中有 {off} 个离 0 有自身标准差的 {level} 倍以上，"
                    "样本之间的差别几乎看不出来。",
                    "The rows of {column} were standardised, each by itself, and not its columns: {off} of {n} features lie "
                    "{level} of their own standard deviations or more off 0, and hardly differ from sample to sample.",
                    column=column.name,
                    n=len(means),
                    off=off,
                    level=level,
                ),
                Text(
                    "按列标准化：用训练集的 mean(axis=0) 与 std(axis=0)，评估数据也用它们。",
                    "Standardise each column: with mean(axis=0) and std(axis=0) of the training data, for the evaluation too.",
                ),
                [run_data.code_at(places, Text("标准化之处", "Where it is standardised"))],
                places,
            )
    return None
