"""A problem in a function of a library file that nothing uses is none."""

import pytest
from building import Run

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


@pytest.mark.parametrize(
    ("script", "found"),
    [("import library\nlibrary.play(env, [])\n", True), ("import library\n", False)],
)
def test_only_what_is_used_counts(verdict, script, found):
    run = Run(source={"train.py": script, "library.py": _LIBRARY})
    entry = verdict("td.05", run)
    assert (entry["conclusion"] == "problem" and "one array" in entry["summary"]) is found, entry["summary"]


def test_the_script_itself_is_taken_as_it_is(verdict):
    assert verdict("td.05", Run(source={"train.py": _LIBRARY}))["conclusion"] == "problem"
