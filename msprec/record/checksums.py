"""Checksums of files, and lists of them."""

import hashlib
import re
import time
from pathlib import Path
from typing import Optional

_LINE = re.compile(r"^\\?([0-9a-fA-F]{32})\s+[ *]?(.+)$")


def md5_of(file: Path, seconds: Optional[float] = None) -> Optional[str]:
    """The MD5 in hexadecimal; None where the file cannot be read or ``seconds`` have passed before its end."""
    digest, begin = hashlib.md5(usedforsecurity=False), time.perf_counter()
    try:
        with open(file, "rb") as opened:
            while block := opened.read(1 << 20):
                digest.update(block)
                if seconds is not None and time.perf_counter() - begin > seconds:
                    return None
    except OSError:
        return None
    return digest.hexdigest()


def as_md5sum(files: list) -> str:
    """The entries with a checksum as ``md5sum`` writes them, so that ``md5sum -c`` checks them."""
    return "".join(f"{entry['md5']}  {entry['path']}\n" for entry in files if entry.get("md5"))


def from_md5sum(text: str) -> list:
    """``[{"name", "md5"}]`` of lines as ``md5sum`` writes them; other lines are passed over."""
    found = (_LINE.match(line) for line in text.splitlines())
    return [
        {"name": match[2].strip().removeprefix("./"), "bytes": None, "md5": match[1].lower()}
        for match in found
        if match
    ]
