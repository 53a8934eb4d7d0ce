"""run.json: how the script was run and how it ended."""

from msprec.record.schema.notation import PLACE, Choice, Map, Shape, anything, count, finite, flag, key, text

EXIT = Shape(
    "exit",
    {
        "kind": key(
            Choice("ok", "exit", "exception", "interrupt", "signal", "running"),
            "how the run ended; running: it was killed",
        ),
        "code": key(anything, "exit status"),
        "signal": key(text, "the signal that ended the run, SIGTERM; else missing"),
        "exception": key(
            {
                "type": key(text, "name of the class"),
                "message": key(text, "what the error says"),
                "place": key(PLACE, "the user's line that raised it"),
            },
            "the error that ended the run",
        ),
    },
)

RUN = {
    "schema": key(count, "version of this schema"),
    "tool": key({"name": key(text, "msprec"), "version": key(text, "version of msprec")}, "what wrote the folder"),
    "command": key([text], "command line of the run"),
    "script": key(text, "the script that was run"),
    "module": key(text, "the dotted name under which it was run, with `-m`; else missing"),
    "cwd": key(text, "working directory"),
    "started": key(text, "time of the start, ISO 8601"),
    "ended": key(text, "time of the end, ISO 8601"),
    "seconds": key(finite, "length of the run, in seconds"),
    "exit": key(EXIT, "how the run ended"),
    "versions": key(Map(text), "versions of Python, MindSpore, NumPy, …, by name"),
    "platform": key(
        {
            "system": key(text, "operating system"),
            "machine": key(text, "processor architecture"),
            "cpus": key(count, "number of processors"),
            "memory_bytes": key(count, "memory, in bytes"),
        },
        "the machine",
    ),
    "device_target": key(text, "MindSpore's device target"),
    "mode": key(Choice("graph", "pynative", "mixed"), "execution mode; mixed: both were seen"),
    "rank": key(count, "rank of the process"),
    "rank_size": key(count, "number of processes"),
    "parallel": key(
        {
            "mode": key(text, "parallel mode"),
            "parameter_broadcast": key(flag, "whether parameters are broadcast at the start"),
            "gradients_reduced": key(flag, "whether gradients are reduced over the ranks; null: not seen"),
            "gradients_mean": key(flag, "whether the sum over the ranks is divided by their number; null: not seen"),
        },
        "settings of a distributed run; only there",
    ),
    "seeds": key(
        [
            {
                "function": key(text, "function that sets the seed"),
                "value": key(anything, "the seed"),
                "place": key(PLACE, "where it is called"),
            }
        ],
        "seeds that were set",
    ),
    "contexts": key(
        [
            {
                "function": key(text, "function that sets the context"),
                "args": key(Map(anything), "arguments by name"),
                "place": key(PLACE, "where it is called"),
            }
        ],
        "calls that set the context",
    ),
    "source_files": key(Map(text), "the user's files, and where below the run folder their copies are"),
    "notes": key([text], "what msprec did that the plain run would not have done, e.g. cpu_loss_scale"),
    "earlier": key(
        [
            {
                "started": key(text, "time of the start, ISO 8601"),
                "ended": key(text, "time of the end, ISO 8601"),
                "seconds": key(finite, "length, in seconds"),
                "exit": key(EXIT, "how it ended"),
                "training_steps": key(count, "training steps done"),
            }
        ],
        "callbacks only: processes that wrote to this folder before",
    ),
    "training_steps": key(count, "training steps done"),
    "script_imports_mindspore": key(flag, "whether the script imports MindSpore"),
    "hooks_missing": key(
        [
            {
                "hook": key(text, "name that this MindSpore does not have"),
                "learns": key(Map(text), "what is known by it, by language"),
                "why": key(Map(text), "what happens without it, by language"),
                "facts": key([text], "facts that depend on it"),
                "items": key([text], "items that depend on it: these are undecided"),
                "late": key(flag, "true: it is there, but was not when the code of a notebook needed it; else missing"),
            }
        ],
        "hooks that could not be installed",
    ),
    "cells": key(
        [
            {
                "number": key(count, "number of the cell, as in In[3]"),
                "first": key(count, "its first line in notebook.py"),
                "last": key(count, "its last line"),
            }
        ],
        "of a notebook: the cells that notebook.py consists of, in the order in which they ran",
    ),
}
