"""Protocol-buffer messages without their schema: field numbers and where their bytes are."""

from collections.abc import Iterator


def fields(data, begin: int = 0, end: int = -1) -> Iterator[tuple]:
    """The fields of the message in ``data[begin:end]``.

    Args:
        data: bytes, memoryview or mmap; nothing is copied.
        begin, end: Where the message is; -1: to the end of the data.

    Yields:
        ``(number, value)``: an int for a varint, ``(begin, end)`` of the bytes for every other kind.

    Raises:
        ValueError: It is no message, or is cut off.
    """
    at, end = begin, len(data) if end < 0 else end
    while at < end:
        key, at = _varint(data, at, end)
        number, kind = key >> 3, key & 7
        if kind == 0:
            value, at = _varint(data, at, end)
            yield number, value
            continue
        if kind == 2:
            length, at = _varint(data, at, end)
        elif kind in (1, 5):
            length = 8 if kind == 1 else 4
        else:
            raise ValueError("no protocol buffer")
        if number == 0 or at + length > end:
            raise ValueError("cut off" if number else "no protocol buffer")
        yield number, (at, at + length)
        at += length


def varints(data, begin: int, end: int) -> list:
    """The values of a packed field."""
    found = []
    while begin < end:
        value, begin = _varint(data, begin, end)
        found.append(value)
    return found


def _varint(data, at: int, end: int) -> tuple:
    value = shift = 0
    while at < end:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
        if shift > 63:
            raise ValueError("no protocol buffer")
    raise ValueError("cut off")
