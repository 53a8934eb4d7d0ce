"""An accuracy as the only score of unbalanced classes (ds.03)."""

from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact

_ACCURACY = (
    r"\baccuracy_score\(|\bnn\.Accuracy\(|\bAccuracy\(|metrics\s*=.*['\"]acc(uracy)?['\"]"
    r"|\(\w*pred\w*\s*==\s*\w+\)\.(mean|sum)\("
)
_BY_CLASS = (
    r"(?i)f1|f_?beta|recall|precision|\bauc|roc_|balanced|confusion|kappa|matthews|mcc|classification_report|per_class"
)


def accuracy_alone(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    """A problem where classes of which one has ds.03.majority of all samples are scored by an accuracy and by nothing else: who
    always says that class has as much; None elsewhere."""
    counts = [count for count in dataset.label.counts.values() if count]
    lines = run_data.find_lines(_ACCURACY, 2)
    if len(counts) < 2 or not lines or run_data.find_lines(_BY_CLASS, 1):
        return None
    share = max(counts) / sum(counts)
    if share < run_data.limit("ds.03.majority"):
        return None
    return problem(
        Text(
            "{where} 只用准确率评估，而始终预测最多的那一类就有 {share}：它看不出少数类学没学到。",
            "{where} scores by the accuracy alone, and who always says the most frequent class has {share} already: it does not "
            "show whether the rare class is learnt.",
            where=at(lines[0]),
            share=percent(share),
        ),
        Text("用 F1、召回率或 AUC 评估。", "Score by F1, the recall of each class, or the area under the curve."),
        [run_data.code_at(lines, Text("评估之处", "Where it is scored"))],
        lines,
    )
