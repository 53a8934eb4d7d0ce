"""Both readings of a script go through ``match`` statements (Python 3.10 and later)."""

import sys

import pytest

from msprec.source import Project
from msprec.source.files import File
from msprec.source.flow import execution_paths
from msprec.source.pipelines import read_pipelines
from msprec.source.values import Values

SCRIPT = """import mindspore.dataset as ds

data = ds.GeneratorDataset([1], ["x"], shuffle=False)
match data.get_batch_size():
    case 1:
        data = data.batch(4)
    case _:
        data = data.batch(4)
for batch in data.create_tuple_iterator():
    net(batch)
"""


@pytest.mark.skipif(sys.version_info < (3, 10), reason="match statements came with Python 3.10")
def test_match(tmp_path):
    project = Project([File("train.py", None, SCRIPT)], follow=False)
    values, module = Values(project), project.module_at("train.py")
    assert read_pipelines(project, values, module).uses
    assert execution_paths(project, values, [module], False)
