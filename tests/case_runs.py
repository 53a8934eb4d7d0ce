"""The whole scripts of `cases/<item>/<problem|ok|na|undecided>_<what>/`: how each is run, and what its item must conclude.

A new case is a new folder with a ``train.py`` and, where something beyond the folder's name is expected, an ``expect.json``:
``args`` (list), ``options`` (of msprec, list; they may name files of the case's folder), ``workers`` (of one `msrun`),
``exit`` (status of the script, default 0),
``mentions`` (places ``file:line`` that the finding must name), ``not_problem`` (other items that must not be a problem),
``live`` (true: run anew by each test run, not only concluded from its recording: a few of each family, with a problem and
without), ``versions`` (true: run live under the oldest MindSpore too; one or two a family, over the styles), ``why``.
"""

import json
import shutil
from pathlib import Path
from typing import NamedTuple

from run_scripts import Ran, Scripts

CASES = Path(__file__).parent / "cases"
#: Seconds for probes by the items that they decide, with a range test only where it counts; the others do without.
PROBED = {
    "hp.01": "120",
    "cg.01": "1",
    "cg.03": "1",
    "cg.04": "1",
    "ds.02": "8",
    "td.02": "1",
    "td.03": "2",
    "td.04": "12",
    "td.05": "2",
}
CONCLUSIONS = {"problem": "problem", "ok": "ok", "na": "not_applicable", "undecided": "undecided"}


class Case(NamedTuple):
    """A folder below ``cases/`` and its ``expect.json``."""

    folder: Path
    expected: dict

    @property
    def item(self) -> str:
        return self.folder.parent.name

    @property
    def name(self) -> str:
        return f"{self.item}/{self.folder.name}"

    @property
    def options(self) -> tuple:
        """What `msprec run` is given."""
        return ("--probe-seconds", PROBED.get(self.item, "0"), *self.expected.get("options", []))

    @property
    def probed(self) -> bool:
        """Whether probes run once the script has ended; under msrun they decide by themselves."""
        seconds = [value for name, value in zip(self.options, self.options[1:]) if name == "--probe-seconds"]
        return float(seconds[-1]) > 0 or self.expected.get("workers", 1) > 1

    @property
    def live(self) -> bool:
        return self.expected.get("live", False)

    @property
    def conclusion(self) -> str:
        return CONCLUSIONS[self.folder.name.split("_")[0]]


def cases() -> list[Case]:
    """All of them, in order."""
    found = []
    for script in sorted(CASES.glob("[a-z][a-z]*.[0-9][0-9]/*/train.py")):
        file = script.with_name("expect.json")
        found.append(Case(script.parent, json.loads(file.read_text(encoding="utf-8")) if file.is_file() else {}))
    return found


def run_case(case: Case, scripts: Scripts) -> Ran:
    """The case under `msprec run`, in the folder of ``scripts``."""
    shutil.copytree(case.folder, scripts.folder, dirs_exist_ok=True)
    args, workers = case.expected.get("args", []), case.expected.get("workers", 1)
    if workers > 1:
        return scripts.launched(workers, *args, options=case.options)
    return scripts.observed(*args, options=case.options)


def assert_concluded(case: Case, checklist: dict) -> None:
    """The item of the case concludes as the folder's name says, at the places that are expected."""
    items = {item["id"]: item for item in [*checklist["items"], *checklist["beyond"]]}
    item = items[case.item]
    assert item["conclusion"] == case.conclusion, f"{item['summary']} | {item.get('would_decide')}"
    places = {f"{p['file']}:{p['line']}" for p in item["locations"]}
    assert set(case.expected.get("mentions", [])) <= places
    assert places or case.conclusion != "problem", "a problem names a place in the source"
    for other in case.expected.get("not_problem", []):
        assert items[other]["conclusion"] != "problem", f"{other}: {items[other]['summary']}"
