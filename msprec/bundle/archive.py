"""Packs a run folder for a request for help, and opens such an archive again. MindSpore is not imported."""

import contextlib
import hashlib
import io
import json
import os
import re
import shlex
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Optional

from msprec._version import __version__
from msprec.bundle.machine import scrubber_of_this_machine
from msprec.bundle.names import words
from msprec.bundle.scrub import Scrubber

SCHEMA = 1
_EPOCH = (1980, 1, 1, 0, 0, 0)
_TEXTS = words(".txt .md .log .yaml .yml .toml .cfg .ini .sh .xml .html .rst .conf .env") | {""}
_PICTURES = {".png", ".jpg", ".jpeg"}
_STRUCTURED = {".json", ".jsonl", ".ipynb", ".csv", ".py", ".docx", ".in", ".sql", ".properties", ".tsv"}
_BINARIES = {
    **dict.fromkeys((".npz", ".npy"), "arrays"),
    **dict.fromkeys(
        (".ckpt", ".pth", ".pt", ".bin", ".safetensors", ".mindir", ".onnx", ".h5", ".pkl", ".npk"), "weights"
    ),
}
#: An archive may hold this much, unpacked.
MOST_BYTES, MOST_FILES = 2_000_000_000, 20_000


class BundleError(Exception):
    """The archive cannot be written or read; the message is one line for the user."""


class Bundle(NamedTuple):
    """What goes into an archive: contents by name, what is left out and why, what was replaced."""

    files: dict
    left_out: list
    replaced: list
    same_conclusions: bool
    #: Each replacement with what stood there, for the eyes of the sender only; never written.
    shown: list


# --- writing ------------------------------------------------------------------------------------------------------------
def gather(
    run_dir: Path, keep=(), with_data: int = 0, report: Optional[Path] = None, env: Optional[dict] = None
) -> Bundle:
    """Reads a run folder and scrubs it.

    Args:
        run_dir: The run folder.
        keep: Kinds or texts that are not replaced.
        with_data: Samples of the kept batch, and of ``samples/``, to put in; 0 leaves all data out.
        report: A Word report to put in besides the one in the run folder (one that a person has filled in).
        env: The environment, as `msprec.env.environment` gives it; default: this machine's.

    Raises:
        BundleError: a file cannot be read.
        msprec.record.reader.RunFolderError: the folder is no run folder.
    """
    from msprec.env import as_text, environment
    from msprec.record.reader import RunFolder

    run = RunFolder(run_dir).run
    scrubber = scrubber_of_this_machine(keep, run)
    raw, left_out = _read_all(Path(run_dir), with_data)
    if report is not None:
        raw[f"report/{Path(report).name}"] = _bytes(Path(report))
    for name, data in raw.items():
        _learn(name, data, scrubber)
    files = _all_scrubbed(raw, scrubber, left_out)
    left_out = [{**entry, "file": scrubber.name_of_file(entry["file"])} for entry in left_out]
    found = scrubber.value(env if env is not None else environment(), "env.json")
    files["env.json"] = _json(found)
    files["env.txt"] = as_text(found, "en").encode("utf-8", "backslashreplace")
    same = _same_conclusions(Path(run_dir), files)
    command = [str(part) for part in run.get("command") or []]
    if isinstance(run.get("module"), str):  # it was run with -m
        command[1:2] = ["-m", run["module"]]
    command = scrubber.value(command, "manifest.json")
    replaced = [row._asdict() for row in scrubber.replaced()]
    files["README.txt"] = _read_me(command).encode("utf-8", "backslashreplace")
    files["manifest.json"] = _manifest(files, command, left_out, replaced, same)
    return Bundle(files, left_out, replaced, same, scrubber.shown)


def _all_scrubbed(raw: dict, scrubber: Scrubber, left_out: list) -> dict:
    """The files by their scrubbed names; a secret that one file tells goes out of those before it too."""
    files = {}
    for name, data in sorted(raw.items(), key=lambda item: item[0].endswith(".docx")):  # packed texts last
        try:
            files[name] = scrubbed(name, data, scrubber)
        except Exception as error:  # what cannot be searched is not sent
            left_out.append({"file": name, "why": f"cannot be searched for secrets ({type(error).__name__})"})
    for name in [name for name in files if scrubber.known_in(files[name])]:
        files[name] = scrubbed(name, files[name], scrubber)
    return {scrubber.name_of_file(name): data for name, data in files.items()}


def write(bundle: Bundle, path: Path) -> None:
    """Writes the archive, whole or not at all. The same contents give the same bytes."""
    fresh = path.with_name(f".{path.name}.new")
    try:
        with zipfile.ZipFile(fresh, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in ("manifest.json", *sorted(set(bundle.files) - {"manifest.json"})):
                archive.writestr(zipfile.ZipInfo(name, _EPOCH), bundle.files[name], zipfile.ZIP_DEFLATED)
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def _read_all(run_dir: Path, with_data: int) -> tuple[dict, list]:
    """The folder's files as bytes by name, and what is left out."""
    raw, left_out, samples = {}, [], 0
    for path in sorted(run_dir.rglob("*")):
        name = "run/" + path.relative_to(run_dir).as_posix()
        if path.is_symlink():
            left_out.append({"file": name, "why": "a symbolic link, which is not followed", "bytes": 0})
            continue
        if not path.is_file():
            if not path.is_dir():
                left_out.append({"file": name, "why": "no file (a pipe, a socket or a device)", "bytes": 0})
            continue
        why, data = None, None
        if path.name == "batch.npz":
            data = _first_samples(path, with_data) if with_data else None
            why = None if data else "data of the training"
        elif "/samples/" in name:
            samples += 1
            why = "data of the training" if samples > with_data else None
        elif path.name.startswith("events.out.tfevents"):
            why = "TensorBoard's file, whose contents steps.csv has too"
        elif path.suffix.lower() in _BINARIES:
            kind = "weights" if "weight" in path.name else _BINARIES[path.suffix.lower()]
            why = f"{kind}: {_inside(path)}"
        elif path.suffix.lower() not in _TEXTS | _PICTURES | _STRUCTURED:
            why = "of a kind that cannot be searched for secrets"
        elif path.suffix.lower() not in _PICTURES | {".docx"} and b"\0" in (data := _bytes(path)):
            why = "no text, whatever its name says"
        if why:
            left_out.append({"file": name, "why": why, "bytes": path.stat().st_size})
        else:
            raw[name] = _bytes(path) if data is None else data
    return raw, left_out


def _inside(path: Path) -> str:
    """The names in a NumPy archive or a zipped checkpoint, with which the sender decides what to send by other ways."""
    try:
        with zipfile.ZipFile(path) as packed:
            names = packed.namelist()
    except (OSError, ValueError, NotImplementedError, zipfile.BadZipFile):
        return "not packed"
    return f"{len(names)} entries ({', '.join(names[:4])}{' …' if len(names) > 4 else ''}), not packed"


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BundleError(f"cannot read {path}: {error.strerror}") from None


def _first_samples(path: Path, count: int) -> Optional[bytes]:
    """The first samples of each array of a batch."""
    import numpy as np

    try:
        with np.load(path, allow_pickle=False) as arrays:
            cut = {name: arrays[name][:count] if arrays[name].ndim else arrays[name] for name in arrays.files}
            if any(array.dtype.kind not in "biufc" for array in cut.values()):  # texts may be anything
                return None
    except (OSError, ValueError, zipfile.BadZipFile):
        return None
    out = io.BytesIO()
    np.savez_compressed(out, **cut)
    return out.getvalue()


def _learn(name: str, data: bytes, scrubber: Scrubber) -> None:
    from msprec.bundle.docx import learn_docx

    scrubber.learn(name)
    if name.endswith(".docx"):
        with contextlib.suppress(Exception):
            learn_docx(data, scrubber)
    elif not name.lower().endswith((".npz", *_PICTURES)):
        scrubber.learn(_decoded(data)[0].replace("\\\\", "\\"))


def scrubbed(name: str, data: bytes, scrubber: Scrubber) -> bytes:
    """The contents of a file as they are packed; its name says how it is read.

    Raises what reading a damaged document raises; such a file is not sent.
    """
    from msprec.bundle.docx import scrub_docx

    suffix, where = PurePosixPath(name).suffix.lower(), scrubber.text(name, "names of files")
    if suffix == ".docx":
        return scrub_docx(data, scrubber, where)
    if suffix in _PICTURES or suffix == ".npz":
        return data
    text, codec, errors = _decoded(data)
    if suffix in (".json", ".ipynb"):
        text = scrubber.json(text, where)
    elif suffix == ".jsonl":
        text = scrubber.json_lines(text, where)
    elif suffix == ".csv":
        text = scrubber.csv(text, where)
    else:
        text = scrubber.text(text, where, code=suffix == ".py")
    return text.encode(codec, errors)


def _decoded(data: bytes) -> tuple:
    """(text, codec, errors): UTF-8, or what Chinese systems write, or bytes that stay as they are."""
    for codec in ("utf-8", "gb18030"):
        with contextlib.suppress(UnicodeDecodeError):
            return data.decode(codec), codec, "backslashreplace"
    return data.decode("utf-8", "surrogateescape"), "utf-8", "surrogateescape"


def _same_conclusions(run_dir: Path, files: dict) -> bool:
    """Whether the scrubbed run concludes as the run itself does."""
    from msprec.engine import conclude
    from msprec.record.checklist_file import all_entries

    with tempfile.TemporaryDirectory(prefix="msprec-") as folder:
        for name, data in files.items():
            if name.startswith("run/") and not name.endswith((".docx", ".npz", *_PICTURES)):
                target = Path(folder) / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        try:
            verdicts = [
                [entry["conclusion"] for entry in all_entries(conclude(d))] for d in (run_dir, Path(folder) / "run")
            ]
        except Exception:
            return False
    return verdicts[0] == verdicts[1]


def _manifest(files: dict, command: list, left_out: list, replaced: list, same: bool) -> bytes:
    entries = [
        {"path": name, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        for name, data in sorted(files.items())
    ]
    return _json(
        {
            "schema": SCHEMA,
            "tool": {"name": "msprec", "version": __version__},
            "run": "run",
            "command": command,
            "repeat": _repeat(command),
            "same_conclusions": same,
            "files": entries,
            "left_out": left_out,
            "replaced": replaced,
        }
    )


def _json(value) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "backslashreplace")


def _repeat(command: list) -> str:
    arguments = command[1:] if command[:1] == ["python"] else command
    return "msprec run " + " ".join(map(shlex.quote, arguments))


def _read_me(command: list) -> str:
    return (
        f"A run recorded by msprec {__version__}, packed for a request for help.\n\n"
        "  msprec checklist --bundle THIS_FILE.zip     conclude again from it, here\n"
        f"  {_repeat(command)}     how it was run\n\n"
        "run/            the run folder: facts, steps, events, the user's own sources, the report\n"
        "env.txt         versions, hardware, variables\n"
        "manifest.json   every file with its size and SHA-256; what was left out; what was replaced, where and how often\n\n"
        "Secrets and marks of persons and machines read REMOVED_<KIND>_<NUMBER>, homes read ~. Pictures were not searched.\n"
    )


# --- reading ------------------------------------------------------------------------------------------------------------
@contextlib.contextmanager
def opened(path: Path) -> Iterator[Path]:
    """The run folder of an archive, unpacked into a temporary folder that is removed at the end.

    Nothing is written outside of that folder, and no more than `MOST_BYTES`. Raises BundleError for what is no such archive, has
    names that lead elsewhere, or differs from its manifest.
    """
    folder = Path(tempfile.mkdtemp(prefix="msprec-bundle-"))
    try:
        _unpack(path, folder)
        yield folder / "run"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _unpack(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not info.is_dir()]
            if len(members) > MOST_FILES or sum(info.file_size for info in members) > MOST_BYTES:
                raise BundleError(f"{path}: too large for a bundle")
            known = _checked_manifest(archive, path)
            names = {_safe_name(info, path) for info in members}
            if len(names) < len(members):
                raise BundleError(f"{path}: holds a name twice")
            missing = sorted(set(known) - names)
            if missing:
                raise BundleError(f"{path}: {missing[0]} of its manifest is missing")
            for info in members:
                if info.filename in known:  # what the manifest does not name is not taken
                    _write_member(archive, info, folder, known[info.filename], path)
    except OSError as error:
        raise BundleError(f"{path}: {error.strerror or error}") from None
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        raise BundleError(f"{path}: not a bundle that can be read ({error})") from None
    except Exception as error:
        if isinstance(error, BundleError):
            raise
        raise BundleError(f"{path}: not a bundle that can be read ({type(error).__name__}: {error})") from None


def _checked_manifest(archive: zipfile.ZipFile, path: Path) -> dict:
    """SHA-256 and size by name."""
    try:
        manifest = json.loads(archive.read("manifest.json"))
        files = {str(entry["path"]): (str(entry["sha256"]), int(entry["bytes"])) for entry in manifest["files"]}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise BundleError(f"{path}: not a bundle of msprec (no readable manifest.json)") from None
    if not isinstance(manifest.get("schema"), int) or manifest["schema"] > SCHEMA:
        raise BundleError(f"{path}: written by a newer msprec")
    return files


def _safe_name(info: zipfile.ZipInfo, path: Path) -> str:
    """The member's name, when it stays inside on every system."""
    name = info.filename
    parts = PurePosixPath(name).parts
    kind = (info.external_attr >> 16) & 0o170000
    bad = (
        not parts
        or name.startswith(("/", "\\"))
        or ".." in parts
        or "\\" in name
        or "\0" in name
        or re.search(r"[:<>|?*]", name)
        or kind not in (0, 0o100000)
    )
    if bad:
        raise BundleError(f"{path}: holds a name that leads outside ({name!r})")
    return name


def _write_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, folder: Path, known: tuple, path: Path) -> None:
    target = (folder / info.filename).resolve()
    if folder.resolve() not in target.parents:
        raise BundleError(f"{path}: holds a name that leads outside ({info.filename!r})")
    target.parent.mkdir(parents=True, exist_ok=True)
    digest, size = hashlib.sha256(), 0
    with archive.open(info) as source, open(target, "xb") as out:
        while chunk := source.read(1 << 20):
            size += len(chunk)
            if size > known[1]:
                break
            digest.update(chunk)
            out.write(chunk)
    if (digest.hexdigest(), size) != known:
        raise BundleError(f"{path}: {info.filename} is not what its manifest says (changed or damaged)")
