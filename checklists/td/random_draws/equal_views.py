"""Two views of each sample that are the same, as both were drawn by generators of one seed (td.06)."""

import ast
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import first_place, train_sets
from msprec.checklists.common.script.call_sites import calls_around
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import argument_names, called_name, method_of, target_names

_DROPOUT = r"(?i)dropout"
_GENERATORS = ("default_rng", "RandomState", "Generator", "Random", "manual_seed", "seed", "set_seed")


def equal_views(run_data: RunData) -> Optional[Finding]:
    """A problem where two inputs of real numbers that enter one and the same layer are equal in every captured batch, unless
    dropout makes their difference."""
    found = run_data.probes.equal_inputs
    cells = [cell.class_ or "" for network in run_data.networks for cell in network.cells]
    if not found.inputs or any("dropout" in one.lower() for one in cells) or run_data.find_lines(_DROPOUT, 1):
        return None
    places = _one_seed(run_data) or _generators_in_functions(run_data)
    places = places or [one for one in map(first_place, train_sets(run_data)) if one]
    if not places:
        places = [step.place for step in run_data.train_steps if step.count and step.place]
    return problem(
        Text(
            "训练步的第 {a} 个与第 {b} 个输入在全部 {n} 个 batch 中完全相同，而网络对两者都做编码："
            "同一样本的两个视图是用同样的随机数生成的。",
            "Inputs {a} and {b} of the step are the same in all {n} batches, and the network encodes both: the two views of a "
            "sample are drawn with the same random numbers.",
            a=found.inputs[0] + 1,
            b=found.inputs[1] + 1,
            n=found.batches,
        ),
        Text(
            "两个视图用同一个生成器先后抽取，或用两个不同种子的生成器。",
            "Draw both views one after the other from one generator, or from two of different seeds.",
        ),
        run_data.code_at(places, Text("生成器", "The generators")),
        places,
    )


def _generators_in_functions(run_data: RunData) -> list:
    """Generators of a seed of their own that functions make, each time that they are called."""
    made = run_data.find_lines(rf"\b({'|'.join(_GENERATORS)})\(\s*[^)\s]", 50)
    return [one for one in made if calls_around(run_data, one)][:3]


def _one_seed(run_data: RunData) -> list:
    """Generators, and objects of the user's that hold one, that a function makes twice or more of the same seed."""
    found = []
    makers = {*_GENERATORS, *_holders(run_data)}
    for file in run_data.source.trees:
        for scope in run_data.source.nodes(file, ast.FunctionDef):
            made: dict = {}
            for node in ast.walk(scope):
                if isinstance(node, ast.Call) and called_name(node) in makers and node.args:
                    made.setdefault(ast.unparse(node), []).append(node.lineno)
            found += [place(file, line) for lines in made.values() if len(lines) > 1 for line in sorted(lines)]
    return found[:4]


def _holders(run_data: RunData) -> set:
    """The classes that make a generator of what they are given."""
    found = set()
    for file in run_data.source.trees:
        for node in run_data.source.nodes(file, ast.ClassDef):
            if (start := method_of(node, "__init__")) is None:
                continue
            given = set(argument_names(start))
            calls = [one for one in ast.walk(start) if isinstance(one, ast.Call)]
            seeds = [part for one in calls if called_name(one) in _GENERATORS for part in one.args]
            if any(given & set(target_names(part)) for part in seeds):
                found.add(node.name)
    return found
