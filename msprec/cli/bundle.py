"""``msprec bundle``: one archive to attach to a request for help."""

from pathlib import Path
from typing import Optional

import click

from msprec.cli.common import LANG, Failure, language


@click.command()
@click.option("--out", metavar="F.zip", help="The archive to write; default: RUN-bundle.zip here.")
@click.option(
    "--keep",
    multiple=True,
    metavar="KIND_OR_TEXT",
    help="Do not replace this: secret, proxy, email, person, user, host, home, ip, mac, phone, idcard, or an exact text.",
)
@click.option(
    "--with-data", type=click.IntRange(0), default=0, metavar="N", help="Put in N samples of the recorded data."
)
@click.option("--report", metavar="F.docx", help="Put in this report too, one that was filled in by hand.")
@click.option("--review", is_flag=True, help="Show each replacement with what stood there, and ask before writing.")
@click.option("--list", "only_list", is_flag=True, help="Only list what would go in.")
@LANG
@click.argument("run_dir", metavar="RUN")
def bundle(
    out: Optional[str],
    keep: tuple,
    with_data: int,
    report: Optional[str],
    review: bool,
    only_list: bool,
    lang: Optional[str],
    run_dir: str,
) -> None:
    """Pack a recorded run into one archive to attach to a request for help.

    It holds the report, the run folder, the sources that were imported, versions and hardware, and the command to repeat.
    Data and weights stay here. Tokens, passwords, keys, proxies, e-mail addresses, telephone and identity-card numbers, names of
    people, users and hosts (as the system, the environment, git and paths tell them), home paths, IP and MAC addresses are
    replaced; what goes in and what was replaced where is listed first, and stands in the archive's manifest.json.

    \b
    Examples:
      msprec bundle msprec_runs/train-20261120-101500
      msprec bundle RUN --list
      msprec bundle RUN --review
      msprec bundle RUN --with-data 4 --keep ip --out question.zip
      msprec checklist --bundle question.zip     on the other side
    """
    from msprec.bundle import archive, listing
    from msprec.record.reader import RunFolderError

    target = Path(out or f"{Path(run_dir).resolve().name}-bundle.zip")
    if target.exists() and not only_list:
        raise Failure(f"{target} exists; name another file with --out")
    try:
        packed = archive.gather(Path(run_dir), keep, with_data, Path(report) if report else None)
        for line in listing.lines(packed, language(lang)) + (listing.review(packed, language(lang)) if review else []):
            click.echo(line)
        if (
            review
            and not only_list
            and not click.confirm({"zh": "写入压缩包？", "en": "Write the archive?"}[language(lang)])
        ):
            return
        if not only_list:
            archive.write(packed, target)
            click.echo(f"{target}: {target.stat().st_size / 1024:.0f} KiB")
    except (archive.BundleError, RunFolderError) as error:
        raise Failure(str(error)) from None
    except OSError as error:
        raise Failure(f"cannot write {target}: {error.strerror or error}") from None
