"""td.05: ids that no training sample had."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.td.received_batches.untrained_ids import untrained_ids

CODE = "frame = frame.reset_index(drop=True)\nfit, held = frame.iloc[:9], frame.iloc[9:]\nnet(held.user)\n"
LOOKUPS = [{"table": "users.embedding_table", "rows": 150, "input": 0, "inputs": 2}]


def ids(low, high, name="user"):
    return {**column(name, shape=[]), "kind": "int", "dtype": "int32", "min": low, "max": high}


def called(phase, one, line=3):
    places = {"file": "train.py", "line": line}
    entry = {
        "phase": phase,
        "network": "Net",
        "level": "step",
        "via": "call",
        "place": places,
        "calls": 9,
        "sampled": 9,
        "samples": 400,
    }
    return {**entry, "arguments": [{"position": 0, **one}]}


@pytest.mark.parametrize(
    ("theirs", "lookups", "found"),
    [
        ((127, 149), LOOKUPS, True),
        ((128, 149), LOOKUPS, True),
        ((60, 149), LOOKUPS, False),
        ((128, 149), [], False),  # no table is looked up by them
        ((149, 149), LOOKUPS, False),  # a single one
        ((128, 200), LOOKUPS, False),  # beyond the table, which is another matter
    ],
)
def test_arguments(tmp_path, theirs, lookups, found):
    run = Run(source={"train.py": CODE}, datasets=[])
    run.facts["probes"] = {"skipped": {}, "lookups": lookups}
    run.facts["inputs"] = {"inputs": [called("train", ids(0, 127), 9), called("forward", ids(*theirs))]}
    told = untrained_ids(run_data(tmp_path, run))
    assert ([one["line"] for one in told.locations] if told else None) == ([1, 2, 3] if found else None)


@pytest.mark.parametrize(("low", "found"), [(90, False), (128, True)])
def test_columns(tmp_path, low, found):
    sets = [dataset([ids(0, 127), column("y")]), dataset([ids(low, 149), column("y")], role="eval")]
    run = Run(source={"train.py": CODE}, datasets=sets)
    run.facts["probes"] = {"skipped": {}, "lookups": LOOKUPS}
    run.facts["inputs"] = {"inputs": []}
    assert (untrained_ids(run_data(tmp_path, run)) is not None) is found


@pytest.mark.parametrize(("known", "found"), [(None, False), ((0, 149), False), ((0, 127), True)])
def test_arguments_of_the_first_steps_alone(tmp_path, known, found):
    """Rows in their order: the steps that were looked at have the first ids, and the data set tells of all."""
    sets = [dataset([ids(*known, name="u"), column("y")])] if known else []
    run = Run(source={"train.py": CODE}, datasets=sets)
    run.facts["probes"] = {"skipped": {}, "lookups": LOOKUPS}
    trained = {**called("train", ids(0, 90, name="u"), 9), "calls": 40}
    run.facts["inputs"] = {"inputs": [trained, called("forward", ids(128, 149, name="u"))]}
    assert (untrained_ids(run_data(tmp_path, run)) is not None) is found
