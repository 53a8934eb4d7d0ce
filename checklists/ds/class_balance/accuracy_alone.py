"""An accuracy as the only score of unbalanced classes (ds.03)."""

import ast
from typing import Optional

from msprec.bilingual import Text, percent
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name

_ACCURACY = (
    r"\baccuracy_score\(|\bnn\.Accuracy\(|\bAccuracy\(|metrics\s*=.*['\"]acc(uracy)?['\"]"
    r"|\(\w*pred\w*\s*==\s*\w+\)\.(mean|sum)\("
)
_BY_CLASS = (
    r"(?i)f1|f_?beta|recall|precision|\bauc|roc_|balanced|confusion|kappa|matthews|mcc|classification_report|per_class"
)
_SCORES = ("recall_score", "precision_score", "f1_score", "fbeta_score")
#: Calls that show the classes apart.
_APART = (
    *("balanced_accuracy_score", "classification_report", "confusion_matrix", "cohen_kappa_score", "matthews_corrcoef"),
    *("roc_auc_score", "average_precision_score", "Recall", "Precision", "F1", "Fbeta", "ConfusionMatrix", "ROC"),
)


def accuracy_alone(run_data: RunData, dataset: Fact) -> Optional[Finding]:
    """A problem where classes of which one has ds.03.majority of all samples are scored by an accuracy and by nothing else: who
    always says that class has as much; None elsewhere. A recall that is averaged by the samples of the classes, and any score of
    all samples together, is that accuracy by another name, whatever the share."""
    counts = [count for count in dataset.label.counts.values() if count]
    if len(counts) < 2:
        return None
    share, averaged = max(counts) / sum(counts), _averaged_by_samples(run_data)
    if averaged and share > 0.5:
        return _by_samples(run_data, averaged, share)
    lines = run_data.find_lines(_ACCURACY, 2)
    if share < run_data.limit("ds.03.majority") or not lines or run_data.find_lines(_BY_CLASS, 1):
        return None
    return _finding(
        run_data,
        lines,
        Text(
            "{where} 只用准确率评估，而始终预测最多的那一类就有 {share}：它看不出少数类学没学到。",
            "{where} scores by the accuracy alone, and who always says the most frequent class has {share} already: it does not "
            "show whether the rare class is learnt.",
            where=at(lines[0]),
            share=percent(share),
        ),
        Text("用 F1、召回率或 AUC 评估。", "Score by F1, the recall of each class, or the area under the curve."),
    )


def _averaged_by_samples(run_data: RunData) -> list:
    """The places of recalls that are averaged by the classes' samples, or of scores of all samples together, where nothing else
    that the script computes shows the classes apart."""
    found = []
    for file, call in run_data.source.calls_anywhere((*_SCORES, *_APART)):
        average = next((one.value for one in call.keywords if one.arg == "average"), None)
        how = average.value if isinstance(average, ast.Constant) else None
        if how != "micro" and not (how == "weighted" and called_name(call) == "recall_score"):
            return []
        found.append(place(file, call.lineno))
    return found


def _by_samples(run_data: RunData, places: list, share: float) -> Finding:
    return _finding(
        run_data,
        places,
        Text(
            "{where} 的得分按样本数平均，就是准确率：始终预测最多的那一类就有 {share}，看不出少数类学没学到。",
            "The score at {where} is averaged by the number of samples, which makes it the accuracy: who always says the most "
            "frequent class has {share} already, and whether the rare classes are learnt it does not show.",
            where=at(places[0]),
            share=percent(share),
        ),
        Text('用 average="macro"，让每一类同等计入。', 'Take average="macro", by which each class counts alike.'),
    )


def _finding(run_data: RunData, places: list, says: Text, advice: Text) -> Finding:
    return problem(says, advice, [run_data.code_at(places, Text("评估之处", "Where it is scored"))], places)
