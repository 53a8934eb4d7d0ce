"""cg.03: a table of weights that is looked up by the ids of another one."""

import pytest
from building import Run, column, dataset, run_data

from msprec.checklists.cg.connectivity.exchanged_tables import judge_exchanged_tables


def ids(name, most, least=0):
    return column(name, dtype="int32", kind="int", shape=[], min=least, max=most)


def look(table, rows, position):
    return {"table": table, "rows": rows, "input": position, "inputs": 3, "place": {"file": "train.py", "line": 7}}


OWN = [look("p", 100, 0), look("q", 150, 1)]


@pytest.mark.parametrize(
    ("looked", "columns", "found"),
    [
        ([*OWN, look("r", 150, 0)], (99, 149), True),
        (OWN, (99, 149), False),
        ([*OWN, look("r", 150, 0)], (99, 148), False),  # rows that are kept for what is to come
        ([look("p", 150, 0), look("q", 150, 1)], (99, 149), False),  # one space of ids, as of words
        ([*OWN, look("r", 100, 1)], (99, 149), False),  # ids beyond the table are another matter
    ],
)
def test_tables(tmp_path, looked, columns, found):
    data = dataset([ids("user", columns[0]), ids("item", columns[1])])  # beside the label
    run = Run(datasets=[data])
    run.facts["probes"] = {"lookups": looked, "skipped": {}}
    told = judge_exchanged_tables(run_data(tmp_path, run))
    assert (told is not None) is found
    if found:
        assert "column item" in str(told.summary) and "column user" in str(told.summary)
