"""ds.04: The files that the data sets were made from: their names, sizes and MD5."""

from msprec.checklists.common.data.dataset_checksums import judge_files
from msprec.checklists.common.reference.reference_findings import with_reference
from msprec.engine.finding import Finding
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("ds.04", after=with_reference)
def differs_from_standard(run_data: RunData) -> Finding:
    """The files that the data sets were made from: their names, sizes and MD5.

    Beside ``--reference-data``: files that differ are a problem, as are files missing from or added to a folder that a
    pipeline lists whole. Files that differ between ranks are a problem. Without a reference the published checksums of
    MNIST, Fashion-MNIST and CIFAR serve; a file of an MNIST name may belong to another set of that format. Else it is left
    open, with the manifest. A script that reads no file: not applicable.
    """
    return judge_files(run_data)
