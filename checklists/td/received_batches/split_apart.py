"""Inputs and labels that are split by two calls with different draws: their rows no longer belong together (td.05)."""

import ast
from collections.abc import Iterator
from typing import NamedTuple, Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import at
from msprec.checklists.common.script.part_names import LABELS
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.source.user_code import bound_names, called_name

_SPLITS = ("train_test_split",)
_SEEDED = r"\brandom\.seed\("


class _Split(NamedTuple):
    """``parts`` that one array is split into at ``line``; ``drawn``: what its order is drawn by, None where nothing is given."""

    line: int
    parts: set
    drawn: Optional[str]


def split_apart(run_data: RunData) -> Optional[Finding]:
    """A problem where ``train_test_split`` is called once with the inputs and once with the labels, with different
    ``random_state``, or without, and the parts of both are delivered together; None where either is not shuffled."""
    for file in run_data.source.trees:
        splits = list(_splits(run_data, file))
        for labels in (one for one in splits if any(map(LABELS.search, one.parts))):
            for inputs in (one for one in splits if not any(map(LABELS.search, one.parts))):
                # without a state each call draws on, unless the generator is seeded before each
                again = labels.drawn is None and len(run_data.find_lines(_SEEDED, 2)) > 1
                apart = (inputs.drawn != labels.drawn or labels.drawn is None) and not again
                if apart and _delivered_together(run_data, inputs.parts, labels.parts):
                    return _finding(run_data, [place(file, labels.line), place(file, inputs.line)])
    return None


def _splits(run_data: RunData, file: str) -> Iterator[_Split]:
    """The calls that split one array at random."""
    stores = run_data.source.nodes(file, ast.Assign) if run_data.source.calls_named(file, _SPLITS) else ()
    for store in (one for one in stores if isinstance(one.value, ast.Call) and called_name(one.value) in _SPLITS):
        call: ast.Call = store.value
        named = {one.arg: one.value for one in call.keywords}
        said = named.get("shuffle")
        whole = isinstance(said, ast.Constant) and not said.value
        alone = len(call.args) == 1 and not isinstance(call.args[0], ast.Starred) and None not in named
        if not alone or whole:
            continue
        given = named.get("random_state")
        none = given is None or (isinstance(given, ast.Constant) and given.value is None)
        drawn = None if given is None or none else ast.unparse(given)
        yield _Split(call.lineno, bound_names(store.targets), drawn)


def _delivered_together(run_data: RunData, inputs: set, labels: set) -> bool:
    """Whether one call names parts of both."""
    for file in run_data.source.trees:
        for call in run_data.source.nodes(file, ast.Call):
            names = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)}
            if names & inputs and names & labels:
                return True
    return False


def _finding(run_data: RunData, places: list) -> Finding:
    return problem(
        Text(
            "{labels} 与 {inputs} 分别划分标签和输入，抽取的顺序各不相同：同一行的输入与标签不再属于同一样本。",
            "{labels} and {inputs} split labels and inputs by draws of their own: an input and the label in its row are of "
            "different samples.",
            labels=at(places[0]),
            inputs=at(places[1]),
        ),
        Text(
            "在一次调用中划分：train_test_split(x, y, random_state=…)，或两次使用同一个 random_state。",
            "Split both in one call, train_test_split(x, y, random_state=…), or by the same random_state.",
        ),
        [run_data.code_at(places, Text("两次划分", "The two splits"))],
        places,
    )
