"""api.01: The calls that the table of differences knows (api_differences.csv), with their effective arguments."""

from msprec.checklists.api.argument_differences.argument_differences import api_arguments
from msprec.checklists.api.argument_differences.reference_settings import judge_reference_settings
from msprec.checklists.common.reference.reference_findings import judged_with_reference
from msprec.engine.finding import Finding
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("api.01", after=judged_with_reference(judge_reference_settings))
def api_differences(run_data: RunData) -> Finding:
    """The calls that the table of differences knows (api_differences.csv), with their effective arguments.

    With a reference script: problem where a setting of a call differs from that of its counterpart; ok where all agree.
    Without: problem only for a value that makes sense in the other framework alone (a Dropout that keeps less than
    api.01.keep, or api.01.keep_named where it is written so, drops api.01.drop or more, a BatchNorm whose momentum is below
    api.01.momentum, or so near 1 that api.01.left of what its statistics began with is left after api.01.steps or more); ok
    where every argument whose default differs is written out; else undecided. What a run recorded of its cells outranks the
    source.
    """
    return api_arguments(run_data)
