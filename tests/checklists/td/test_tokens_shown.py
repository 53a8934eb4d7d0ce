"""Which tokens a language model's outputs are held against (td.05)."""

import pytest
from building import PLACE, Run, column, dataset, run_data

from msprec.checklists.td.received_batches.predicted_tokens import guessed_tokens_shown, targets_too_far_ahead


def reading(tmp_path, *losses):
    run = Run(source={"train.py": "ids = corpus()\n"}, datasets=[dataset([column("ids"), column("labels")])])
    entries = [{"places": 512, "place": PLACE, "picked": None, "left_out": None, **one} for one in losses]
    run.facts["probes"] = {"predicted_tokens": entries, "skipped": {}}
    return run_data(tmp_path, run)


@pytest.mark.parametrize(
    ("loss", "found"),
    [
        ({"ahead": 0, "left_out": 24}, True),
        ({"ahead": 0, "left_out": 1}, False),  # padding: a text is given back
        ({"ahead": 0, "left_out": 0}, False),
        ({"ahead": 1, "left_out": None}, False),
    ],
)
def test_tokens_that_are_to_be_guessed(tmp_path, loss, found):
    told = guessed_tokens_shown(reading(tmp_path, loss))
    assert (told is not None) is found and (not found or PLACE in told.locations)


@pytest.mark.parametrize(("losses", "found"), [([2], True), ([2, 1], False), ([1], False), ([], False)])
def test_tokens_further_ahead(tmp_path, losses, found):
    told = targets_too_far_ahead(reading(tmp_path, *({"ahead": one} for one in losses)))
    assert (told is not None) is found
