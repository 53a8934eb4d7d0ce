"""Two tables put side by side by the places of their rows (td.05)."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.tables_by_place import tables_by_place

SORTED = "usage = usage.sort_values('cust').reset_index(drop=True)\n"
GLUED = "frame = pd.concat([contracts, usage.drop(columns='cust')], axis=1)\n"


@pytest.mark.parametrize(
    ("code", "found"),
    [
        (SORTED + GLUED, True),
        (SORTED + "frame = pd.concat((contracts, usage.drop(['cust'], axis=1)), axis='columns')\n", True),
        ("usage = calls.groupby('cust').sum().reset_index()\n" + GLUED, True),
        (GLUED, False),  # in one order as they were made
        ("usage = usage.sort_values('cust').set_index('cust')\n" + GLUED, False),
        (SORTED + SORTED.replace("usage", "contracts") + GLUED, False),
        (SORTED + "frame = contracts.merge(usage, on='cust')\n", False),
        (SORTED + "frame = pd.concat([usage.drop(columns='plan'), pd.get_dummies(usage['plan'])], axis=1)\n", False),
        (SORTED + "frame = pd.concat([contracts, usage.drop(columns='cust')])\n", False),
    ],
)
def test_tables(tmp_path, code, found):
    told = tables_by_place(run_data(tmp_path, Run(source={"train.py": "import pandas as pd\n" + code})))
    assert ([one["line"] for one in told.locations][1:] if told else None) == ([2] if found else None)
