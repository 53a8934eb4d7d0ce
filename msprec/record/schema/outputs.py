"""What msprec writes from a run folder or without one: checklist.json, and the dumps of tensors."""

from msprec.record.schema.notation import (
    PLACE,
    Choice,
    Shape,
    anything,
    count,
    flag,
    key,
    number,
    text,
)

EVIDENCE = Shape(
    "evidence",
    {
        "kind": key(Choice("text", "code", "table", "figure"), "kind of evidence; each has keys of its own"),
        "source": key(Choice("run", "script", "reference", "design"), "what it rests on"),
        "title": key(text, "title"),
        "text": key(text, "text: the text"),
        "file": key(text, "code: file"),
        "first_line": key(count, "code: number of the first line"),
        "highlight": key([count], "code: numbers of lines to mark"),
        "code": key(text, "code: the lines as they are"),
        "columns": key([text], "table: heads of the columns"),
        "rows": key([[anything]], "table: rows; numbers are numbers, the report formats them"),
        "note": key(text, "table: a note below it"),
        "figure": key(text, "figure: its name, see below"),
        "data": key(anything, "figure: what it draws, see below"),
    },
)

_ENTRY = Shape(
    "checklist entry",
    {
        "id": key(text, "the item, e.g. dp.03"),
        "title": key(text, "its title"),
        "conclusion": key(Choice("problem", "ok", "not_applicable", "undecided"), "the conclusion"),
        "summary": key(text, "the conclusion in one sentence"),
        "locations": key([PLACE], "places in the source"),
        "evidence": key([EVIDENCE], "what the conclusion rests on"),
        "would_decide": key(text, "of undecided: what would decide it"),
        "advice": key(text, "of a problem: what to do"),
        "answered_by": key(Choice("tool", "person"), "who concluded"),
        "by_evidence": key(text, "answered_by person only: the conclusion of the evidence alone"),
        "comment": key(text, "what a person typed"),
        "conflict": key(text, "where a person and the evidence contradict each other"),
    },
)

CHECKLIST = {
    "schema": key(count, "version of this schema"),
    "lang": key(text, "language of the texts"),
    "generated": key(text, "the time the run ended; checks never read the clock"),
    "tool": key({"name": key(text, "msprec"), "version": key(text, "version of msprec")}, "what concluded"),
    "run": key(text, "path of the run folder"),
    "families": key(
        [
            {
                "id": key(text, "family of items, e.g. ds"),
                "title": key(text, "its title"),
                "beyond": key(flag, "whether it is outside the guide"),
            }
        ],
        "families of all entries, in their order",
    ),
    "items": key([_ENTRY], "the guide's 24, in its order"),
    "unreadable": key(
        [text], "files of the run folder, or lines of them, that could not be read: what they hold is in no conclusion"
    ),
    "beyond": key([_ENTRY], "the entries of families outside the guide (entry-point group msprec.checklists)"),
    "about": key(
        {
            "script": key(text, "the script, as seen from the folder it ran in"),
            "folder": key(text, "that folder"),
            "repeat": key(text, "the command that runs it again"),
            "mindspore": key(text, "version of MindSpore"),
            "exit": key(text, "ok, exit, exception, interrupt, signal, running: as in run.json"),
            "error": key(text, "type and message of the error that ended it; null: none did"),
            "device": key(text, "device target"),
            "mode": key(text, "graph, pynative or mixed"),
            "steps": key(count, "training steps"),
            "ranks": key(count, "processes"),
            "seconds": key(number, "seconds that it took"),
        },
        "what was run, on what; not where nothing was run",
    ),
    "outcome": key(
        {
            "state": key(
                Choice("learnt", "hardly", "nothing", "diverged", "stopped_early", "got_worse", "unknown"),
                "how the training came out beside a constant prediction, its start and the validation data",
            ),
            "text": key(text, "the same in one sentence"),
            "step": key(
                count,
                "step at which it stopped learning (diverged: from which on; got_worse: at which it was best), from 1; "
                "null: it did not stop, or that is not known",
            ),
            "end": key(number, "mean loss of the last tenth of the steps"),
            "constant": key(number, "loss of the best constant prediction; null: not known"),
            "start": key(number, "loss at the start: median of the first steps"),
            "score": key(
                {
                    "name": key(text, "name of the metric"),
                    "value": key(number, "its last value"),
                    "step": key(count, "training steps done before"),
                    "constant": key(number, "what a constant prediction reaches by it; null: not known"),
                    "better": key(Choice("higher", "lower"), "which way is better"),
                    "samples": key(count, "samples it was computed on"),
                },
                "last validation score; null without one",
            ),
            "suspects": key(
                [
                    {
                        "item": key(text, "id of the item"),
                        "text": key(text, "what it found, in one sentence"),
                        "location": key(text, "place in the source, file:line"),
                    }
                ],
                "where the training did not learn: what may have kept it from it, the strongest evidence first",
            ),
        },
        "what the training reached; not where nothing was trained",
    ),
    "reference_run": key(
        {
            "name": key(text, "name of the reference run"),
            "case": key(text, "first, second, later, equal, …: as `msprec compare losses --json`"),
            "conclusion": key([text], "where the losses part, and what that means"),
            "evidence": key([EVIDENCE], "the losses, and which facts differ"),
        },
        "only with --reference-run",
    ),
    "remarks": key(text, "of a person, on no item in particular"),
}

DUMP_INDEX = {
    "schema": key(count, "version of this schema"),
    "framework": key(Choice("mindspore", "torch"), "framework of the training"),
    "tool": key(text, "msprec and its version"),
}

DUMP_TENSOR = {
    "order": key(count, "place in the order of execution"),
    "op": key(text, 'path of the cell or module in the network, "" the network itself'),
    "class": key(text, "its class"),
    "phase": key(Choice("forward", "backward"), "forward or backward"),
    "call": key(count, "how often it had run in the step before"),
    "io": key(
        Choice("input", "output", "parameter", "gradient", "state"),
        "backward, the input of an operation is the gradient that comes in at its output, its output the gradient that "
        "goes out at its input; gradient: of a parameter; state: a statistic (moving mean, variance) after the call",
    ),
    "slot": key(text, "position among the inputs or outputs, or name of the parameter"),
    "shape": key([count], "shape"),
    "dtype": key(text, "element type"),
    "file": key(text, "file of the values; null where only statistics were asked for"),
    "max": key(number, "largest value"),
    "min": key(number, "smallest value"),
    "mean": key(number, "mean"),
    "norm": key(number, "norm"),
    "nan": key(count, "elements that are NaN"),
    "inf": key(count, "elements that are infinite"),
}
