"""Writes a report anew around the answers that a person has put into it."""

import os
import shutil
from pathlib import Path
from typing import Optional

from msprec.report.answer_merge import merge, pictures
from msprec.report.form_reader import Form
from msprec.report.word import write_word


def update_report(
    found: dict, form: Form, path: Path, out: Optional[Path], run_dir: Optional[Path], lang: str, **options
) -> tuple[dict, Optional[Path]]:
    """Merges the form into the findings and writes the report to ``out``, or in place of ``path``.

    A file that would be replaced is first copied beside itself, and the new one is put in its place whole.

    Args:
        found: The findings as just concluded.
        form: What was read from ``path``.
        options: ``full`` and ``letter``, as for `write_word`.

    Returns:
        tuple: the findings with the person's answers, and the name of the copy (None where nothing was replaced).

    Raises:
        OSError: a file cannot be written.
    """
    merged, target = merge(found, form, lang), out or path
    backup = None
    if target.exists():
        backup = _backup_name(target)
        shutil.copy2(target, backup)
    fresh = target.with_name(f".{target.stem}.new{target.suffix}")
    try:
        write_word(merged, fresh, run_dir, lang, pictures(form), beside=target, **options)
        os.replace(fresh, target)
    finally:
        fresh.unlink(missing_ok=True)
    return merged, backup


def _backup_name(path: Path) -> Path:
    for count in range(1, 10_000):
        name = path.with_name(f"{path.stem}.before-update-{count}{path.suffix}")
        if not name.exists():
            return name
    raise OSError(f"too many earlier versions beside {path}")
