"""ds.03: Class counts of the training labels over one pass, as delivered (so a resampling sampler already counts)."""

from msprec.checklists.common.data.label_source import unless_open
from msprec.checklists.common.findings import missing, no_training, train_sets
from msprec.checklists.ds.class_balance.accuracy_alone import accuracy_alone
from msprec.checklists.ds.class_counts import balance
from msprec.engine.finding import Finding, together, worst
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("ds.03")
def class_balance(run_data: RunData) -> Finding:
    """Class counts of the training labels over one pass, as delivered (so a resampling sampler already counts).

    Problem: largest over smallest class at ds.03.ratio or more, a class below ds.03.few samples, or a class without any
    (a gap in the ids, or fewer labels than a cross-entropy head has outputs); or a first or last class of less than ds.03.part
    of what the others have in a set that comes one class after the other. A loss
    that goes by class or weights the classes makes up for the ratio, which is told (weights that were not seen are left open);
    not for a class with next to no samples. Beside any of these: an accuracy as the only score where one class has
    ds.03.majority of the samples. A part of a pass is judged only when it is large and mixed.
    Labels that are maps or sequences have no samples a class: not applicable for tokens, left open for segmentation.
    """
    if run_data.trains_nothing:
        return no_training()
    sets = [dataset for dataset in train_sets(run_data) if "label" in dataset]
    if not sets:
        return missing("训练集的标签", "label of a training set")
    found = worst([unless_open(run_data, dataset, balance(run_data, dataset)) for dataset in sets])
    scored = accuracy_alone(run_data, sets[0]) if found.conclusion == "problem" else None
    return found if scored is None else together([found, scored])
