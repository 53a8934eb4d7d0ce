"""``msprec compare weights``: arguments in, one call, text out."""

import sys

import click

from msprec.cli.common import (
    CSV,
    FAIL,
    JSON,
    LANG,
    MAP,
    RENAME,
    WORST,
    Failure,
    give_json,
    language,
    make_console,
    measures,
    one_thread_a_product,
    table_csv,
    write,
)


@click.command()
@click.argument("a")
@click.argument("b")
@RENAME
@MAP
@click.option(
    "--since",
    nargs=2,
    metavar="A0 B0",
    help="Earlier weights of A and B: compare what a step added, not the weights.",
)
@click.option("--rtol", type=click.FloatRange(0), help="Relative difference that is rounding; default: by the dtypes.")
@WORST
@CSV
@JSON
@FAIL
@LANG
def weights(a, b, renames, mapping, since, rtol, worst, csv_file, json_file, fail, lang) -> None:
    """Compare two files of weights: .ckpt, .safetensors, .pth, .pt, .npz.

    Names are matched between PyTorch and MindSpore. Nothing in a file is executed, and neither framework is needed.

    \b
    Examples:
      msprec compare weights initial.pth initial.ckpt
      msprec compare weights step1.pth step1.ckpt --since step0.pth step0.ckpt
      msprec compare weights a.pth b.ckpt --rename '^backbone\\.=' --csv weights.csv
    """
    one_thread_a_product()
    from msprec.compare.errors import CannotRead
    from msprec.compare.weights import weights_text
    from msprec.compare.weights.compare import compare_weights
    from msprec.compare.weights.files import read_weights
    from msprec.compare.weights.parameter_matching import read_mapping, read_renames

    lang = language(lang)
    try:
        given = read_mapping(mapping) if mapping else None
        earlier = tuple(map(read_weights, since)) if since else None
        found = compare_weights(read_weights(a), read_weights(b), read_renames(renames), given, rtol, earlier)
    except CannotRead as error:
        raise Failure(str(error)) from None
    lines = weights_text.conclusion(found, lang)
    write({csv_file: lambda: _weight_csv(found)})
    if json_file != "-":
        _show_weights(found, lines, worst, lang)
    give_json(
        json_file,
        {
            "conclusion": lines,
            "rows": list(map(_weight_entry, found.rows)),
            "only_a": found.matched.only_a,
            "only_b": found.matched.only_b,
        },
    )
    apart = found.matched.only_a or found.matched.only_b
    if fail and (apart or any(row.verdict not in ("identical", "rounding") for row in found.rows)):
        sys.exit(1)


def _weight_entry(row) -> dict:
    entry = {
        "a": row.match.a,
        "b": row.match.b,
        "matched_by": row.match.how,
        "verdict": row.verdict,
        "shape_a": list(row.shapes[0]),
        "shape_b": list(row.shapes[1]),
        "dtype_a": row.dtypes[0],
        "dtype_b": row.dtypes[1],
    }
    if row.pair is not None:
        entry.update(measures(row.pair), std_a=row.spreads[0], std_b=row.spreads[1])
    return entry


def _weight_csv(found) -> bytes:
    return table_csv([_weight_entry(row) for row in found.rows])


def _show_weights(found, lines: list, worst: int, lang: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from msprec.compare.weights.weights_text import WORDS, worst_first

    say, console = WORDS[lang], make_console()
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
