"""Replacing attributes of MindSpore's classes and modules, and putting them back."""

import functools
import sys
from typing import Callable, Optional

from msprec.runtime import hook_points
from msprec.runtime.hook_points import HookPlace


class Patches:
    """What was replaced, so that `undo` restores it."""

    def __init__(self) -> None:
        self._undo = []

    def hook(self, name: str, make: Callable) -> Optional[HookPlace]:
        """Replaces what stands at the row ``name`` of `hook_points` by ``make(original)``; returns where it was found, None
        where this MindSpore does not have it. A function is replaced wherever a loaded module of MindSpore holds it."""
        found = hook_points.find(name)
        if found is None:
            return None
        try:
            if isinstance(found.owner, type):
                if not callable(_function(vars(found.owner).get(found.attribute))):
                    raise AttributeError("it is inherited")
                self.wrap(found.owner, found.attribute, make)
            else:
                self.wrap_function(found.owner, found.attribute, make)
        except (AttributeError, TypeError) as error:  # a class that cannot be changed
            hook_points.failed(name, error)
            return None
        return found

    def wrap(self, owner, name: str, make: Callable) -> None:
        """Replaces the attribute ``name`` that ``owner`` itself defines by ``make(original)``; a missing one is left alone."""
        original = vars(owner).get(name)
        function = _function(original)
        if not callable(function):
            return
        replacement = functools.wraps(function)(make(function))
        setattr(owner, name, replacement if function is original else staticmethod(replacement))
        self._undo.append((owner, name, original))

    def wrap_function(self, module, name: str, make: Callable) -> None:
        """Replaces a function wherever a loaded mindspore module holds it, so that every import finds the same one."""
        original = getattr(module, name, None)
        if original is None:
            return
        replacement = functools.wraps(original)(make(original))
        for key, holder in list(sys.modules.items()):
            if key.split(".")[0] != "mindspore" or holder is None:
                continue
            for attribute, value in list(vars(holder).items()):
                if value is original:
                    setattr(holder, attribute, replacement)
                    self._undo.append((holder, attribute, original))

    def undo(self) -> None:
        for owner, name, original in reversed(self._undo):
            setattr(owner, name, original)
        self._undo.clear()


def _function(value):
    """The function of a static method; anything else as it is."""
    return value.__func__ if isinstance(value, staticmethod) else value
