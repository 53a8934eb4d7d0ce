"""The classes whose cells the networks of the run hold."""

from msprec.engine.run_data import RunData


def own_class_names(run_data: RunData) -> list[str]:
    """The names of the classes of the networks, and of the cells in them, that are no library's; each once, as they come."""
    own = (cell.class_ for network in run_data.networks for cell in network.cells if not cell.builtin and cell.class_)
    return list(dict.fromkeys(own))


def class_names(run_data: RunData) -> set[str]:
    """The names of the classes of all cells of the networks, a library's among them."""
    return {cell.class_ for network in run_data.networks for cell in network.cells if cell.class_}
