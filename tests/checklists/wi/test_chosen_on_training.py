"""wi.02 where weights are chosen on the data that they were trained on."""

import pytest
from building import Run, run_data

from msprec.checklists.common.weights.chosen_on_training import chosen_on_training

CODE = """x_train, x_val, y_train, y_val = train_test_split(x, y)
{before}
best = np.inf
for epoch in range(9):
    step(x_train, y_train)
    score = evaluate({scored})
    if score < best:
        best = score
        {kept}
"""
KEPT = "weights = [p.asnumpy().copy() for p in net.get_parameters()]"


@pytest.mark.parametrize(
    ("before", "scored", "kept", "found"),
    [
        ("", "x_train, y_train", KEPT, True),
        ("x_val, y_val = scaled(x_val, y_val)", "net, x_train, y_train", KEPT, True),
        ("", "x_train, y_train", "ms.save_checkpoint(net, 'best.ckpt')", True),
        ("", "x_val, y_val", KEPT, False),
        ("print(evaluate(x_val, y_val))", "x_train, y_train", KEPT, False),  # somebody looks at them
        ("chosen_val = x_val[:9]\nprint(evaluate(chosen_val))", "x_train, y_train", KEPT, False),
        ("for pair in zip(x_val, y_val):\n    show(pair)", "x_train, y_train", KEPT, False),
        ("", "x_train, y_train", "shown = epoch", False),  # no weights are kept
        ("", "x_test, y_test", KEPT, False),
    ],
)
def test_what_chooses(tmp_path, before, scored, kept, found):
    code = CODE.format(before=before, scored=scored, kept=kept)
    told = chosen_on_training(run_data(tmp_path, Run(source={"train.py": code})))
    line = code[: code.index("score = ")].count("\n") + 1
    assert (told.locations[0]["line"] if told else None) == (line if found else None)


def test_a_score_of_another_function(tmp_path):
    code = CODE.format(before="", scored="x_test", kept=KEPT) + "def other(x_train):\n    score = spread(x_train)\n"
    assert chosen_on_training(run_data(tmp_path, Run(source={"train.py": code}))) is None
