"""What both captures share: the names of the tensors in nested inputs and outputs, and which steps are wanted."""

from msprec.compare.errors import CannotRead


def mapped(values, is_tensor, change, prefix: str = ""):
    """Nested tuples, lists and dictionaries with ``change(slot, tensor)`` in place of each tensor; slots are "0", "1.0", "mask",
    that of a single tensor "0"."""
    if is_tensor(values):
        return change(prefix or "0", values)
    if isinstance(values, dict):
        changed = {k: mapped(v, is_tensor, change, f"{prefix}.{k}" if prefix else str(k)) for k, v in values.items()}
        return changed if type(values) is dict else values
    if type(values) in (tuple, list):
        return type(values)(
            mapped(v, is_tensor, change, f"{prefix}.{i}" if prefix else str(i)) for i, v in enumerate(values)
        )
    return values


def wanted_steps(text: str) -> frozenset:
    """``"1-2,10"`` as a set of step numbers, counted from 1.

    Raises:
        CannotRead: It is none.
    """
    found = set()
    for part in str(text).split(","):
        first, _, last = part.strip().partition("-")
        try:
            numbers = range(int(first), int(last or first) + 1)
        except ValueError:
            numbers = range(0)
        if not numbers or numbers[0] < 1 or len(numbers) > 10_000:
            raise CannotRead(f"no steps: {part!r} (write 1-2 or 1,5,10)")
        found.update(numbers)
    return frozenset(found)
