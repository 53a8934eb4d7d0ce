"""The commands of the comparisons. Nothing heavy is imported before a command needs it."""

import os
import sys
from pathlib import Path
from typing import Optional

import click

_LANG = click.option("--lang", type=click.Choice(["zh", "en"]), help="Language; default: the locale's.")
_FAIL = click.option("--fail-on-difference", "fail", is_flag=True, help="Exit with 1 when the two differ.")


class Failure(click.ClickException):
    """One clear line on stderr and exit status 2."""

    exit_code = 2

    def show(self, file=None) -> None:
        click.echo(f"msprec: {self.message}", err=True)


def language(lang: Optional[str]) -> str:
    """``lang``, or the locale's."""
    from msprec.report.wording import default_lang

    return lang or default_lang()


def _console():
    from rich.console import Console

    # rows are cut for a terminal only; in a file or a pipe each stays one line
    return Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else 400)


def _write(what: dict) -> None:
    """Writes ``{path: bytes}``; a path that is None is left out."""
    for path, make in what.items():
        if path is None:
            continue
        try:
            Path(path).write_bytes(make())
        except OSError as error:
            raise Failure(f"cannot write {path}: {error.strerror or error}") from None


def _one_thread_a_product() -> None:
    """Pairs are compared on all cores at once; a BLAS that starts threads of its own for each would only be in the way.
    Takes effect where NumPy has not been imported yet."""
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")


def attach(main: click.Group) -> None:
    """Puts the commands of this module into the group ``main``."""
    main.add_command(compare)
    main.add_command(dump)
    main.add_command(overflow)


@click.group()
def compare() -> None:
    """Compare a run with a reference: losses, weights, tensors, data.

    \b
    Examples:
      msprec compare losses pytorch.log msprec_runs/train
      msprec compare weights net.pth net.ckpt
      msprec compare tensors pytorch_dump mindspore_dump
    """


# --- losses -------------------------------------------------------------------------------------------------------
@compare.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--repeat",
    "repeats",
    multiple=True,
    metavar="F",
    help="A repeated run of A or B, to tell noise from parting; may be given again.",
)
@click.option(
    "--pattern",
    metavar="REGEX",
    help="How a log's lines look: (?P<loss>…), and (?P<step>…), (?P<epoch>…) where there are.",
)
@click.option("--column", metavar="NAME", help="The column of a CSV that holds the loss.")
@click.option("--tag", metavar="TAG", help="The scalar of TensorBoard events that is the loss.")
@click.option("--steps-per-epoch", type=click.IntRange(1), help="Where a log counts the steps anew in each epoch.")
@click.option("--offset", type=int, help="Added to the steps of B.")
@click.option(
    "--rounding",
    type=click.FloatRange(0),
    default=1e-5,
    show_default=True,
    help="Relative difference that is rounding.",
)
@click.option(
    "--parted",
    type=click.FloatRange(0),
    default=0.01,
    show_default=True,
    help="Relative difference of the smoothed losses that is a parting.",
)
@click.option("--plot", metavar="F.png", help="Draw both losses and their difference there.")
@click.option("--csv", "csv_file", metavar="F.csv", help="Write every common step there.")
@click.option("--json", "json_file", metavar="F.json", help="Write the conclusion there (- for standard output).")
@_FAIL
@_LANG
def losses(
    a,
    b,
    repeats,
    pattern,
    column,
    tag,
    steps_per_epoch,
    offset,
    rounding,
    parted,
    plot,
    csv_file,
    json_file,
    fail,
    lang,
) -> None:
    """Find the step where the losses of B part from those of A, and what that means.

    A and B are run folders, CSV files, TensorBoard events or logs; LossMonitor's lines are recognised.

    \b
    Examples:
      msprec compare losses pytorch.log msprec_runs/train --plot losses.png
      msprec compare losses a.log b.log --pattern 'it (?P<step>\\d+) .* L=(?P<loss>\\S+)'
      msprec compare losses a.csv b.csv --repeat a_again.csv
    """
    from msprec.compare import loss_words
    from msprec.compare.errors import CannotRead
    from msprec.compare.loss_files import HowToRead, read_losses
    from msprec.compare.losses import compare_losses

    lang, how = language(lang), HowToRead(pattern, column, tag, steps_per_epoch)
    try:
        one, two = read_losses(a, how), read_losses(b, how)
        again = tuple(read_losses(path, how) for path in repeats)
        found = compare_losses(one, two, again, rounding, parted, offset)
    except CannotRead as error:
        raise Failure(str(error)) from None
    lines = loss_words.conclusion(found, rounding, lang)
    _write({csv_file: lambda: _loss_csv(found), plot: lambda: _loss_plot(found, (one.name, two.name), lang)})
    if json_file != "-":
        _show_losses(found, (one.name, two.name), lines, lang)
    _give_json(json_file, _loss_json(found, lines))
    if fail and found.case not in ("equal", "noise"):
        sys.exit(1)


def _loss_csv(found) -> bytes:
    lines = ["step,a,b,relative_difference,band"]
    columns = (found.steps, found.a, found.b, found.relative, found.band)
    lines += [f"{s},{x!r},{y!r},{r:.9g},{t:.3g}" for s, x, y, r, t in zip(*(column.tolist() for column in columns))]
    return ("\n".join(lines) + "\n").encode()


def _loss_plot(found, names: tuple, lang: str) -> bytes:
    from msprec.compare.loss_plot import draw

    return draw(found, _told_apart(names), lang)


def _told_apart(names: tuple) -> tuple:
    return names if names[0] != names[1] else (f"A: {names[0]}", f"B: {names[1]}")


def _show_losses(found, names: tuple, lines: list, lang: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from msprec.compare.loss_words import LABELS, rows

    say, names = LABELS[lang], _told_apart(names)
    table = Table(box=None, padding=(0, 2, 0, 0))
    for head in (say["step"], *names, say["difference"], ""):
        table.add_column(Text(head), justify="right", overflow="fold")
    marks = {found.parts: "parts", found.jumps: "jumps", found.differs: "differs"}
    before = None
    for step, x, y, relative, at in rows(found):
        if before is not None and at > before + 1:
            table.add_row(say["more"])
        mark = say[marks[at]] if at in marks else ""
        table.add_row(str(step), f"{x:.8g}", f"{y:.8g}", f"{relative:.2e}", Text(mark, style="bold red"))
        before = at
    console = _console()
    console.print(table)
    for line in lines:
        console.print(Text(line))


def _loss_json(found, lines: list) -> dict:
    def step(at):
        return None if at is None else int(found.steps[at])

    return {"case": found.case, "common_steps": len(found.steps), "exact": found.exact, "first_differs": step(found.differs),
            "parts": step(found.parts), "jumps": step(found.jumps), "largest_relative": float(found.relative.max()),
            "offset": found.offset, "conclusion": lines}  # fmt: skip


def _give_json(target: Optional[str], what: dict) -> None:
    if target is None:
        return
    import json

    from msprec.record.writer import plain

    text = json.dumps(plain(what), ensure_ascii=False, allow_nan=False, indent=1) + "\n"
    if target == "-":
        click.echo(text, nl=False)
    else:
        _write({target: lambda: text.encode("utf-8", "backslashreplace")})


# --- weights ------------------------------------------------------------------------------------------------------
_RENAME = click.option(
    "--rename",
    "renames",
    multiple=True,
    metavar="PATTERN=NAME",
    help="Change names of B by a regular expression; may be given again.",
)
_MAP = click.option("--map", "mapping", metavar="F", help="Names of A and B that belong together: JSON, CSV or lines.")
_WORST = click.option(
    "--worst", type=click.IntRange(0), default=20, show_default=True, help="Rows to show, worst first."
)
_CSV = click.option("--csv", "csv_file", metavar="F.csv", help="Write every pair there.")
_JSON = click.option(
    "--json", "json_file", metavar="F.json", help="Write the conclusion there (- for standard output)."
)


@compare.command()
@click.argument("a")
@click.argument("b")
@_RENAME
@_MAP
@click.option(
    "--since",
    nargs=2,
    metavar="A0 B0",
    help="Earlier weights of A and B: compare what a step added, not the weights.",
)
@click.option("--rtol", type=click.FloatRange(0), help="Relative difference that is rounding; default: by the dtypes.")
@_WORST
@_CSV
@_JSON
@_FAIL
@_LANG
def weights(a, b, renames, mapping, since, rtol, worst, csv_file, json_file, fail, lang) -> None:
    """Compare two files of weights: .ckpt, .safetensors, .pth, .pt, .npz.

    Names are matched between PyTorch and MindSpore. Nothing in a file is executed, and neither framework is needed.

    \b
    Examples:
      msprec compare weights initial.pth initial.ckpt
      msprec compare weights step1.pth step1.ckpt --since step0.pth step0.ckpt
      msprec compare weights a.pth b.ckpt --rename '^backbone\\.=' --csv weights.csv
    """
    _one_thread_a_product()
    from msprec.compare import weight_words
    from msprec.compare.errors import CannotRead
    from msprec.compare.names import read_mapping, read_renames
    from msprec.compare.weight_files import read_weights
    from msprec.compare.weights import compare_weights

    lang = language(lang)
    try:
        given = read_mapping(mapping) if mapping else None
        earlier = tuple(map(read_weights, since)) if since else None
        found = compare_weights(read_weights(a), read_weights(b), read_renames(renames), given, rtol, earlier)
    except CannotRead as error:
        raise Failure(str(error)) from None
    lines = weight_words.conclusion(found, lang)
    _write({csv_file: lambda: _weight_csv(found)})
    if json_file != "-":
        _show_weights(found, lines, worst, lang)
    _give_json(json_file, {"conclusion": lines, "rows": list(map(_weight_entry, found.rows)),
                           "only_a": found.matched.only_a, "only_b": found.matched.only_b})  # fmt: skip
    apart = found.matched.only_a or found.matched.only_b
    if fail and (apart or any(row.verdict not in ("identical", "rounding") for row in found.rows)):
        sys.exit(1)


def _weight_entry(row) -> dict:
    entry = {"a": row.match.a, "b": row.match.b, "matched_by": row.match.how, "verdict": row.verdict,
             "shape_a": list(row.shapes[0]), "shape_b": list(row.shapes[1]),
             "dtype_a": row.dtypes[0], "dtype_b": row.dtypes[1]}  # fmt: skip
    if row.pair is not None:
        entry.update(_numbers(row.pair), std_a=row.spreads[0], std_b=row.spreads[1])
    return entry


def _numbers(pair) -> dict:
    """The statistics of a pair, flat."""
    found = {name: getattr(pair, name) for name in ("cosine", "max_abs", "mean_abs", "max_rel", "within", "identical")}
    for side in ("a", "b"):
        found.update({f"{name}_{side}": value for name, value in getattr(pair, side)._asdict().items()})
    return found


def _weight_csv(found) -> bytes:
    return _table_csv([_weight_entry(row) for row in found.rows])


def _table_csv(entries: list) -> bytes:
    import csv
    import io

    columns = list(dict.fromkeys(key for entry in entries for key in entry))
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, columns, lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(entries)
    return buffer.getvalue().encode("utf-8", "backslashreplace")


def _show_weights(found, lines: list, worst: int, lang: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from msprec.compare.weight_words import WORDS, worst_first

    say, console = WORDS[lang], _console()
    wrong = [row for row in worst_first(found.rows) if row.verdict not in ("identical", "rounding")][:worst]
    if wrong:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for head in (say["name"], say["verdict"], say["shape_"], say["cosine"], say["max_abs"], say["spreads"]):
            table.add_column(Text(head), overflow="fold")
        for row in wrong:
            name = row.match.a if row.match.a == row.match.b else f"{row.match.a} – {row.match.b}"
            shape = str(list(row.shapes[0])) + (f" – {list(row.shapes[1])}" if row.shapes[0] != row.shapes[1] else "")
            numbers = ("", "", "")
            if row.pair is not None:
                spreads = " / ".join("-" if s is None else f"{s:.3g}" for s in row.spreads)
                numbers = (f"{row.pair.cosine:.6f}", f"{row.pair.max_abs:.3g}", spreads)
            table.add_row(*map(Text, (name, say[row.verdict], shape, *numbers)))
        console.print(table)
    for line in lines:
        console.print(Text(line))


# --- tensors ------------------------------------------------------------------------------------------------------
@compare.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--pair",
    "how",
    type=click.Choice(["auto", "name", "order", "structure"]),
    default="auto",
    show_default=True,
    help="How tensors are paired; auto: by name, what is left by shapes and order.",
)
@_RENAME
@_MAP
@click.option("--allclose", is_flag=True, help="Judge by --rtol and --atol.")
@click.option(
    "--cosine", type=click.FloatRange(-1, 1), help="Judge by the cosine alone, as precision_tool does (0.98)."
)
@click.option("--rtol", type=click.FloatRange(0), default=1e-3, show_default=True, help="Relative tolerance.")
@click.option("--atol", type=click.FloatRange(0), default=1e-3, show_default=True, help="Absolute tolerance.")
@click.option(
    "--agree",
    type=click.FloatRange(0),
    help="Relative error up to which inputs and outputs agree; default: by the dtypes.",
)
@click.option("--in-order", is_flag=True, help="Show the pairs in the order of execution, not the worst first.")
@_WORST
@_CSV
@click.option("--xlsx", metavar="F.xlsx", help="Write every pair there, as an Excel workbook.")
@_JSON
@_FAIL
@_LANG
def tensors(
    a,
    b,
    how,
    renames,
    mapping,
    allclose,
    cosine,
    rtol,
    atol,
    agree,
    in_order,
    worst,
    csv_file,
    xlsx,
    json_file,
    fail,
    lang,
) -> None:
    """Compare two folders of tensors, and name the first operation whose inputs agree and whose output does not.

    A, the reference, and B hold .npy or .npz files, or a dump: of `msprec dump`, `msprec.torch.dump`, MindSpore
    (MINDSPORE_DUMP_CONFIG), msprobe, ptdbg. A pair fails, as in ptdbg, where its cosine is below 0.99 and the largest
    difference above 0.001, or the cosine below 0.9, or the difference above 1.

    \b
    Examples:
      msprec compare tensors pytorch_dump mindspore_dump
      msprec compare tensors A B --cosine 0.98 --worst 10
      msprec compare tensors A B --allclose --rtol 1e-4 --atol 1e-5 --xlsx tensors.xlsx
    """
    _one_thread_a_product()
    from msprec.compare import tensor_words
    from msprec.compare.culprit import find_culprit
    from msprec.compare.dumps import read_dump
    from msprec.compare.errors import CannotRead
    from msprec.compare.names import read_mapping, read_renames
    from msprec.compare.tensors import GOOD, Rule, compare_dumps

    lang = language(lang)
    if allclose and cosine is not None:
        raise Failure("give either --allclose or --cosine")
    name = "allclose" if allclose else "cosine" if cosine is not None else "ptdbg"
    rule = Rule(name, rtol, atol, 0.98 if cosine is None else cosine)
    try:
        given = read_mapping(mapping) if mapping else None
        found = compare_dumps(read_dump(a), read_dump(b), rule, how=how, renames=read_renames(renames), mapping=given)
    except CannotRead as error:
        raise Failure(str(error)) from None
    culprit = find_culprit(found, agree)
    lines = tensor_words.counts(found, lang) + tensor_words.sentence(found, culprit, lang)
    entries = [_tensor_entry(row) for row in found.rows]
    _write({csv_file: lambda: _table_csv(entries), xlsx: lambda: _tensor_xlsx(found.rows, entries)})
    if json_file != "-":
        _show_tensors(found, lines, worst, in_order, lang)
    only = {key: [item.name for item in getattr(found.paired, key)] for key in ("only_a", "only_b")}
    _give_json(json_file, {"conclusion": lines, "culprit": _culprit_entry(culprit), "rows": entries, **only})
    if fail and (culprit.kind != "clean" or any(row.verdict not in GOOD for row in found.rows)):
        sys.exit(1)


def _culprit_entry(culprit) -> dict:
    call, row = culprit.call, culprit.row
    return {"kind": culprit.kind, "op": call.op if call else None, "phase": call.phase if call else None,
            "step": call.step if call else None, "tensor": row.a.name if row else None, "judged": culprit.judged,
            "random": list(culprit.random), "missing": [list(m) for m in culprit.missing]}  # fmt: skip


def _tensor_entry(row) -> dict:
    entry = {"step": row.a.step, "a": row.a.name, "b": row.b.name, "paired_by": row.how, "verdict": row.verdict,
             "shape_a": _shape(row.shapes[0]), "shape_b": _shape(row.shapes[1]),
             "dtype_a": row.dtypes[0], "dtype_b": row.dtypes[1]}  # fmt: skip
    if row.pair is not None:
        entry.update(_numbers(row.pair), relative=row.pair.relative, ulp=row.pair.ulp)
    for side, one in zip("ab", row.ones or ()):
        entry.update({f"{name}_{side}": value for name, value in one._asdict().items()})
    return {**entry, "error": row.error} if row.error else entry


def _shape(shape) -> Optional[str]:
    return None if shape is None else "x".join(map(str, shape)) or "scalar"


def _tensor_xlsx(rows: list, entries: list) -> bytes:
    from msprec.compare.tensors import GOOD
    from msprec.compare.xlsx import workbook

    columns = list(dict.fromkeys(key for entry in entries for key in entry))
    red = [at for at, row in enumerate(rows) if row.verdict not in GOOD]
    return workbook(columns, [[entry.get(column) for column in columns] for entry in entries], "tensors", red)


def _show_tensors(found, lines: list, worst: int, in_order: bool, lang: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from msprec.compare.tensor_words import WORDS
    from msprec.compare.tensors import GOOD, worst_first

    say, console = WORDS[lang], _console()
    rows = found.rows if in_order else [row for row in worst_first(found.rows) if row.verdict not in GOOD]
    if rows[:worst]:
        table = Table(box=None, padding=(0, 2, 0, 0))
        for head in ("step", "verdict", "cosine", "max_abs", "rel", "within", "range_a", "range_b", "name"):
            table.add_column(Text(say[head]), overflow="fold")
        for row in rows[:worst]:
            table.add_row(*map(Text, _tensor_cells(row, say)))
        console.print(table)
    for line in lines:
        console.print(Text(line))


def _tensor_cells(row, say: dict) -> tuple:
    name = row.a.name if row.a.name == row.b.name else f"{row.a.name} – {row.b.name}"
    numbers = ("", "", "", "", "", "")
    if row.verdict == "shape":
        numbers = ("", "", "", "", _shape(row.shapes[0]), _shape(row.shapes[1]))
    elif row.pair is not None:
        pair = row.pair
        numbers = (f"{pair.cosine:.6f}", f"{pair.max_abs:.3g}", f"{pair.relative:.2e}", f"{pair.within:.2%}",
                   _range(pair.a), _range(pair.b))  # fmt: skip
    elif row.ones:
        numbers = ("", "", "", "", *map(_range, row.ones))
    return (str(row.a.step), say[row.verdict], *numbers, name)


def _range(one) -> str:
    bad = "".join(f" {count} {what}" for count, what in ((one.nan, "NaN"), (one.inf, "Inf")) if count)
    return (f"{one.min:.4g}/{one.max:.4g}" if one.min is not None and one.max is not None else "-") + bad


# --- dump ---------------------------------------------------------------------------------------------------------
@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("--steps", default="1", show_default=True, help="Which training steps, from 1: 1-2 or 1,10.")
@click.option("--out", metavar="DIR", help="The folder to write; default: msprec_runs/SCRIPT-TIME.")
@click.option("--statistics", is_flag=True, help="Write statistics only, no values.")
@click.argument("script")
@click.argument("args", nargs=-1, type=click.UNPROCESSED)
def dump(steps: str, out: Optional[str], statistics: bool, script: str, args: tuple) -> None:
    """Dump the inputs and outputs of every cell of SCRIPT's network, forward and backward, and its gradients.

    The script runs unchanged up to the last of the steps, and ends there. Each of the steps is run once more beforehand, in
    PyNative mode, from the same weights, batch and random state, so that graph mode can be dumped too. The same of a PyTorch
    script: msprec.torch.dump(model, DIR).

    \b
    Examples:
      msprec dump --steps 1-2 --out mindspore_dump train.py
      msprec compare tensors pytorch_dump mindspore_dump
    """
    from msprec.cli import _run_folder
    from msprec.compare.errors import CannotRead
    from msprec.compare.msprec_dump import DumpWriter
    from msprec.compare.slots import wanted_steps

    try:
        wanted = wanted_steps(steps)
    except CannotRead as error:
        raise Failure(str(error)) from None
    if not os.path.isfile(script):
        raise Failure(f"no such script: {script}")
    folder = _run_folder(script, out)
    try:
        writer = DumpWriter(folder, "mindspore", statistics)
        from msprec.compare import mindspore_capture

        why_not = mindspore_capture.run_script(script, list(args), writer, wanted)
    except SyntaxError as error:
        raise Failure(f"{script} does not compile: {error.msg} (line {error.lineno})") from None
    except OSError as error:
        raise Failure(f"cannot read {script} or write {folder}: {error}") from None
    if why_not:
        raise Failure(why_not)
    click.echo(f"msprec: {writer.count} tensors of {len(writer.steps)} steps: {folder}", err=True)


# --- overflow -----------------------------------------------------------------------------------------------------
@click.command()
@click.argument("folder", metavar="DUMP_DIR")
@click.option("--most", type=click.IntRange(1), default=3, show_default=True, help="Overflow files to describe.")
@click.option("--fail-on-overflow", "fail", is_flag=True, help="Exit with 1 when there is an overflow.")
@_LANG
def overflow(folder: str, most: int, fail: bool, lang: Optional[str]) -> None:
    """Name the first operator that overflowed in a dump, with its status, its inputs and outputs, and its source line.

    DUMP_DIR holds Ascend's overflow files (Opdebug.Node_OpDebug…, raw or decoded to JSON) and the operators' data; or the
    values of a dump of MindSpore, msprobe, ptdbg or msprec, of which the first that are not finite are named.

    \b
    Examples:
      msprec overflow dump/rank_0
    """
    _one_thread_a_product()
    from msprec.compare import overflow_words
    from msprec.compare.errors import CannotRead
    from msprec.compare.overflow import find_overflows

    lang = language(lang)
    try:
        result = find_overflows(folder, most)
    except CannotRead as error:
        raise Failure(str(error)) from None
    for line in overflow_words.lines(result, lang):
        click.echo(line)
    if fail and result.found:
        sys.exit(1)


# --- data ---------------------------------------------------------------------------------------------------------
@compare.command()
@click.argument("a")
@click.argument("b")
@_FAIL
@_LANG
def data(a: str, b: str, fail: bool, lang: Optional[str]) -> None:
    """Compare what two data pipelines deliver: samples, order, scale, layout, and which label belongs to which sample.

    A and B are folders of batches (.npz, a column an array), as msprec.compare.data.save_batches(loader, DIR) writes them in a
    PyTorch script as well as in a MindSpore script, or single .npz or .npy files.

    \b
    Examples:
      msprec compare data pytorch_batches mindspore_batches
    """
    from msprec.compare import data_words
    from msprec.compare.data import compare_data, read_data
    from msprec.compare.errors import CannotRead

    lang = language(lang)
    try:
        found = compare_data(read_data(a), read_data(b))
    except CannotRead as error:
        raise Failure(str(error)) from None
    for line in data_words.lines(found, lang):
        click.echo(line)
    if fail and not data_words.same(found):
        sys.exit(1)


# --- run --repeat -------------------------------------------------------------------------------------------------
def run_repeatedly(script: str, args: tuple, folder: Path, times: int, options: tuple, lang: Optional[str]) -> None:
    """The work of `msprec run --twice` and `--repeat N`; ends the process with the script's exit status."""
    from msprec.compare import repeat_words
    from msprec.compare.repeat import exit_status, run_repeatedly
    from msprec.record.reader import RunFolderError

    if os.environ.get("MS_ROLE"):
        raise Failure(
            "a distributed run cannot be repeated by one of its workers; run it twice and use msprec compare losses"
        )
    lang = language(lang)
    try:
        found = run_repeatedly(script, list(args), folder, times, ("--lang", lang, *options))
    except (OSError, RunFolderError) as error:
        raise Failure(f"the runs cannot be compared: {error}") from None
    for line in repeat_words.lines(found, lang):
        click.echo(f"msprec: {line}", err=True)
    sys.exit(exit_status(found.statuses))
