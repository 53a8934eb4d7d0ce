"""Denoising networks whose targets hold the noise (td.05)."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.td.received_batches.noisy_targets import noisy_targets

CODE = """noisy = clean + rng.normal(0, 0.3, clean.shape)
inputs, targets = {pair}
loader = NumpySlicesDataset((inputs, targets), ["noisy", "clean"])
restored = model.predict(Tensor(noisy[cut:]))
{shown}
"""
ERROR = "print(((restored - clean[cut:]) ** 2).mean())"


def test_windows_of_a_noisy_series(tmp_path):
    """Of which the next value is asked, and compared with the series without noise."""
    data = dataset([column("noisy", shape=[64]), column("next", shape=[1])])
    data["pipeline"] = [{"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 3}}]
    code = CODE.format(pair="noisy[:cut], noisy[:cut]", shown=ERROR)
    assert noisy_targets(run_data(tmp_path, Run(source={"train.py": code}, datasets=[data]))) is None


@pytest.mark.parametrize(
    ("pair", "shown", "line"),
    [
        ("noisy[:cut], noisy[:cut]", ERROR, 2),
        ("noisy[:cut], clean[:cut]", ERROR, None),
        ("clean[:cut], clean[:cut]", ERROR, None),
        ("noisy[:cut], noisy[:cut]", "print(((restored - noisy[cut:]) ** 2).mean())", None),  # data that were made so
        ("noisy[:cut], noisy[:cut]", "print(((noisy - clean) ** 2).mean())", None),
    ],
)
def test_what_is_given_back(tmp_path, pair, shown, line):
    label = {"column": "clean", "kind": "regression"}
    data = dataset([column("noisy", shape=[64]), column("clean", shape=[64])], label=label)
    data["pipeline"] = [{"op": "NumpySlicesDataset", "args": {}, "place": {"file": "train.py", "line": 3}}]
    code = CODE.format(pair=pair, shown=shown)
    told = noisy_targets(run_data(tmp_path, Run(source={"train.py": code}, datasets=[data])))
    assert (told.locations[0]["line"] if told else None) == line
