"""Actions that were played and kept, and are never read where the policy is trained (td.05)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.training.reinforcement import learns_by_rewards
from msprec.checklists.td.received_batches.transitions import role_of
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, names_read, own_nodes

#: Names that one statement takes out of what was kept, at least.
_SEVERAL = 3


def unread_actions(run_data: RunData) -> Optional[Finding]:
    """A problem where a function, or the script itself, takes states, actions and rewards out of what was kept and computes
    gradients, the actions are never read, and other actions are bound by a later statement: what is learnt is weighed by the
    rewards of actions that were not taken."""
    gradients = run_data.source.gradient_functions() if learns_by_rewards(run_data) else set()
    for file, call in run_data.source.calls_anywhere(gradients):
        nodes = own_nodes(run_data.source.scope_around(file, call.lineno))
        read = names_read(nodes)
        for store in (one for one in nodes if isinstance(one, ast.Assign)):
            names = bound_names(store.targets)
            actions = {name for name in names if _is_action(name)}
            rewards = any(role_of(name) == "reward" for name in names & read)
            if len(names) < _SEVERAL or not actions or actions & read or not rewards:
                continue
            anew = [
                one
                for one in nodes
                if isinstance(one, ast.Assign)
                and store.lineno < one.lineno
                and any(map(_is_action, bound_names(one.targets) & read))
            ]
            if anew:
                return _finding(run_data, sorted(actions)[0], [place(file, one.lineno) for one in (anew[0], store)])
    return None


def _is_action(name: str) -> bool:
    return role_of(name) == "action" or "action" in name.lower()


def _finding(run_data: RunData, name: str, places: list) -> Finding:
    return problem(
        Text(
            "{kept} 取出的 {name}（当时采取的动作）从未被读取，{anew} 另选了动作来计算梯度：奖励属于没有采取的动作。",
            "{name}, the actions that were taken, come out of what was kept at {kept} and are never read; {anew} chooses others, "
            "by which the gradient is computed: the rewards are of other actions.",
            kept=at(places[1]),
            anew=at(places[0]),
            name=name,
        ),
        Text("用当时采取的动作计算对数概率。", "Compute the log-probabilities of the actions that were taken."),
        run_data.code_at(places, Text("动作", "The actions")),
        places,
    )
