"""An operation or a source of the script's that makes its generator anew, from one seed, whenever it is called (td.06)."""

import ast
import re
from collections.abc import Iterator
from typing import Optional

from msprec.bilingual import Text
from msprec.checklists.common.findings import train_sets
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData, place
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name, own_attribute, reached_methods

_GENERATORS = ("RandomState", "default_rng", "Generator", "Random")
_CALLED = ("__call__", "__getitem__")
_CLASS = re.compile(r"^([A-Za-z_]\w*)\(")


def same_generator(run_data: RunData) -> Optional[Finding]:
    """A problem where a class of the script's that a pipeline of training calls for each sample, or that its source is made with,
    makes a generator with a seed that no argument of the call enters: every sample is given the same draws."""
    names = {name for dataset in train_sets(run_data) for step in dataset.pipeline for name in _classes(step)}
    names |= set(_handed_to(run_data, names))
    for file in sorted(run_data.source.trees):
        for node in run_data.source.nodes(file, ast.ClassDef):
            if node.name in names:
                made = _made_anew(node)
                if made is not None:
                    return _finding(run_data, called_name(made), place(file, made.lineno))
    return None


def _finding(run_data: RunData, name: str, where: Fact) -> Finding:
    return problem(
        Text(
            "每处理一个样本，都用同一个种子重新创建随机数生成器（{name}）：所有样本得到完全相同的随机数，增强或噪声没有变化。",
            "The generator ({name}) is made anew from the same seed for each sample: all samples are given the same draws, and "
            "neither augmentation nor noise ever changes.",
            name=name,
        ),
        Text(
            "只在 __init__ 中创建一次生成器，之后一直使用它。",
            "Make the generator once, in __init__, and go on drawing from it.",
        ),
        [run_data.code_at([where], Text("生成器的创建", "Where it is made"))],
        [where],
    )


def _classes(step: Fact) -> list:
    """The classes of what a step calls: ``Noise(sigma=0.5)`` among the operations of a map, and a source."""
    operations = step.args.get("operations")
    told = [str(one) for one in operations] if isinstance(operations, list) else []
    return [found.group(1) for one in told if (found := _CLASS.match(one))] + [str(step.args.get("source") or "")]


def _handed_to(run_data: RunData, names: set) -> Iterator[str]:
    """The classes of what objects of these classes are made with: ``Crop`` of ``Scenes(files, Crop(seed))``."""
    for file, call in run_data.source.calls_anywhere(names):
        for given in (*call.args, *(one.value for one in call.keywords)):
            made = run_data.source.only_value(file, given.id) if isinstance(given, ast.Name) else given
            if isinstance(made, ast.Call):
                yield called_name(made)


def _made_anew(node: ast.ClassDef) -> Optional[ast.Call]:
    """The call that makes a generator from a seed of the class's, in a method that a call for a sample comes to."""
    methods = {one.name: one for one in node.body if isinstance(one, ast.FunctionDef)}
    for name in reached_methods(methods, _CALLED):
        for call in [one for one in ast.walk(methods[name]) if isinstance(one, ast.Call)]:
            seeds = [*call.args, *(keyword.value for keyword in call.keywords)]
            if called_name(call) in _GENERATORS and seeds and all(_is_fixed(seed, methods) for seed in seeds):
                return call
    return None


def _is_fixed(seed: ast.expr, methods: dict) -> bool:
    """A number, or an attribute that nothing changes while samples are made."""
    if isinstance(seed, ast.Constant):
        return isinstance(seed.value, int)
    later = [one for name, method in methods.items() if name != "__init__" for one in ast.walk(method)]
    stored = {one.attr for one in later if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Store)}
    return bool(own_attribute(seed)) and own_attribute(seed) not in stored
