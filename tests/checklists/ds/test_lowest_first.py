"""The lowest scores taken for the best (ds.02)."""

import pytest
from building import Run, run_data

from msprec.checklists.ds.label_validity.lowest_first import lowest_for_best


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("top = np.argpartition(scores, K, axis=1)[:, :K]", True),
        ("best = scores.argsort(-1)[:k]", True),
        ("top = np.argsort(sims[row])[:10]", True),
        ("top = np.argpartition(-scores, K, axis=1)[:, :K]", False),
        ("top = np.argsort(scores)[::-1][:k]", False),
        ("top = np.argsort(scores)[:, -k:]", False),
        ("nearest = np.argsort(distances)[:, :k]", False),
        ("worst = np.argsort(scores)[:k]", False),
        ("top = scores.argsort(descending=True)[:k]", False),
        ("top = np.argsort(dist_scores)[:k]", False),
        ("top = np.argsort(scores)[:-k]", False),
    ],
)
def test_order(tmp_path, code, found):
    told = lowest_for_best(run_data(tmp_path, Run(source={"train.py": code + "\n"})), None, None)
    assert (told is not None) is found
