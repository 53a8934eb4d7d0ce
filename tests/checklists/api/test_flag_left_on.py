"""api.02: a flag that an evaluation sets and nothing sets back."""

import pytest
from building import Run, run_data

from msprec.checklists.api.train_eval_mode.flag_left_on import flag_left_on

CODE = """class Agent:
    def __init__(self):
        self.greedy = False

    def act(self, s):
        return best(s) if self.greedy else draw(s)

    def evaluate(self, road):
        self.greedy = True
        share = self.play(road)
        {last}
        return share


agent = Agent()
for it in range(9):
    agent.learn(road)
    {call}
{after}
"""


@pytest.mark.parametrize(
    ("last", "call", "after", "found"),
    [
        ("pass", "agent.evaluate(road)", "", True),
        ("self.greedy = False", "agent.evaluate(road)", "", False),
        ("pass", "agent.evaluate(road); agent.greedy = False", "", False),
        ("pass", "setattr(agent, 'greedy', False)", "", False),
        ("pass", "pass", "agent.evaluate(road)", False),  # at the end alone
    ],
)
def test_what_is_set_back(tmp_path, last, call, after, found):
    run = Run(source={"train.py": CODE.format(last=last, call=call, after=after)})
    told = flag_left_on(run_data(tmp_path, run))
    assert (told.locations[0]["line"] if told else None) == (9 if found else None)


def test_a_flag_that_only_the_evaluation_reads(tmp_path):
    run = Run(
        source={"train.py": CODE.format(last="pass", call="agent.evaluate(road)", after="").replace("act", "test")}
    )
    told = flag_left_on(run_data(tmp_path, run))
    assert told is not None  # two methods that evaluate
    code = CODE.format(last="pass", call="agent.evaluate(road)", after="").replace("if self.greedy else draw(s)", "")
    assert flag_left_on(run_data(tmp_path, Run(source={"train.py": code}))) is None
