"""Where in the user's source each cell was made."""

import sys
import weakref
from typing import Optional

from msprec.runtime.source_locations import is_user_file, place_in

_places = weakref.WeakKeyDictionary()


def created_place(cell) -> Optional[dict]:
    """``{"file": ..., "line": ...}`` of the statement that made ``cell``; None where it was not seen or is not the user's."""
    return _places.get(cell)


def created_classes() -> set:
    """The classes of the cells that live and were made by the user's source, and their bases."""
    return {base for cell in list(_places) for base in type(cell).__mro__}


def watch_creation(patches) -> None:
    """Notes the place of every cell made from now on."""

    def watch(original):
        def __init__(cell, *args, **kwargs):
            original(cell, *args, **kwargs)
            try:
                place = _outside_of_init(cell, sys._getframe(1))
                if place:
                    _places[cell] = place
            except Exception:
                # an odd class (unhashable, own __eq__): its place stays unknown
                pass

        return __init__

    patches.hook("cell_init", watch)


def _outside_of_init(cell, frame) -> Optional[dict]:
    """The innermost user frame that is not an ``__init__`` of this very cell."""
    while frame is not None:
        code = frame.f_code
        if is_user_file(code.co_filename) and not _is_own_init(cell, frame):
            return place_in(code.co_filename, frame.f_lineno)
        frame = frame.f_back
    return None


def _is_own_init(cell, frame) -> bool:
    code = frame.f_code
    return code.co_name == "__init__" and code.co_argcount > 0 and frame.f_locals.get(code.co_varnames[0]) is cell
