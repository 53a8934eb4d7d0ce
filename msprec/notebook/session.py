"""The recording of a notebook: one run after the other in one process, each with a folder and a report of its own."""

import atexit
import contextlib
import shutil
import sys
from pathlib import Path
from typing import Optional

from msprec.cli.common import language
from msprec.cli.run_folder import new_run_folder
from msprec.notebook.cell_compiler import listen_to_cells
from msprec.notebook.show import show_report
from msprec.observe.data.data_files import stop_listening
from msprec.observe.earlier_objects import adopt
from msprec.observe.evaluation.instrumented_functions import instrument_imports
from msprec.observe.import_hook import when_imported
from msprec.observe.kernel_cells import add_cell, cells_of
from msprec.observe.launch import describe
from msprec.observe.observer import Observer, Options
from msprec.record.notebook_cells import NAME, Cells
from msprec.record.step_recorder import use_recorder
from msprec.runtime import source_locations
from msprec.runtime.active_observer import set_current


class Session:
    """Records what the cells of a notebook do with MindSpore.

    Args:
        shell: IPython's shell.
    """

    def __init__(self, shell) -> None:
        self._shell, self._cells, self._folder = shell, Cells(), Path.cwd()
        self._observer: Optional[Observer] = None
        self._asked: Optional[dict] = None
        self._endings: list = []
        self._cancel = None

    def start(self) -> None:
        """Takes up the cells that have run, and begins the first run."""
        source_locations.set_start_folder(str(self._folder))
        for cell in cells_of(self._shell):
            add_cell(self._cells, NAME, *cell)
        self._endings.append(listen_to_cells(self._shell, self._cell_comes))
        self._endings.append(instrument_imports())
        atexit.register(self.stop)
        self._begin(None)

    def stop(self) -> None:
        """The kernel ends, or nobody wants the recording any longer."""
        atexit.unregister(self.stop)
        while self._endings:
            self._endings.pop()()
        self._end({"kind": "ok", "code": 0})
        stop_listening()
        use_recorder(None)
        set_current(None)
        self._observer = None

    def begin_cell(self, out: Optional[str], lang: Optional[str], probe_seconds: float, word: bool) -> None:
        """The cell that runs now is to be a run of its own."""
        assert self._observer is not None
        self._asked = {"lang": lang, "probe_seconds": probe_seconds, "word": word}
        if out is not None or self._steps():
            folder = new_run_folder(NAME, out)  # refuses one that is in use before anything ends
            self._end({"kind": "ok", "code": 0})
            self._begin(self._observer, folder)

    def cell_ran(self, result) -> None:
        """A cell has run; where it was to be a run of its own, that is over."""
        asked, self._asked = self._asked, None
        if asked is not None:
            self.report(**asked, error=result.error_in_exec or result.error_before_exec)

    def report(
        self, lang: Optional[str], probe_seconds: float, word: bool, error: Optional[BaseException] = None
    ) -> None:
        """Ends the run, shows its report and begins the next one."""
        observer = self._observer
        assert observer is not None
        if not self._steps():
            if error is None:  # else the cell shows why
                print("msprec: no training step has run since the last report", file=sys.stderr)
            return
        observer.options = observer.options._replace(probe_seconds=probe_seconds)
        self._end(_exit_facts(error))
        folder = observer.writer.folder
        self._begin(observer)
        show_report(folder, language(lang), word)

    # inside

    def _steps(self) -> int:
        observer = self._observer
        return observer.steps.done if observer is not None and observer.steps is not None else 0

    def _begin(self, earlier: Optional[Observer], folder: Optional[Path] = None) -> None:
        folder = folder or new_run_folder(NAME, None)
        # batches for probes are kept while training, so that a report can be asked for afterwards
        options = Options(probe_seconds=30.0, after=earlier)
        script = str(self._folder / NAME)
        observer = self._observer = Observer(folder, script, ["python", NAME], str(self._folder), options)
        if earlier is not None:
            observer.late, earlier.options = earlier.late, Options()
        observer.cells = self._cells.facts()
        late = earlier is None and "mindspore" in sys.modules

        def imported() -> None:
            observer.guarded_call(observer.install)
            if late:
                observer.guarded_call(adopt, observer)

        self._keep_text()
        observer.write_run()
        self._cancel = when_imported("mindspore", imported)

    def _end(self, exit_facts: dict) -> None:
        observer = self._observer
        if observer is None:
            return
        self._cancel()
        if not self._steps():  # nothing to keep
            observer.finished = True
            observer.patches.undo()
            observer.writer.close()
            shutil.rmtree(observer.writer.folder, ignore_errors=True)
            with contextlib.suppress(OSError):
                observer.writer.folder.parent.rmdir()
            return
        self._keep_text()
        with _same_random_state():
            observer.finish(exit_facts)

    def _keep_text(self) -> None:
        observer = self._observer
        if observer is not None:
            observer.cells = self._cells.facts()
            observer.guarded_call(observer.sources.keep, NAME, self._cells.text)

    def _cell_comes(self, filename: str, number: int, code: str) -> None:
        add_cell(self._cells, NAME, filename, number, code)
        self._keep_text()


@contextlib.contextmanager
def _same_random_state():
    """Probes draw; what the notebook draws next is what it would have drawn."""
    if "mindspore" not in sys.modules:
        yield
        return
    from msprec.runtime.rng_state import random_state, set_random_state

    state = random_state()
    try:
        yield
    finally:
        set_random_state(state)


def _exit_facts(error: Optional[BaseException]) -> dict:
    if error is None:
        return {"kind": "ok", "code": 0}
    kind = "interrupt" if isinstance(error, KeyboardInterrupt) else "exception"
    return {"kind": kind, "code": 1, "exception": describe(error)}
