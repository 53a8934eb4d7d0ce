"""``msprec compare losses``: arguments in, one call, text out."""

import sys

import click

from msprec.cli.common import FAIL, LANG, Failure, give_json, language, make_console, write


def _told_apart(names: tuple) -> tuple:
    return names if names[0] != names[1] else (f"A: {names[0]}", f"B: {names[1]}")


@click.command()
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
@FAIL
@LANG
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
    from msprec.compare.errors import CannotRead
    from msprec.compare.losses import losses_text
    from msprec.compare.losses.compare import compare_losses
    from msprec.compare.losses.files import HowToRead, read_losses

    lang, how = language(lang), HowToRead(pattern, column, tag, steps_per_epoch)
    try:
        one, two = read_losses(a, how), read_losses(b, how)
        again = tuple(read_losses(path, how) for path in repeats)
        found = compare_losses(one, two, again, rounding, parted, offset)
    except CannotRead as error:
        raise Failure(str(error)) from None
    lines = losses_text.conclusion(found, rounding, lang)
    write({csv_file: lambda: _loss_csv(found), plot: lambda: _loss_plot(found, (one.name, two.name), lang)})
    if json_file != "-":
        _show_losses(found, (one.name, two.name), lines, lang)
    give_json(json_file, _loss_json(found, lines))
    if fail and found.case not in ("equal", "noise"):
        sys.exit(1)


def _loss_csv(found) -> bytes:
    lines = ["step,a,b,relative_difference,band"]
    columns = (found.steps, found.a, found.b, found.relative, found.band)
    lines += [f"{s},{x!r},{y!r},{r:.9g},{t:.3g}" for s, x, y, r, t in zip(*(column.tolist() for column in columns))]
    return ("\n".join(lines) + "\n").encode()


def _loss_plot(found, names: tuple, lang: str) -> bytes:
    from msprec.compare.losses.plot import draw

    return draw(found, _told_apart(names), lang)


def _show_losses(found, names: tuple, lines: list, lang: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from msprec.compare.losses.losses_text import LABELS, rows

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
    console = make_console()
    console.print(table)
    for line in lines:
        console.print(Text(line))


def _loss_json(found, lines: list) -> dict:
    def step(at):
        return None if at is None else int(found.steps[at])

    return {
        "case": found.case,
        "common_steps": len(found.steps),
        "exact": found.exact,
        "first_differs": step(found.differs),
        "parts": step(found.parts),
        "jumps": step(found.jumps),
        "largest_relative": float(found.relative.max()),
        "offset": found.offset,
        "conclusion": lines,
    }
