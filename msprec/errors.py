"""Errors that msprec raises on purpose."""


class NonFiniteError(ArithmeticError):
    """Raised by ``NonFiniteMonitor(policy="raise")`` at the step whose loss is NaN or infinite."""


class Located(BaseException):
    """Ends a script that was run only to locate; ``facts`` are those of the event ``located``. No `Exception`, so that
    no ``except`` of the script's keeps it going."""

    def __init__(self, facts: dict) -> None:
        super().__init__("located")
        self.facts = facts


class SweepDone(BaseException):
    """Ends a script that was run only for a range test of its learning rate. No `Exception`, for the same reason."""


class DumpDone(BaseException):
    """Ends a script that was run only to dump tensors of some of its steps. No `Exception`, for the same reason."""
