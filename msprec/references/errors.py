"""The error of every reference."""


class BadReference(ValueError):
    """The reference cannot be read; the message is one line for the user."""
