"""Errors that msprec raises on purpose."""


class NonFiniteError(ArithmeticError):
    """Raised by ``NonFiniteMonitor(policy="raise")`` at the step whose loss is NaN or infinite."""
