"""What was run, on what, and how to run it again: the part ``about`` of checklist.json."""

import shlex
from typing import Any, Optional


def about(run: dict) -> Optional[dict]:
    """``about`` of checklist.json, from ``run.json``; None where there is none.

    Args:
        run: The dict of ``run.json``; keys may be missing, and values of another type count as missing.
    """
    if not run:
        return None
    ended = _object(run.get("exit"))
    error = _object(ended.get("exception"))
    told = f"{error.get('type')}: {error.get('message')}".splitlines()[0][:200] if error else None
    found: dict[str, Any] = {
        "script": script_of(run),
        "folder": run.get("cwd"),
        "repeat": _repeat(run),
        "mindspore": _object(run.get("versions")).get("mindspore"),
        "exit": ended.get("kind"),
        "error": told,
    }
    for key, name in (("device", "device_target"), ("mode", "mode"), ("steps", "training_steps")):
        found[key] = run.get(name)
    return {**found, "ranks": run.get("rank_size"), "seconds": run.get("seconds")}


def script_of(run: dict) -> Optional[str]:
    """The script as seen from the folder that it ran in."""
    script, folder = str(run.get("script") or ""), str(run.get("cwd") or "").rstrip("/\\")
    inside = folder and script.startswith((folder + "/", folder + "\\"))
    return script[len(folder) + 1 :] if inside else script or None


def _object(value: Any) -> dict:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list:
    return value if isinstance(value, list) else []


def _repeat(run: dict) -> Optional[str]:
    if isinstance(run.get("cells"), list):
        return None  # a notebook
    command = [str(part) for part in _list(run.get("command"))]
    if "callbacks" not in _list(run.get("notes")) and command[:1] == ["python"]:
        command = ["msprec", "run", *command[1:]]
    return shlex.join(command) or None
