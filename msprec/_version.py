"""The version, alone in its file so that setup.cfg can read it without importing anything."""

__version__ = "0.1.0"
