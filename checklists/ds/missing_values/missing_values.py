"""What is missing in the delivered data, and what to say of it (ds.01)."""

import math

from msprec.bilingual import Joined, Text, english, percent
from msprec.checklists.common.data.missing_value_codes import codes_among_integers, doubtful_marks, missing_marks
from msprec.checklists.common.findings import (
    first_place,
    pipeline_table,
    role_of,
)
from msprec.checklists.common.script.array_origin import array_origins
from msprec.checklists.common.script.discarded_results import discarded
from msprec.engine.finding import Finding, ok, problem, table, undecided
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

#: Calls that give a table without what is missing, and leave the one that they are given as it is.
_FILLS = ("fillna", "dropna", "replace", "interpolate", "ffill", "bfill", "nan_to_num")


class Missing:
    """What is missing in one data set: rows of the table, sentences, places."""

    def __init__(self, run_data: RunData, dataset: Fact):
        self.dataset, self.only_nonfinite = dataset, True
        self.rows: list = []
        self.sentences: list[Text] = []
        for column in dataset.columns:
            self._nonfinite(column)
            self._marks(run_data, column)
            self._empty(run_data, column)

    def _row(self, column: Fact, what, number, share, first) -> None:
        self.rows.append([role_of(self.dataset), column.name, what, number, share, ", ".join(map(str, first[:10]))])

    def _nonfinite(self, column: Fact) -> None:
        bad = (column.nan or 0) + (column.inf or 0)
        if not bad:
            return
        what = Text("NaN/Inf", "NaN/Inf")
        self._row(column, what, bad, bad / column.elements if column.elements else None, _known(column.first_nonfinite))
        self.sentences.append(
            Text(
                "{role}的列 {column} 有 {bad} 个 NaN/Inf（{nan} 个 NaN、{inf} 个 Inf），涉及 {scanned} 个样本中的 {n} "
                "个{passes}",
                "{n} of {scanned} samples of the {role}{passes} hold {bad} NaN or infinite values in column {column} "
                "({nan} NaN, {inf} infinite)",
                role=role_of(self.dataset),
                column=column.name,
                bad=bad,
                nan=column.nan or 0,
                inf=column.inf or 0,
                scanned=self.dataset.scanned.samples,
                n=column.nonfinite_samples,
                passes=self._passes(),
            )
        )

    def _passes(self) -> Text:
        """Says so where the counts are those of several passes together."""
        size, seen = self.dataset.samples_per_pass, self.dataset.scanned.samples
        passes = round(seen / size) if size and seen else 1
        return Text("（{n} 遍合计）", ", {n} passes together,", n=passes) if passes > 1 else Text("", "")

    def _marks(self, run_data: RunData, column: Fact) -> None:
        if column.name == self.dataset.label.column and self.dataset.label.kind != "regression":
            return
        for mark in missing_marks(run_data, self.dataset, column):
            self._mark(column, mark.value, mark.count, mark.share, mark.feature, _known(mark.first_samples))
        if column.kind == "int":
            for value, count, share in codes_among_integers(run_data, column):
                self._mark(column, value, count, share, None, [])

    def _mark(self, column: Fact, value, count, share, feature, first) -> None:
        self.only_nonfinite = False
        where = column.name if feature is None else f"{column.name}[{feature}]"
        self._row(column, Text("值 {value}", "value {value}", value=value), count, share, first)
        self.sentences.append(
            Text(
                "{role}的 {where} 中有 {count} 个 {value}（{share}），远离其余取值，像是缺失标记",
                "{where} of the {role} holds {value} {count} times ({share}), far from all else: a mark for missing "
                "values",
                role=role_of(self.dataset),
                where=where,
                count=count,
                value=value,
                share=percent(share),
            )
        )

    def _empty(self, run_data: RunData, column: Fact) -> None:
        empty, total = column.empty_strings or 0, self.dataset.scanned.samples or 0
        if not empty or (total and empty / total < run_data.limit("ds.01.share")):
            return
        self.only_nonfinite = False
        self._row(column, Text("空字符串", "empty string"), empty, empty / total if total else None, [])
        self.sentences.append(
            Text(
                "{role}的列 {column} 有 {n} 个空字符串（共 {total} 个样本）",
                "{n} of {total} samples of the {role} have an empty text in column {column}",
                role=role_of(self.dataset),
                column=column.name,
                n=empty,
                total=total,
            )
        )


def _known(positions: list) -> list:
    return [position for position in positions if position is not None]


def _missing_table(reports: list):
    columns = [
        Text("数据集", "data set"),
        Text("列", "column"),
        Text("缺失形式", "kind"),
        Text("个数", "count"),
        Text("占比", "share"),
        Text("样本位置", "first samples"),
    ]
    return table(Text("缺失值", "Missing values"), columns, [row for report in reports for row in report.rows])


def missing_found(run_data: RunData, bad: list, treated: list) -> Finding:
    sentences = [sentence for report in bad for sentence in report.sentences]
    rest = (
        Text("；另有 {n} 处。", "; {n} more in the table.", n=len(sentences) - 2)
        if len(sentences) > 2
        else Text("。", ".")
    )
    summary = Joined([Joined(sentences[:2], zh="；", en="; "), rest], zh="", en="")
    places = [place for report in bad for place in _places(run_data, report)]
    return problem(
        summary,
        Text(
            "在数据处理中删除这些样本或填补缺失值（均值、中位数、单独的“缺失”类别），再重新训练；Inf 往往来自除零或对 "
            "0 取"
            "对数。",
            "Drop these samples or fill them in the pipeline (mean, median, a category of their own) and train again; "
            "infinities often come from a division by zero or a logarithm of zero.",
        ),
        [
            _missing_table(bad),
            [pipeline_table(report.dataset) for report in bad],
            run_data.code_at(places, Text("数据集的创建", "Where the data set is created")),
            run_data.code_at(
                treated,
                Text(
                    "代码中处理 NaN 之处（未能使结果有限）", "The code treats NaN here, yet not all results are finite"
                ),
                "script",
            ),
        ],
        places,
    )


def _places(run_data: RunData, report: Missing) -> list:
    """Where the set is created, the maps over its bad columns, which may compute what is not finite, and where they come from."""
    bad = {str(row[1]).partition("[")[0] for row in report.rows}
    maps = [
        step.place
        for step in report.dataset.pipeline
        if step.op == "map" and step.place and bad & set(_listed(step.args.get("input_columns")))
    ]
    columns = [column for column in report.dataset.columns if column.name in bad]
    origins = [place for column in columns[:2] for place in array_origins(run_data, report.dataset, column)]
    return [first_place(report.dataset), *maps, *origins, *discarded(run_data, _FILLS)]


def _listed(value) -> list:
    return [value] if isinstance(value, str) else value if isinstance(value, list) else []


def missing_treated(run_data: RunData, bad: list, treated: list) -> Finding:
    return ok(
        Text(
            "送入网络的数据含 NaN/Inf（{first}），但代码在送出之后对其作了处理，且全部 loss 与最终权重均为有限值。",
            "The delivered data hold NaN or infinity ({first}), but the code treats them after delivery, and every "
            "loss and final weight is finite.",
            first=bad[0].sentences[0],
        ),
        [_missing_table(bad), run_data.code_at(treated, Text("对 NaN 的处理", "Where NaN is treated"), "script")],
        treated,
    )


def missing_unused(bad: list) -> Finding:
    return undecided(
        Text(
            "被迭代的数据含缺失值（{first}），但没有看到它们进入训练。",
            "The iterated data hold missing values ({first}), but they were not seen to feed any training.",
            first=bad[0].sentences[0],
        ),
        Text(
            "确认这些值在进入网络之前是否已处理；或让脚本直接用该数据集训练后再运行。",
            "See whether they are treated before they reach the network, or train from that data set itself and run "
            "again.",
        ),
        [_missing_table(bad)],
        [first_place(report.dataset) for report in bad],
    )


def no_missing(run_data: RunData, datasets: list, reports: list) -> Finding:
    samples = sum(dataset.scanned.samples or 0 for dataset in datasets)
    whole = all(dataset.samples_per_pass for dataset in datasets)
    if not whole and samples < run_data.limit("ds.01.min_samples"):
        return undecided(
            Text(
                "只看到 {n} 个样本，其中没有缺失值。",
                "Only {n} samples were seen, none with a missing value.",
                n=samples,
            ),
            Text("完整运行至少一个 epoch 的训练。", "Run one whole epoch of the training."),
        )
    seen = Text("整遍数据", "whole passes") if whole else Text("一部分数据", "a part of the data")
    columns = sum(len(dataset.columns) for dataset in datasets)
    rows = [
        [
            role_of(dataset),
            column.name,
            column.dtype,
            column.elements,
            column.nan,
            column.inf,
            column.min,
            column.max,
            column.empty_strings,
        ]
        for dataset in datasets
        for column in dataset.columns
    ]
    heads = [
        Text("数据集", "data set"),
        Text("列", "column"),
        "dtype",
        Text("元素数", "elements"),
        "NaN",
        "Inf",
        Text("最小", "min"),
        Text("最大", "max"),
        Text("空字符串", "empty strings"),
    ]
    doubtful = [
        (dataset, column, mark)
        for dataset in datasets
        for column in dataset.columns
        if column.name != dataset.label.column
        for mark in doubtful_marks(run_data, dataset, column)
    ]
    if doubtful:
        return _doubtful(doubtful, table(Text("各列概况", "The columns"), heads, rows), datasets)
    return ok(
        Text(
            "检查了 {n} 个样本（{seen}）的 {columns} 列，没有 NaN/Inf、缺失标记或空字符串。",
            "No NaN, infinity, missing-value mark or empty text in {columns} {noun} of {n} samples ({seen}).",
            n=samples,
            seen=seen,
            columns=columns,
            noun=english("column", columns),
        ),
        [table(Text("各列概况", "The columns"), heads, rows), _judged_harmless(datasets)],
    )


def _doubtful(marks: list, columns, datasets: list) -> Finding:
    dataset, column, mark = marks[0]
    others = Text("；另有 {n} 处", "; {n} more like it", n=len(marks) - 1) if len(marks) > 1 else Text("", "")
    return undecided(
        Text(
            "没有 NaN/Inf；但{role}的 {where} 中 {value} 出现 {count} 次（{share}），与其余取值（最近 {nearest}）分开，"
            "可能是缺失标记{others}。",
            "No NaN or infinity; but {where} of the {role} holds {value} {count} times ({share}), apart from all else (nearest: "
            "{nearest}), and may be a mark for missing values{others}.",
            role=role_of(dataset),
            where=column.name if mark.feature is None else f"{column.name}[{mark.feature}]",
            value=mark.value,
            count=mark.count,
            share=percent(mark.share),
            nearest=mark.nearest_other,
            others=others,
        ),
        Text(
            "查看这些样本在原始数据中的值（若已标准化，按均值与标准差换回）：若为 -1、0 一类的占位值，填补或删除；否则没有问题。",
            "Look these samples up in the raw data (before any standardisation): fill or drop a placeholder such as -1 or 0; "
            "a real value is fine.",
        ),
        [columns, _judged_harmless(datasets)],
        [first_place(dataset)],
    )


def _judged_harmless(datasets: list):
    rows = [
        [
            column.name if suspect.feature is None else f"{column.name}[{suspect.feature}]",
            suspect.value,
            suspect.count,
            suspect.share,
            suspect.others_low,
            suspect.others_high,
        ]
        for dataset in datasets
        for column in dataset.columns
        for suspect in column.suspects
    ]
    heads = [
        Text("列", "column"),
        Text("值", "value"),
        Text("次数", "count"),
        Text("占比", "share"),
        Text("其余最小", "others from"),
        Text("其余最大", "to"),
    ]
    title = Text("重复出现的极端值（判为正常取值）", "Repeated extreme values, judged to be ordinary ones")
    return table(title, heads, rows, most=20) if rows else None


def all_finite(run_data: RunData) -> bool:
    losses = run_data.steps().observed("loss")
    finals = [parameter.final.nonfinite for parameter in run_data.parameters if parameter.final]
    return len(losses) > 0 and all(map(math.isfinite, losses)) and not any(finals)
