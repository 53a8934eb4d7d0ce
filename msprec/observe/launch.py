"""Runs a script as ``python SCRIPT ARGS`` does, with an observer looking on."""

import builtins
import contextlib
import os
import signal
import sys
import threading
import traceback
import types
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import Callable, NamedTuple, Optional

from msprec.errors import DumpDone, Located, SweepDone
from msprec.observe.data.data_files import stop_listening
from msprec.observe.evaluation.instrumented_functions import instrument, instrument_imports
from msprec.observe.import_hook import when_imported
from msprec.observe.observer import Observer, Options
from msprec.observe.termination import EXIT, Termination, own_time
from msprec.runtime import source_locations

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Outcome(NamedTuple):
    """How the script ended: the facts for ``run.json`` and the status to exit with.

    ``terminated``: it was sent SIGTERM, which a handler of its own answered; ``hurried``: an interrupt came while the record was
    written after its end.
    """

    facts: dict
    status: int
    interrupted: bool
    terminated: bool = False
    hurried: bool = False


def run_script(
    script: str,
    args: list,
    folder: Optional[Path],
    options: Optional[Options] = None,
    conclude: Optional[Callable[[float], object]] = None,
) -> Outcome:
    """Runs ``script`` with ``args`` as ``__main__`` in this process and records it in ``folder``.

    With a capsule in the options, the script ends at the first step that fits it, and the outcome's facts hold ``located``.
    ``folder`` None runs the script alone (the
    scheduler process of a distributed run). ``conclude`` is called with seconds where SIGTERM ends the script, and the process
    dies of it. Raises OSError or SyntaxError, before anything ran, when the script cannot be
    read or compiled.
    """
    path = os.path.abspath(script)
    with open(path, "rb") as file:
        source = file.read()
    code = compile(source, path, "exec", dont_inherit=True)
    source_locations.set_start_folder(os.getcwd())
    source_locations.add_user_file(path)
    observer = cancel = end = termination = None
    if folder is not None:
        observer = Observer(folder, path, ["python", script, *args], os.getcwd(), options)
        observer.guarded_call(observer.sources.collect, path)
        observer.write_run()
        code, end = instrument(code, source), instrument_imports()
        termination = _termination(observer, conclude)
        cancel = when_imported("mindspore", lambda: _imported(observer, termination))
    process = os.getpid()
    with termination or contextlib.nullcontext():
        outcome = _execute(code, path, script, args, options.module if options is not None else None)
        if os.getpid() != process:
            _end_child(outcome)
        _wait_for_threads()
    if observer is None:
        return outcome
    cancel()
    end()
    stop_listening()
    return _finished(observer, outcome._replace(terminated=termination is not None and termination.came))


def _end_child(outcome: Outcome) -> None:
    """A child that the script forked has come to the end of the script: it ends as any does, and the parent concludes."""
    with contextlib.suppress(Exception):
        sys.stdout.flush()
    if outcome.interrupted:
        die_of_interrupt()
    raise SystemExit(outcome.status)


def _wait_for_threads() -> None:
    """Python ends when the script's threads have; what they train belongs to the run. Those of libraries may wait for it."""
    with contextlib.suppress(KeyboardInterrupt):
        while running := [one for one in threading.enumerate() if _is_users_thread(one)]:
            running[0].join()


def _is_users_thread(thread: threading.Thread) -> bool:
    if thread.daemon or thread is threading.current_thread():
        return False
    run = getattr(thread, "_target", None) or type(thread).run
    code = getattr(getattr(run, "__func__", run), "__code__", None)
    return code is not None and source_locations.is_user_file(code.co_filename)


def _termination(observer: Observer, conclude: Optional[Callable[[float], object]]) -> Optional[Termination]:
    if conclude is None:
        return None
    haste = (lambda: observer.write_run(EXIT), lambda: observer.recorder.flush())
    return Termination(lambda: observer.finish(EXIT, in_haste=True), haste, conclude)


def _imported(observer: Observer, termination: Optional[Termination]) -> None:
    observer.guarded_call(observer.install)
    if termination is not None:
        observer.guarded_call(termination.listen)


def _finished(observer: Observer, outcome: Outcome) -> Outcome:
    """Writes the record; after an interrupt only how the script ended."""
    try:
        with own_time():
            observer.finish(outcome.facts, in_haste=outcome.terminated)
    except KeyboardInterrupt:
        observer.write_run(outcome.facts)
        observer.patches.undo()
        return outcome._replace(hurried=True)
    return outcome


def spec_of_module(name: str) -> Optional[ModuleSpec]:
    """What ``python -m NAME`` would run, found without importing anything; of a package its ``__main__``. None: there is none."""
    where, found, whole = [os.getcwd(), *sys.path], None, ""
    for part in name.split("."):
        whole = f"{whole}.{part}" if whole else part
        found = PathFinder.find_spec(whole, where) if where is not None else None
        if found is None:
            return None
        where = found.submodule_search_locations
    return found if where is None else PathFinder.find_spec(f"{name}.__main__", where)


def _as_module(module: types.ModuleType, name: str, path: str) -> None:
    """Gives the main module and the process what ``python -m`` gives them, its packages imported."""
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.getcwd()
    sys.argv[0] = path
    spec = spec_of_module(name)
    module.__dict__.update(__spec__=spec, __package__=spec.parent, __loader__=spec.loader, __cached__=spec.cached)
    if spec.parent:
        import_module(spec.parent)


def _give_way(folder: str) -> None:
    """Forgets installed modules that msprec has imported where the folder has one of that name: without msprec it comes first."""
    for name in {module.partition(".")[0] for module in sys.modules}:
        file = getattr(sys.modules.get(name), "__file__", None) or ""
        if not source_locations.is_installed(file):
            continue
        own = PathFinder.find_spec(name, [folder])
        if own is not None and own.origin is not None and own.origin != file:
            for one in [one for one in sys.modules if one == name or one.startswith(name + ".")]:
                del sys.modules[one]


def _execute(code, path: str, script: str, args: list, name: Optional[str] = None) -> Outcome:
    module = types.ModuleType("__main__")
    module.__dict__.update(
        __file__=path,
        __builtins__=builtins,  # the module, as in a script
        __spec__=None,
        __loader__=SourceFileLoader("__main__", path),
        __cached__=None,
    )
    sys.modules["__main__"] = module
    sys.argv = [script, *args]
    # as `python SCRIPT` does; under -P or PYTHONSAFEPATH nothing is put in front
    if not getattr(sys.flags, "safe_path", False):
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    _give_way(sys.path[0])
    try:
        if name is not None:
            _as_module(module, name, path)
        exec(code, module.__dict__)
    except SystemExit as stop:
        return _exited(stop)
    except Located as found:
        return Outcome({"kind": "ok", "code": 0, "located": found.facts}, 0, False)
    except (DumpDone, SweepDone):
        return Outcome({"kind": "ok", "code": 0}, 0, False)
    except KeyboardInterrupt as error:
        _print_traceback(error)
        return Outcome({"kind": "interrupt", "code": 130, "exception": describe(error)}, 130, True)
    except BaseException as error:
        _print_traceback(error)
        return Outcome({"kind": "exception", "code": 1, "exception": describe(error)}, 1, False)
    return Outcome({"kind": "ok", "code": 0}, 0, False)


def _exited(stop: SystemExit) -> Outcome:
    code = stop.code
    if code is None:
        status = 0
    elif isinstance(code, int):
        status = code & 0xFF if os.name == "posix" else code
    else:
        print(code, file=sys.stderr)
        status = 1
    return Outcome({"kind": "exit", "code": status}, status, False)


def describe(error: BaseException) -> dict:
    """Type, message and the innermost place in the user's code."""
    place = None
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if source_locations.is_user_file(frame.filename):
            place = source_locations.place_in(frame.filename, frame.lineno or 0)
            break
    return {"type": type(error).__name__, "message": str(error)[:2000], "place": place}


def _print_traceback(error: BaseException) -> None:
    """The traceback that the plain script would have shown: without msprec's own frames."""
    if sys.excepthook is not sys.__excepthook__:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename.startswith(_OWN):
            trace = trace.tb_next
        sys.excepthook(type(error), error, trace)
        return
    sys.stdout.flush()
    shown = traceback.TracebackException.from_exception(error)
    _without_own_frames(shown)
    print("".join(shown.format()), file=sys.stderr, end="")


def _without_own_frames(shown: traceback.TracebackException) -> None:
    while shown is not None:
        kept = [f for f in shown.stack if not f.filename.startswith(_OWN)]
        shown.stack = traceback.StackSummary.from_list(kept)
        shown = shown.__cause__ or (None if shown.__suppress_context__ else shown.__context__)


def die_of_interrupt() -> None:
    """Ends the process as Python ends on Ctrl-C: by the signal itself, where there is one."""
    if os.name == "posix":
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
