"""A problem in a function of a library file that nothing uses is none."""

import pytest
from building import Run

from msprec.engine import conclude

_LIBRARY = """
class Cart:
    def __init__(self):
        self.state = np.zeros(2)

    def step(self, force):
        self.state[1] += force
        return self.state


def play(env, memory):
    for _ in range(99):
        after = env.step(1)
        memory.append(after)
"""


def _td05(folder, **source):
    Run(source={name.replace("_py", ".py"): text for name, text in source.items()}).write(folder)
    return next(one for one in conclude(folder)["beyond"] if one["id"] == "td.05")


@pytest.mark.parametrize(
    ("script", "found"),
    [("import library\nlibrary.play(library.Cart(), [])\n", True), ("import library\n", False)],
)
def test_only_what_is_used_counts(tmp_path, script, found):
    entry = _td05(tmp_path, train_py=script, library_py=_LIBRARY)
    assert (entry["conclusion"] == "problem" and "one array" in entry["summary"]) is found, entry["summary"]


def test_the_script_itself_is_taken_as_it_is(tmp_path):
    assert _td05(tmp_path, train_py=_LIBRARY)["conclusion"] == "problem"
