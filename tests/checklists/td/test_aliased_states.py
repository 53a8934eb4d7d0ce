"""td.05: states that are kept by reference and changed in place."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.aliased_states import aliased_states

_CODE = """
class Cart:
    def reset(self):
        self.state = np.zeros(2)
        return {returned}

    def step(self, force):
        {moved}
        return {returned}, 1.0


def play(env, memory):
    state = env.reset()
    for _ in range(99):
        {before}
        after, reward = env.step(1)
        {kept}
        state = after
"""
_IN_PLACE, _ANEW = "self.state[1] += force", "self.state = self.state + force"
_KEPT, _COPIED = "memory.append((state, reward, after))", "memory.append((state.copy(), reward, after.copy()))"


@pytest.mark.parametrize(
    ("returned", "moved", "before", "kept", "found"),
    [
        ("self.state", _IN_PLACE, "pass", _KEPT, True),
        ("self.state", "self.state += force", "pass", _KEPT, True),
        ("self.state.copy()", _IN_PLACE, "old = env.state", "memory.add(old, reward)", True),
        ("self.state.copy()", _IN_PLACE, "pass", _KEPT, False),
        ("np.array(self.state)", _IN_PLACE, "pass", _KEPT, False),
        ("self.state", _ANEW, "pass", _KEPT, False),
        ("self.state", _IN_PLACE, "pass", _COPIED, False),
        ("self.state", _IN_PLACE, "pass", "learn(state, reward)", False),  # nothing is kept
        ("self.state.copy()", _IN_PLACE, "old = env.state.copy()", "memory.add(old, reward)", False),
    ],
)
def test_kept_by_reference(tmp_path, returned, moved, before, kept, found):
    code = _CODE.format(returned=returned, moved=moved, before=before, kept=kept)
    assert (aliased_states(run_data(tmp_path, Run(source={"train.py": code}))) is not None) is found


@pytest.mark.parametrize(("shown", "found"), [("self.state", True), ("self.state.copy()", False)])
def test_what_another_method_shows(tmp_path, shown, found):
    code = _CODE.format(returned="self._show()", moved="self.state[1] += force", before="pass", kept=_KEPT)
    code = code.replace("    def step(", f"    def _show(self):\n        return {shown}\n\n    def step(")
    assert (aliased_states(run_data(tmp_path, Run(source={"train.py": code}))) is not None) is found


def test_numbers_are_not_changed_in_place(tmp_path):
    code = _CODE.format(returned="self.state", moved="self.state += force", before="pass", kept=_KEPT)
    code = code.replace("np.zeros(2)", "0.0")
    assert aliased_states(run_data(tmp_path, Run(source={"train.py": code}))) is None


_VOLUME = """
class Volume:
    def __init__(self, size):
        self.values, self.weights = np.zeros(size), np.zeros(size)
        self.weights = np.zeros(size)

    def integrate(self, depth):
        self.weights[depth > 0] += 1.0

    def get_volume(self):
        return self.values, self.weights


def fuse(depths, data):
    {before}
    for depth in depths:
        {inside}
        volume.integrate(depth)
        {taken} = volume.get_volume()
        data.append({kept})
"""


@pytest.mark.parametrize(
    ("before", "inside", "taken", "kept", "found"),
    [
        ("volume = Volume(9)", "pass", "values, weights", "weights", True),
        ("volume = Volume(9)", "pass", "values, weights", "values", False),  # the one that nobody changes
        ("pass", "volume = Volume(9)", "values, weights", "weights", False),  # each its own
        ("volume = TorchVolume(9)", "pass", "values, weights", "weights", False),  # of another class
    ],
)
def test_which_object_hands_it_out(tmp_path, before, inside, taken, kept, found):
    code = _VOLUME.format(before=before, inside=inside, taken=taken, kept=kept)
    assert (aliased_states(run_data(tmp_path, Run(source={"train.py": code}))) is not None) is found
