"""``msprec compare tensors``: arguments in, one call, text out."""

import sys
from typing import Optional

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
@click.option(
    "--pair",
    "how",
    type=click.Choice(["auto", "name", "order", "structure"]),
    default="auto",
    show_default=True,
    help="How tensors are paired; auto: by name, what is left by shapes and order.",
)
@RENAME
@MAP
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
@WORST
@CSV
@JSON
@FAIL
@LANG
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
    json_file,
    fail,
    lang,
) -> None:
    """Compare two folders of tensors, and name the first operation whose inputs agree and whose output does not.

    A, the reference, and B hold .npy or .npz files, or a dump: of `msprec dump`, `msprec.torch.dump`, MindSpore
    (MINDSPORE_DUMP_CONFIG), msprobe, ptdbg. Shapes and dtypes are judged first, with the reshape or transposition that makes
    two tensors equal. A pair fails, as in ptdbg, where its cosine is below 0.99 and the largest difference above 0.001, or the
    cosine below 0.9, or the difference above 1.

    \b
    Examples:
      msprec compare tensors pytorch_dump mindspore_dump
      msprec compare tensors A B --cosine 0.98 --worst 10
      msprec compare tensors A B --allclose --rtol 1e-4 --atol 1e-5 --csv tensors.csv
    """
    one_thread_a_product()
    from msprec.compare.dumps.read_dump import read_dump
    from msprec.compare.errors import CannotRead
    from msprec.compare.tensors import tensors_text
    from msprec.compare.tensors.compare import GOOD, Rule, compare_dumps
    from msprec.compare.tensors.first_divergence import find_culprit
    from msprec.compare.weights.parameter_matching import read_mapping, read_renames

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
    lines = (
        tensors_text.counts(found, lang)
        + tensors_text.layouts(found, lang)
        + tensors_text.sentence(found, culprit, lang)
    )
    entries = [_tensor_entry(row) for row in found.rows]
    write({csv_file: lambda: table_csv(entries)})
    if json_file != "-":
        _show_tensors(found, lines, worst, in_order, lang)
    only = {key: [item.name for item in getattr(found.paired, key)] for key in ("only_a", "only_b")}
    give_json(json_file, {"conclusion": lines, "culprit": _culprit_entry(culprit), "rows": entries, **only})
    if fail and (culprit.kind != "clean" or any(row.verdict not in GOOD for row in found.rows)):
        sys.exit(1)


def _culprit_entry(culprit) -> dict:
    call, row = culprit.call, culprit.row
    return {
        "kind": culprit.kind,
        "op": call.op if call else None,
        "phase": call.phase if call else None,
        "step": call.step if call else None,
        "tensor": row.a.name if row else None,
        "judged": culprit.judged,
        "random": list(culprit.random),
        "missing": [list(m) for m in culprit.missing],
    }


def _tensor_entry(row) -> dict:
    entry = {
        "step": row.a.step,
        "a": row.a.name,
        "b": row.b.name,
        "paired_by": row.how,
        "verdict": row.verdict,
        "shape_a": _shape(row.shapes[0]),
        "shape_b": _shape(row.shapes[1]),
        "dtype_a": row.dtypes[0],
        "dtype_b": row.dtypes[1],
    }
    if row.pair is not None:
        entry.update(measures(row.pair), relative=row.pair.relative, ulp=row.pair.ulp)
    for side, one in zip("ab", row.ones or ()):
        entry.update({f"{name}_{side}": value for name, value in one._asdict().items()})
    entry.update({key: value for key in ("remedy", "error") if (value := getattr(row, key))})
    return entry


def _shape(shape) -> Optional[str]:
    return None if shape is None else "x".join(map(str, shape)) or "scalar"


def _show_tensors(found, lines: list, worst: int, in_order: bool, lang: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from msprec.compare.tensors.compare import GOOD, worst_first
    from msprec.compare.tensors.tensors_text import WORDS

    say, console = WORDS[lang], make_console()
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
    numbers: tuple = ("", "", "", "", "", "")
    if row.verdict == "shape":
        numbers = ("", "", "", "", _shape(row.shapes[0]), _shape(row.shapes[1]))
    elif row.pair is not None:
        pair = row.pair
        numbers = (
            f"{pair.cosine:.6f}",
            f"{pair.max_abs:.3g}",
            f"{pair.relative:.2e}",
            f"{pair.within:.2%}",
            _range(pair.a),
            _range(pair.b),
        )
    elif row.ones:
        numbers = ("", "", "", "", *map(_range, row.ones))
    return (str(row.a.step), say[row.verdict], *numbers, name)


def _range(one) -> str:
    bad = "".join(f" {count} {what}" for count, what in ((one.nan, "NaN"), (one.inf, "Inf")) if count)
    return (f"{one.min:.4g}/{one.max:.4g}" if one.min is not None and one.max is not None else "-") + bad
