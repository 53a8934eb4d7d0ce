"""Facts of a network and of its watched step, for items on the graph."""

from building import Run, parameter

PLACE = {"file": "train.py", "line": 5}


def network(**changes):
    base = {
        "id": 0,
        "class": "Net",
        "role": "train",
        "place": PLACE,
        "cells": [],
        "shared_cells": [],
        "shared_parameters": [],
        "unregistered": [],
    }
    return {**base, **changes}


def cell(*paths, repeated_in=None, **changes):
    base = {
        "class": "Dense",
        "builtin": True,
        "paths": list(paths),
        "ways": len(paths),
        "repeated_in": repeated_in,
        "parameters": [f"{paths[0]}.weight"],
        "repeated": len(paths) if repeated_in else 0,
        "created": PLACE,
    }
    return {**base, **changes}


def ran(path, calls=1, used=True, gradient=True, cls="Dense", **changes):
    base = {
        "path": path,
        "class": cls,
        "builtin": True,
        "loss": False,
        "calls": calls,
        "used": used,
        "gradient": gradient,
        "created": PLACE,
    }
    return {**base, **changes}


def graph(*cells, source=None, weights=(), **changes):
    made = Run(network=[network(**changes)], parameters=list(weights) or [parameter("a.weight", [4, 4])])
    made.facts["probes"] = {"skipped": {}, "graph": {"cells": list(cells), "unregistered": []}}
    if source:
        made.source["train.py"] += source
    return made
