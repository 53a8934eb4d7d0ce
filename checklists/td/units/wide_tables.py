"""Embedding tables that start so wide that the first outputs lie far from the targets (td.03)."""

from typing import Optional

from msprec.bilingual import Text, listed
from msprec.checklists.common.script.setting_origin import ArgumentName, argument_origin
from msprec.checklists.td.outcome.assessment import assess
from msprec.engine.finding import Finding, problem
from msprec.engine.run_data import RunData

_SIGMA = ArgumentName(("sigma",), 0)
_DRAWS = r"\bembedding_table\s*=|\b(Truncated)?Normal\(|\bUniform\("


def wide_tables(run_data: RunData) -> Optional[Finding]:
    """A problem where embedding tables start with a standard deviation of td.03.wide_table or more, nothing was loaded, and the
    loss, or the one term of it that compares with targets, began td.03.start times above a constant prediction's and
    td.03.solved of that is not gone; else None."""
    course = None if run_data.loads else _course(run_data)
    if course is None:
        return None
    start, level, end = course
    far = start >= run_data.limit("td.03.start") * level and end > (1 - run_data.limit("td.03.solved")) * level
    least = run_data.limit("td.03.wide_table")
    tables = [one for one in run_data.parameters if "embedding" in (one.cell_class or "").lower()]
    wide = [one for one in tables if (one.initial.std or 0.0) >= least and one.requires_grad]
    if not far or not wide:
        return None
    lines = run_data.find_lines(_DRAWS, 4)
    written = [at for one in lines for at in argument_origin(run_data, one, _SIGMA, "Normal")]
    made = {cell.path: cell.created for network in run_data.networks for cell in network.cells if cell.created}
    places = [*(made[one.cell] for one in wide if one.cell in made), *lines, *written]
    return problem(
        Text(
            "嵌入表 {names} 的初始标准差为 {std}，过大：与目标比较的 loss 从 {start} 开始，常数预测为 {level}，结束时为 {end}。",
            "The embedding tables {names} start with a standard deviation of {std}, which is too wide: the loss of the targets "
            "begins at {start}, where a constant prediction has {level}, and ends at {end}.",
            names=listed(one.cell or one.name for one in wide),
            std=float(f"{max(one.initial.std for one in wide):.3g}"),
            start=start,
            level=level,
            end=end,
        ),
        Text(
            "用较小的标准差初始化，例如 Normal(0.02) 到 1/√dim。",
            "Draw them with a smaller deviation: Normal(0.02), up to 1/√dim.",
        ),
        [run_data.code_at(places, Text("嵌入表的初始化", "Where the tables are made"))],
        places or [network.place for network in run_data.networks],
    )


def _course(run_data: RunData) -> Optional[tuple]:
    """``(start, a constant prediction's level, end)`` of the loss, or of its only term with targets; None: not known."""
    outcome = run_data.once(assess)
    constant, end = outcome.outcome.constant, outcome.outcome.end
    if constant is not None and None not in (outcome.start, end):
        return outcome.start, constant.value, end
    fits = [
        fit for term in run_data.probes.terms for fit in term.fits if None not in (fit.start, fit.end, fit.constant)
    ]
    return (fits[0].start, fits[0].constant, fits[0].end) if len(fits) == 1 else None
