"""`open` while a run is observed: what it opens for reading is noted, and it behaves as Python's own."""

import builtins
import bz2
import gzip
import inspect
import io
import lzma
import pathlib
import pickle
import sys
import tarfile
import traceback
import zipfile

import numpy as np
import pytest

from msprec.observe.data import data_files


@pytest.fixture
def listening():
    original = open
    data_files.listen()
    yield original
    data_files.stop_listening()
    assert open is io.open is original


def noted() -> list:
    return sorted(pathlib.PurePath(path).name for path in data_files._opened)


def test_what_the_usual_readers_open_is_noted(tmp_path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("1,2\n")
    np.loadtxt(table, delimiter=",")  # NumPy keeps what it opens with from now on
    for module, name in ((gzip, "a.gz"), (bz2, "a.bz2"), (lzma, "a.xz")):
        module.open(tmp_path / name, "wb").close()
    tarfile.open(tmp_path / "a.tar", "w").close()
    zipfile.ZipFile(tmp_path / "a.zip", "w").close()
    np.save(tmp_path / "a.npy", np.zeros(2))
    data_files.listen()
    try:
        for module, name in ((gzip, "a.gz"), (bz2, "a.bz2"), (lzma, "a.xz")):
            module.open(tmp_path / name).close()
        tarfile.open(tmp_path / "a.tar").close()
        zipfile.ZipFile(tmp_path / "a.zip").close()
        np.load(tmp_path / "a.npy")
        np.loadtxt(table, delimiter=",")
        pathlib.Path(tmp_path / "a.npy").read_bytes()
        with open(tmp_path / "written.csv", "w") as file, open(file=tmp_path / "code.py", mode="w"):
            file.write("1")
    finally:
        data_files.stop_listening()
    assert noted() == ["a.bz2", "a.gz", "a.npy", "a.tar", "a.xz", "a.zip", "table.csv"]
    with open(tmp_path / "written.csv"):
        assert "written.csv" not in noted()


def test_it_is_the_same_to_look_at(listening) -> None:
    assert open is io.open is builtins.open is not listening
    assert repr(open) == repr(listening) and open.__name__ == "open" and open.__doc__ == listening.__doc__
    assert inspect.signature(open) == inspect.signature(listening)
    assert pickle.loads(pickle.dumps(open)) is open


def test_kept_in_a_class_it_becomes_no_method(listening, tmp_path) -> None:
    class Reader:
        read = open

    (tmp_path / "a.csv").write_text("1")
    with Reader().read(tmp_path / "a.csv") as file:
        assert file.read() == "1"
    assert noted() == ["a.csv"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="a re-raised error keeps the whole traceback there")
def test_its_errors_are_pythons(listening) -> None:
    def opener(path, flags):
        raise KeyError(path)

    def tried(**how) -> str:
        try:
            open("missing.csv", **how)  # noqa: SIM115
        except (OSError, KeyError, ValueError, TypeError):
            return traceback.format_exc()

    ways = ({}, {"opener": opener}, {"mode": "?"}, {"other": 1})
    found = [tried(**how) for how in ways]
    data_files.stop_listening()
    assert [tried(**how) for how in ways] == found


def test_what_replaces_it_meanwhile_stays(monkeypatch) -> None:
    original = open
    data_files.listen()
    mine = lambda *args: original(*args)  # noqa: E731
    builtins.open = mine
    try:
        data_files.stop_listening()
        assert builtins.open is mine and io.open is original
    finally:
        builtins.open = original
