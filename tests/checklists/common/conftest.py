"""What the tests of the checklists' common parts share."""

import pytest
from building import Run, run_data


@pytest.fixture
def reading(tmp_path):
    def read(code: str, sets=()):
        made = Run(source={"train.py": code}, datasets=list(sets))
        return run_data(tmp_path, made)

    return read
