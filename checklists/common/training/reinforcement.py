"""Trainings whose loss tells nothing of what is learnt: by rewards, where the data follow the weights, and of networks that work
against each other. Both are told by the words of the source alone (td.01, hp.01, hp.02, ds.01, cg.04)."""

from msprec.engine.run_data import RunData

#: What a policy gradient is to raise, and what other losses weighed by outcomes are to lower.
_GAINS = r"rewards?(_|\b)|(\b|_)advantages?(_|\b)|policy_?(grad|loss|net)|reinforce\b"
_COSTS = r"(?i)(\b|_)costs?(\b|_)|regret|unlearn"
#: Steps of an environment, and the value of what follows, left out at an end: ``r + gamma * q.max() * (1 - done)``.
_EPISODES = r"\benv\w*\.(step|reset)\(|\+\s*[\w.]*(gamma|discount)\w*\s*\*.*(\bmax\b|\(\s*1(\.0?)?\s*-)"
_REINFORCEMENT = (
    rf"(?i){_GAINS}|replay_?buffer|epsilon_?greedy|actor_?critic|\bq_?net(work)?\b|"
    rf"(?<![a-z])td_?(target|error|loss)\b|\bdqn\b|{_EPISODES}"
)
_ADVERSARIES = r"(?i)discriminator|adversar|\bgan\b|(?<![a-z])(d|g)_loss|loss_(d|g)\b"


def learns_by_rewards(run_data: RunData) -> bool:
    """Whether the source speaks of reinforcement learning."""
    return bool(run_data.find_lines(_REINFORCEMENT, 1))


def raises_rewards(run_data: RunData) -> bool:
    """Whether the source speaks of rewards or advantages, and not of costs that are to fall."""
    return bool(run_data.find_lines(f"(?i){_GAINS}", 1) and not run_data.find_lines(_COSTS, 1))


def has_adversary(run_data: RunData) -> bool:
    """Whether the source speaks of networks that work against each other."""
    return bool(run_data.find_lines(_ADVERSARIES, 1))
