"""An accuracy as the only score of unbalanced classes (ds.03)."""

import pytest
from building import Run, dataset, run_data

from msprec.checklists.ds.class_balance.accuracy_alone import accuracy_alone


@pytest.mark.parametrize(
    ("code", "counts", "line"),
    [
        ("print(accuracy_score(y, pred))", {"0": 950, "1": 50}, 1),
        ("model = Model(net, loss, opt, metrics={'acc'})", {"0": 950, "1": 50}, 1),
        ("print((pred == y).mean())", {"0": 950, "1": 50}, 1),
        ("print(accuracy_score(y, pred))\nprint(f1_score(y, pred))", {"0": 950, "1": 50}, None),
        ("print(accuracy_score(y, pred))", {"0": 550, "1": 450}, None),
        ("print(loss)", {"0": 950, "1": 50}, None),
        ("print(recall_score(y, pred, average='weighted'))", {"0": 860, "1": 140}, 1),
        ("print(f1_score(y, pred, average='micro'))", {"0": 860, "1": 140}, 1),
        ("print(recall_score(y, pred, average='macro'))", {"0": 860, "1": 140}, None),
        ("print(f1_score(y, pred, average='weighted'))", {"0": 860, "1": 140}, None),
        ("a = recall_score(y, p, average='weighted')\nprint(confusion_matrix(y, p))", {"0": 860, "1": 140}, None),
    ],
)
def test_scores(tmp_path, code, counts, line):
    made = run_data(tmp_path, Run(source={"train.py": code + "\n"}, datasets=[dataset(counts=counts)]))
    told = accuracy_alone(made, made.datasets[0])
    assert (told.locations[0]["line"] if told else None) == line
