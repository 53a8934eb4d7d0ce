"""``verdict(item, run)``: the entry of one item for a built run."""

import pytest
from building import judge


@pytest.fixture
def verdict(tmp_path):
    return lambda item, run, **options: judge(tmp_path / "run", item, run, **options)
