"""td.05: the flag of an episode's end taken for that of its going on, and parts of kept transitions."""

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches.done_flags import inverted_ends, unread_ends
from msprec.checklists.td.received_batches.transitions import crossed_parts


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("alive = done[t].astype(np.float64)\ndelta = r + gamma * v * alive", [1]),
        ("not_done = Tensor(dones)", [1]),
        ("target = r + gamma * q.max(1) * done", [1]),
        ("target = r + self.gamma * batch.done * nxt", [1]),
        ("alive = 1.0 - done[t]", None),
        ("alive = ~done", None),
        ("alive = np.logical_not(done)", None),
        ("target = r + gamma * q * (1 - done)", None),
        ("done = 0.0 if ended else 1.0\ntarget = r + gamma * q * done", None),  # a mask of that name
        ("target = r + gamma * q * done_mask", None),  # what it holds is not known
        ("total = reward * done", None),
    ],
)
def test_flags(tmp_path, code, lines):
    found = inverted_ends(run_data(tmp_path, Run(source={"train.py": code + "\n"})))
    assert ([one["line"] for one in found.locations] if found else None) == lines


TAKEN = (
    "def learn(self, batch):\n    s, a, r, s2, done = map(np.array, zip(*batch))\n    nxt = self.target(s2).max(1)\n"
)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (TAKEN + "    y = r + self.gamma * nxt\n    return self.update(s, a, y)", [4]),
        ("def target(r, nxt, dones):\n    y = r + GAMMA * nxt\n    return y", [2]),
        (TAKEN + "    y = r + self.gamma * nxt * (1 - done)\n    return self.update(s, a, y)", None),
        (TAKEN + "    nxt[done] = 0\n    y = r + self.gamma * nxt\n    return self.update(s, a, y)", None),
        (
            "def returns(rewards, dones):\n    for r in rewards:\n        g = r + gamma * g\n    return g",
            None,
        ),  # of one episode
        ("def target(r, nxt):\n    y = r + GAMMA * nxt\n    return y", None),
        (TAKEN + "    y = r + self.step * nxt\n    return self.update(s, a, y)", None),
    ],
)
def test_ends_that_are_never_read(tmp_path, code, lines):
    found = unread_ends(run_data(tmp_path, Run(source={"train.py": code + "\n"})))
    assert ([one["line"] for one in found.locations] if found else None) == lines


KEPT = "memory.append((s, a, r, s2, done))\nif done:\n    env.reset()\n"
TAKEN = "bs, ba, br, bn, bd = (np.array(one) for one in zip(*rows))\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        (KEPT + TAKEN + "target = br + GAMMA * value(bn)", [5]),
        (KEPT + TAKEN + "target = br + GAMMA * value(bn) * (1 - bd)", None),
        (KEPT.replace(", done)", ", alive)") + TAKEN + "target = br + GAMMA * value(bn)", None),
        (TAKEN + "target = br + GAMMA * value(bn)", None),  # what the last one is, is not known
        (
            KEPT
            + "def learn(rows):\n    s, a, r, n, e = zip(*rows)\n    target = r + GAMMA * value(n)\n    return target",
            [6],
        ),
        (KEPT + "s, a, r, s2, done = zip(*rows)\ntarget = r + GAMMA * value(s2)\ns, a, r, n, e = env.look()", None),
    ],
)
def test_flags_taken_out_of_a_memory(tmp_path, code, lines):
    found = unread_ends(run_data(tmp_path, Run(source={"train.py": code + "\n"})))
    assert ([one["line"] for one in found.locations] if found else None) == lines


ROWS = "memory.append([s, a, r, s2, float(done)])\nrows = np.array(memory)[rng.integers(9, size=8)]\n"
BEST = "target = rows[:, 2] + GAMMA * best\n"


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        # the flag by its column, which no name tells
        (ROWS + "D = rows[:, 4]\nbest = q(rows[:, 3]).max(1)\n" + BEST, [5]),
        (ROWS + "D = rows[:, 4]\nbest = q(rows[:, 3]).max(1) * (1 - D)\n" + BEST, None),
        (ROWS + "D = rows[:, 4]\ndef clear(x):\n    x[D] = 0\nbest = q(rows[:, 3]).max(1)\n" + BEST, None),
        ("memory.append((s, a, r, s2, done))\nE = np.array([m[4] for m in memory])\ntarget = r + GAMMA * q(s2)", [3]),
        # the next state, where the best of its values is asked
        (ROWS + "nxt = rows[:, 3]\nbest = q(rows[:, 0]).max(1)\n" + BEST, [4, 5]),
        (ROWS + "nxt = rows[:, 3]\nbest = q(nxt).max(1)\n" + BEST, None),
        (ROWS + "nxt = rows[:, 3]\nbest = values[1:]\n" + BEST, None),
        ("def learn(s, r, next_s):\n    y = r + GAMMA * net(s).max(1)\n    return y", [2]),
        ("def learn(s, r, next_s):\n    y = r + GAMMA * net(next_s).max(1)\n    return y", None),
    ],
)
def test_parts_that_are_never_read(tmp_path, code, lines):
    found = unread_ends(run_data(tmp_path, Run(source={"train.py": code + "\n"})))
    assert ([one["line"] for one in found.locations] if found else None) == lines


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (ROWS + "action = np.eye(2)[rows[:, 4].astype(int)]", 3),
        (ROWS + "action = np.eye(2)[rows[:, 1].astype(int)]", None),
        (ROWS + "weight = rows[:, 4]", None),
        (ROWS + "target = rows[:, 2] + 0.9 * (1 - rows[:, 4])", None),
        ("buffer.push(s, a, r, s2, done)\nobs, act, nxt, rew, end = zip(*rows)", 2),
        ("buffer.push(s, a, r, s2, done)\nobs, act, rew, nxt, done = zip(*rows)", None),
        ("table.append((name, x, y, z))\nr, s, a, d = zip(*table)", None),
        ("memory.append((s, a, r, s2, done))\ndone = [m[2] for m in memory]", 2),
        ("boxes.append((r, c, s, w))\nboxes = np.array(boxes)\na = boxes[:, 2]", None),  # rows, columns and sizes
        ("memory.append((s, a, r, s2, done))\nkept.append((s, r, a, s2, done))\nr = [m[1] for m in memory]", None),
    ],
)
def test_parts_under_the_name_of_another(tmp_path, code, line):
    found = crossed_parts(run_data(tmp_path, Run(source={"train.py": code + "\n"})))
    assert (found.locations[0]["line"] if found else None) == line
