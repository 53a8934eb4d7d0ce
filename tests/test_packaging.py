"""What is installed is what is in the folders: a package missing from setup.cfg works in the checkout and fails for
users."""

import configparser
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_every_package_is_declared():
    config = configparser.ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    declared = set(config["options"]["packages"].split())
    folders = {
        ".".join(path.parent.relative_to(ROOT).parts)
        for path in (ROOT / "msprec").rglob("__init__.py")
        if "__pycache__" not in path.parts
    }
    assert declared == folders | {"msprec.checklists"}


def test_test_files_have_names_of_their_own():
    """Two test modules of one name in different folders cannot be collected in one run."""
    names = [path.name for path in (ROOT / "tests").rglob("test_*.py")]
    assert len(names) == len(set(names)), sorted(name for name in set(names) if names.count(name) > 1)
