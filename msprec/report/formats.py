"""The forms that findings can be written in. A new one is a file beside this one, and an entry in `FORMATS`."""

from importlib import import_module
from pathlib import Path
from typing import Callable, NamedTuple, Optional

#: Kinds of formats, by what their function takes and gives; the checklist is the dict of ``checklist.json``.
#:   text     (checklist) -> str, which may go to standard output
#:   file     (checklist, path, run_dir, lang): writes ``path``, raises OSError where it cannot
#:   console  (checklist, console, report_path): prints to a rich console
KINDS = ("text", "file", "console")


class Format(NamedTuple):
    """One form.

    ``option``: the option of `msprec checklist` that takes the file's name, None where there is no file; ``example``: such a
    name; ``help``: what the option does. ``kind``: one of `KINDS`. ``function``: ``module:function``, imported when it is used.
    ``options``: what else the function may be given by name: ``full``, ``letter``.
    """

    name: str
    option: Optional[str]
    example: Optional[str]
    help: str
    kind: str
    function: str
    options: tuple = ()

    def load(self) -> Callable:
        """The function, as `KINDS` describes it."""
        module, _, name = self.function.partition(":")
        return getattr(import_module(module), name)


_DASH = "(- for standard output)"
_FORMATS = (
    Format(
        "word",
        "--out",
        "F.docx",
        "Write the Word report there.",
        "file",
        "msprec.report.word:write_word",
        ("full", "letter"),
    ),
    Format(
        "json", "--json", "F.json", f"Write the findings there {_DASH}.", "text", "msprec.record.checklist_file:as_json"
    ),
    Format(
        "html",
        "--html",
        "F.html",
        "Write one page of HTML there that needs no network.",
        "file",
        "msprec.report.html:write_html",
    ),
    Format("junit", "--junit", "F.xml", f"Write JUnit's XML there {_DASH}.", "text", "msprec.report.junit:as_junit"),
    Format(
        "markdown",
        "--markdown",
        "F.md",
        f"Write Markdown for an issue there {_DASH}.",
        "text",
        "msprec.report.markdown:as_markdown",
    ),
    Format(
        "terminal",
        None,
        None,
        "A table on the terminal, where no text goes there.",
        "console",
        "msprec.report.terminal:print_table",
    ),
)
#: All forms by name, in the order in which `msprec checklist --help` lists them.
FORMATS = {entry.name: entry for entry in _FORMATS}


def write(name: str, checklist: dict, path: Path, run_dir: Optional[Path], lang: str, **options) -> None:
    """Writes the findings into a file, in the form ``name`` of `FORMATS`, one of the kinds text and file.

    Args:
        checklist: The dict of ``checklist.json``.
        path: The file.
        run_dir: The run folder, for what a form draws from it; None for a blank form.
        lang: ``zh`` or ``en``.
        options: Of `Format.options`; a form that does not know one goes without.

    Raises:
        KeyError: There is no such form.
        OSError: The file cannot be written.
    """
    form = FORMATS[name]
    if form.kind == "file":
        form.load()(checklist, path, run_dir, lang, **{k: v for k, v in options.items() if k in form.options})
    else:
        path.write_text(form.load()(checklist), encoding="utf-8", errors="backslashreplace")
