"""Which cells and parameters of a network are reached by several ways, and which weights it uses without holding them."""

from typing import Optional

from msprec.runtime.cell_origins import created_place
from msprec.runtime.cells import is_builtin, is_optimizer_class, is_wrapper_class

#: Cells that hold others in a row.
_CONTAINERS = ("SequentialCell", "CellList", "CellDict")
_MOST = 200


def sharing_facts(root, optimized: Optional[set] = None) -> dict:
    """The entries ``shared_cells``, ``shared_parameters`` and ``unregistered`` of a network in ``network.json``.

    Args:
        root: The network.
        optimized: Ids of the parameters that an optimizer has; None where that is not known.
    """
    cells, parameters, listed = {}, {}, []
    _visit(root, "", "", cells, parameters, listed, set())
    return {
        "shared_cells": [_cell(ways) for ways in cells.values() if len(ways) > 1][:_MOST],
        "shared_parameters": [
            {"name": ways[0][0].name, "paths": [path for _, path, _ in ways], "classes": [cls for _, _, cls in ways]}
            for ways in parameters.values()
            if len(ways) > 1
        ][:_MOST],
        "unregistered": [_hidden(item, holder, held, optimized) for item, holder, held in listed[:_MOST]],
    }


def _visit(cell, path: str, parent: str, cells: dict, parameters: dict, listed: list, entered: set) -> None:
    """Goes through every way, and once into each cell; a wrapper of MindSpore's is no way of its own."""
    entered.add(id(cell))
    # a training cell lists the weights of its network (``self.weights = optimizer.parameters``): no second use of them
    listed_only = {
        id(p)
        for child in cell._cells.values()
        if child is not None and is_optimizer_class(type(child))
        for p in child.parameters
    }
    for name, parameter in cell._params.items():
        if parameter is not None and id(parameter) not in listed_only:
            way = (parameter, _join(path, name), type(cell).__name__)
            parameters.setdefault(id(parameter), []).append(way)
    listed += _in_plain_lists(cell, path)
    for name, child in cell._cells.items():
        if child is None or is_optimizer_class(type(child)):
            continue
        way = (child, _join(path, name), type(cell).__name__, path)
        if not is_wrapper_class(type(cell)):
            cells.setdefault(id(child), []).append(way)
        if id(child) not in entered:
            _visit(child, _join(path, name), path, cells, parameters, listed, entered)


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def _cell(ways: list) -> dict:
    cell = ways[0][0]
    trained = [p.name for p in cell.get_parameters() if p.requires_grad]
    inside = {}
    for _, _, holder, path in ways:
        if holder in _CONTAINERS:
            inside[path] = inside.get(path, 0) + 1
    most = max(inside, key=inside.get) if inside else None
    return {
        "class": type(cell).__name__,
        "builtin": is_builtin(type(cell)),
        "paths": [way[1] for way in ways][:50],
        "ways": len(ways),
        "parameters": trained[:50],
        "repeated_in": most,
        "repeated": inside.get(most, 0),
        "created": created_place(cell),
    }


def _in_plain_lists(cell, path: str) -> list:
    """Cells with weights in a Python list, tuple or dictionary of a cell: MindSpore does not see their parameters."""
    found = []
    held = {id(child) for child in cell._cells.values()}
    for name, value in vars(cell).items():
        values = value.values() if isinstance(value, dict) else value
        if name.startswith("_") or not isinstance(value, (list, tuple, dict)):
            continue
        for item in list(values)[:100]:
            if not hasattr(item, "_cells") or id(item) in held or is_optimizer_class(type(item)):
                continue
            if any(p.requires_grad for p in item.get_parameters()):
                found.append((item, _join(path, name), value))
    return found


def _hidden(cell, holder: str, held, optimized: Optional[set]) -> dict:
    trained = [p for p in cell.get_parameters() if p.requires_grad]
    return {
        "holder": holder,
        "kind": type(held).__name__,
        "length": len(held),
        "class": type(cell).__name__,
        "parameters": [p.name for p in trained[:20]],
        "created": created_place(cell),
        "in_optimizer": None if optimized is None else any(id(p) in optimized for p in trained),
    }
