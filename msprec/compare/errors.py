"""What the comparisons raise."""


class CannotRead(Exception):
    """An input cannot be read or compared; the message is one line for the user."""
