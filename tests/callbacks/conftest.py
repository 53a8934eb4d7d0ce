"""The fixture of these tests; it lives in a module of a name of its own, because MindSpore's graph compiler looks up the
globals of a cell by the name of its module, and several folders here have a ``conftest``."""

from scaled_training import kit  # noqa: F401
