"""A discriminator, critic or generator that the optimizer of its opponent updates as well (cg.02)."""

import ast
import re
from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.findings import at
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact

_ADVERSARY = re.compile(r"(?i)(^|[._])(discriminator|disc|critic|adversary|net_?d|d_?net|dis)\d*([._]|$)")
_GENERATOR = re.compile(r"(?i)(^|[._])(generator|gen|net_?g|g_?net)\d*([._]|$)")
_SHORT = re.compile(r"(^|[._])[dD]([._]|$)")


def updated_by_opponent(run_data: RunData) -> Optional[Finding]:
    """A problem where two optimizers take turns, one has the weights of a discriminator or critic (of a generator) and no others,
    and the other has all of these and weights of another part (of a discriminator): each of its updates turns them towards the
    opponent's loss.

    Shared parts of other names are trained by several optimizers on purpose, as the encoder of an adversarial autoencoder.
    """
    used = [
        one for one in run_data.optimizers if one.used and (one.updates or 0) >= run_data.limit("cg.02.min_updates")
    ]
    for own in used:
        names = set(own.parameter_names or ())
        judged = bool(names) and all(_is_adversary(run_data, name) for name in names)
        if not judged and not (names and all(map(_GENERATOR.search, names))):
            continue
        for other in used:
            held = set(other.parameter_names or ())
            rest = held - names
            opposed = names < held and all(_is_adversary(run_data, name) is not judged for name in rest)
            if other is not own and opposed and take_turns(own, other):
                return _finding(run_data, own, other, sorted(names))
    return None


def _always_true(run_data: RunData) -> list:
    """Where parameters are picked by a text that is no condition, ``if "disc" or "critic" in p.name``."""
    found = []
    for file in run_data.source.trees:
        for made in run_data.source.nodes(file, ast.ListComp):
            tests = [one.values[0] for part in made.generators for one in part.ifs if _is_or(one)]
            if any(isinstance(one, ast.Constant) and isinstance(one.value, str) and one.value for one in tests):
                found.append(place(file, made.lineno))
    return found


def _is_or(node: ast.expr) -> bool:
    return isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or)


def _is_adversary(run_data: RunData, name: str) -> bool:
    short = _SHORT.search(name) is not None and bool(run_data.find_lines(r"(?i)discriminator|critic", 1))
    return _ADVERSARY.search(name) is not None or short


def take_turns(one: Fact, other: Fact) -> bool:
    """Whether most of the shorter training lies within the other: a part that is trained first is no opponent."""
    if len(one.steps or ()) != 2 or len(other.steps or ()) != 2:
        return False
    shared = min(one.steps[1], other.steps[1]) - max(one.steps[0], other.steps[0])
    return shared > 0.5 * min(span[1] - span[0] for span in (one.steps, other.steps))


def _finding(run_data: RunData, own: Fact, other: Fact, names: list) -> Finding:
    places = [one for one in (*_always_true(run_data), other.place, own.place) if one]
    return problem(
        Text(
            "{where} 处的 {name} 除了自己的权重，还更新对手的 {n} 个权重（{names}），它们由 {own} 处的优化器以相反的 loss 训练："
            "两个优化器轮流把它们推向相反的方向。",
            "{name} at {where} updates, beside weights of its own, the {n} weights of its opponent ({names}), which the "
            "optimizer at {own} trains with the opposite loss: in turns the two push them in opposite directions.",
            name=other.class_,
            where=at(other.place),
            own=at(own.place),
            n=len(names),
            names=listed(names),
        ),
        Text(
            "只把生成器（或 actor）自己的参数交给它的优化器，例如 generator.trainable_params()，"
            "而不是同时含有两个网络的 loss Cell 的 trainable_params()。",
            "Give the optimizer of the generator (or actor) its own parameters alone, as generator.trainable_params(), and not "
            "those of the loss cell that holds both networks.",
        ),
        [run_data.code_at(places, Text("两个优化器", "The two optimizers"))],
        places,
    )
