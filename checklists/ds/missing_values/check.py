"""ds.01: Delivered NaN or infinity, missing-value marks, empty strings."""

from msprec.checklists.common.findings import missing
from msprec.checklists.ds.missing_values.missing_values import (
    Missing,
    all_finite,
    missing_found,
    missing_treated,
    missing_unused,
    no_missing,
)
from msprec.checklists.ds.missing_values.nan_handling import nan_treatments
from msprec.engine.finding import Finding
from msprec.engine.item import item
from msprec.engine.rank_merge import WORST
from msprec.engine.run_data import RunData


@item("ds.01", ranks=WORST)
def missing_values(run_data: RunData) -> Finding:
    """Delivered NaN or infinity, missing-value marks, empty strings.

    Rests on the column statistics of every data set that was iterated. Any NaN or infinity in a training, evaluation or
    inference set is a problem, unless the code treats it after delivery (nan_to_num, a mask from isnan in construct, in
    the forward function or in the loop) and every loss and every final weight is finite: then it is a mark for missing
    values that the network knows. A test such as ``if isnan(loss)`` treats nothing. Among repeated extreme values
    only those count that lie far from all else (missing_value_codes.py); rare ones that stand apart less far are left open
    (ds.01.doubtful_share). A data set fed to nothing proves nothing.
    """
    known = [dataset for dataset in run_data.datasets if dataset.columns and dataset.scanned.samples != 0]
    if not known:
        return missing("被迭代的数据集", "data set being iterated")
    used = [dataset for dataset in known if dataset.role in ("train", "eval", "predict")]
    reports = [Missing(run_data, dataset) for dataset in used or known]
    bad = [report for report in reports if report.rows]
    if not bad:
        return no_missing(run_data, used or known, reports)
    if not used:
        return missing_unused(bad)
    treated = nan_treatments(run_data) if all(report.only_nonfinite for report in bad) else []
    if treated and all_finite(run_data):
        return missing_treated(run_data, bad, treated)
    return missing_found(run_data, bad, treated)
