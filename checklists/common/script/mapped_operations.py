"""What a line of the script's hands to ``map`` (dp.01, dp.02)."""

import ast

from msprec.engine.run_data import RunData
from msprec.engine.schema import Fact
from msprec.source.user_code import called_name


def mapped_operations(run_data: RunData, where: Fact) -> list[ast.expr]:
    """The expressions that the calls of ``map`` in a line are given as their operations."""
    calls = [one for one in run_data.source.nodes_at(where.file, where.line, ast.Call) if called_name(one) == "map"]
    named = [word.value for one in calls for word in one.keywords if word.arg == "operations"]
    return [*(part for one in calls for part in one.args[:1]), *named]
