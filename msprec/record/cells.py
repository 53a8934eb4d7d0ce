"""What goes into a cell of a CSV file."""


def harmless_text(value):
    """A value for a CSV file: a text that a spreadsheet would take for a formula gets an apostrophe; numbers stay."""
    if isinstance(value, str) and value[:1] in ("=", "+", "-", "@", "\t", "\r"):
        try:
            float(value)
        except ValueError:
            return "'" + value
    return value
