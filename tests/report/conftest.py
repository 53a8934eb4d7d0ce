"""A LibreOffice without a screen, where the machine has one, and the pages that it makes of a document."""

import json
import shutil
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

SOFFICE = shutil.which("soffice") or shutil.which("libreoffice")


def _python_with_uno():
    for python in (sys.executable, "/usr/bin/python3", shutil.which("python3")):
        if python and Path(python).exists():
            done = subprocess.run([python, "-c", "import uno"], capture_output=True, check=False)
            if done.returncode == 0:
                return python
    return None


class Office:
    """LibreOffice with a profile of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.base = [SOFFICE, f"-env:UserInstallation={(folder / 'profile').as_uri()}", "--headless", "--norestore"]

    @property
    def shows_comments(self) -> bool:
        """A build for servers has no window for a comment and ends when one is made."""
        folder = Path(SOFFICE).resolve().parents[1] / "share/config/soffice.cfg/modules/swriter/ui"
        return (folder / "annotation.ui").is_file()

    def convert(self, source: Path, kind: str) -> Path:
        """The document saved as ``kind`` (``pdf``, ``docx``) in a folder of its own."""
        target = self.folder / f"as_{kind}_{uuid.uuid4().hex[:6]}"
        name = {"docx": "docx:MS Word 2007 XML"}.get(kind, kind)
        subprocess.run(
            [*self.base, "--convert-to", name, "--outdir", str(target), str(source)],
            capture_output=True,
            timeout=180,
            check=True,
        )
        return target / f"{source.stem}.{kind}"

    def edit(self, source: Path, target: Path, edits: list) -> None:
        """Opens the document, makes the edits of office_edits.py and saves it as .docx."""
        python = _python_with_uno()
        if python is None:
            pytest.skip("no Python with uno")
        pipe = "msprec" + uuid.uuid4().hex[:10]
        plan = self.folder / f"{pipe}.json"
        plan.write_text(json.dumps(edits), encoding="utf-8")
        office = subprocess.Popen(
            [*self.base, f"--accept=pipe,name={pipe};urp;"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        script = Path(__file__).with_name("office_edits.py")
        command = [python, str(script), pipe, str(source), str(target), str(plan)]
        try:
            done = subprocess.run(
                command,
                capture_output=True,
                text=True,
                timeout=180,
                check=False,
                env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"},
            )
            # not the exit code: the office goes first, and the bridge to it may crash after the work is done
            assert done.stdout == "saved\n", f"{done.returncode}: {done.stderr}"
        finally:
            try:
                office.wait(20)
            except subprocess.TimeoutExpired:
                office.kill()

    def pages(self, source: Path) -> list:
        """The text of every page of the document."""
        pdf = self.convert(source, "pdf")
        if shutil.which("pdftotext") is None:
            pytest.skip("no pdftotext")
        text = subprocess.run(["pdftotext", "-layout", str(pdf), "-"], capture_output=True, check=True).stdout
        return text.decode("utf-8", "replace").split("\f")[:-1]


@pytest.fixture
def office(tmp_path: Path) -> Office:
    if SOFFICE is None:
        pytest.skip("no LibreOffice")
    folder = tmp_path / "office"
    folder.mkdir()
    return Office(folder)
