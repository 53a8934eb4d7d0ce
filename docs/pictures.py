"""Makes the pictures of the README from real runs: python docs/pictures.py [--keep DIR]

Runs examples/digits_trouble and the range test of examples/digits, opens the Word report in LibreOffice, and writes
report.png and report_zh.png (the first page of the report and one of a problem), page.png (the page of HTML, where a Chromium is
there), range_test.png, and effects.png (the losses of `msprec remedy`, some fifty runs of a few seconds) beside this file.
Needs `soffice`, `pdftotext` and `pdftoppm`. ``--keep`` leaves the run folders in DIR, and takes them from there when they exist.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
# the item whose page stands beside the first
ITEM = "ds.03"


def msprec(*arguments: str) -> None:
    """Runs a command of msprec from the root of the repository."""
    subprocess.run([sys.executable, "-m", "msprec", *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def runs(folder: Path) -> tuple:
    """The run folders of the two examples."""
    trouble, rates = folder / "trouble", folder / "rates"
    if not (trouble / "checklist.docx").is_file():
        msprec("run", "--lang", "en", "--out", str(trouble), "examples/digits_trouble/train.py")
    if not (rates / "lr" / "curve.png").is_file():
        msprec("lr", "--lang", "en", "--out", str(rates), "examples/digits/train.py")
    # the report as it is now, also where the run is an earlier one
    for lang in ("en", "zh"):
        files = ("--out", str(folder / f"report_{lang}.docx"), "--html", str(folder / f"report_{lang}.html"))
        msprec("checklist", "--run", str(trouble), "--lang", lang, *files)
    return trouble, rates


def pages(document: Path) -> list:
    """The document's pages as pictures, and the text of each."""
    folder = document.parent
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    subprocess.run(
        ["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", str(folder), str(document)],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    pdf = document.with_suffix(".pdf")
    subprocess.run(["pdftoppm", "-r", "72", "-png", str(pdf), str(folder / document.stem)], check=True)
    texts = subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True, check=True).stdout
    return list(zip(sorted(folder.glob(f"{document.stem}-*.png")), texts.split("\f")))


def report_picture(found: list) -> Image.Image:
    """The first page and the one where the problems begin, side by side."""
    item = next(page for page, text in found[2:] if re.search(rf"^{re.escape(ITEM)} ", text, re.M))
    one, two = Image.open(found[0][0]), Image.open(item)
    sheet = Image.new("RGB", (one.width + 12 + two.width, one.height), "#8c8c8c")
    sheet.paste(one, (0, 0))
    sheet.paste(two, (one.width + 12, 0))
    return sheet


def page_picture(page: Path, target: Path) -> None:
    """The page of HTML as a browser shows it; nothing where there is no browser."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        print("no Chromium: page.png is left as it is")
        return
    subprocess.run(
        [
            browser,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            "--window-size=1000,1100",
            f"--user-data-dir={page.parent / 'browser'}",
            f"--screenshot={target}",
            page.as_uri(),
        ],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def effects(trouble: Path) -> Path:
    """The plot of `msprec remedy`; what was tried in this run folder before is not run again."""
    msprec("remedy", "--yes", "--lang", "en", str(trouble))
    return trouble / "remedies" / "effects.png"


def save(picture: Image.Image, target: Path) -> None:
    """As PNG with 128 colours: a third of the size, and a page of text looks the same."""
    picture.convert("RGB").quantize(128).save(target, optimize=True)
    print(f"{target.name}: {target.stat().st_size // 1024} KiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--keep", metavar="DIR", type=Path, help="leave the run folders here, or take them from here")
    keep = parser.parse_args().keep
    with tempfile.TemporaryDirectory() as temporary:
        folder = (keep or Path(temporary)).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        trouble, rates = runs(folder)
        save(report_picture(pages(folder / "report_en.docx")), HERE / "report.png")
        save(report_picture(pages(folder / "report_zh.docx")), HERE / "report_zh.png")
        page_picture(folder / "report_en.html", HERE / "page.png")
        if (HERE / "page.png").is_file():
            save(Image.open(HERE / "page.png"), HERE / "page.png")
        shutil.copyfile(rates / "lr" / "curve.png", HERE / "range_test.png")
        save(Image.open(effects(trouble)), HERE / "effects.png")


if __name__ == "__main__":
    main()
