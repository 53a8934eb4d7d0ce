"""Text that any document can hold."""

import re

# what XML 1.0 cannot hold, lone surrogates included; C1 controls; marks that turn the direction of the text after them
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def clean(text) -> str:
    """The text with what a document cannot hold, or what would garble it, as visible ``\\xNN`` or ``\\uNNNN``.

    Tabs and line ends stay.
    """
    return _FORBIDDEN.sub(lambda m: _escape(ord(m.group())), str(text))


def _escape(code: int) -> str:
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
