"""cg.01: Which cells and parameters are reached by several ways."""

from msprec.checklists.cg.weight_sharing.weight_sharing import judge_sharing
from msprec.checklists.common import declared_design
from msprec.checklists.common.findings import missing
from msprec.engine.finding import Finding
from msprec.engine.item import item
from msprec.engine.run_data import RunData


@item("cg.01")
def shared_weights(run_data: RunData) -> Finding:
    """Which cells and parameters are reached by several ways.

    Problem: one cell with weights several times in a SequentialCell or CellList (``[block] * 6``); two weights of different
    kinds of layers that begin with the very same values (a tie that is a copy, or a shared piece of memory). One cell under
    two names of one parent: undecided, unless the source gives it both in so many words. A parameter given to two layers,
    or a cell given to two parents: as the script says, ok.
    """
    if not run_data.networks:
        return missing("网络结构", "network")
    if not any("shared_cells" in network for network in run_data.networks):
        return missing("参数的共享关系", "sharing of the network's parameters")
    return declared_design.sharing(run_data) or judge_sharing(run_data)
