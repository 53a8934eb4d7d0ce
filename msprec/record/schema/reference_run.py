"""facts/reference_run.json: the run that this one is compared with."""

from msprec.record.schema.data import DATASETS, FILES
from msprec.record.schema.notation import Choice, count, flag, key, number, text
from msprec.record.schema.run import RUN
from msprec.record.schema.training import LOSS, OPTIMIZER, PARAMETERS, TRAIN_STEP, WEIGHTS_LOADED

REFERENCE_RUN = {
    "source": key(text, "folder or file that was given"),
    "name": key(text, "its name"),
    "kind": key(Choice("run", "losses"), "a run folder, or losses only"),
    "numbered": key(flag, "whether its steps are numbered"),
    "notes": key([text], "what was noticed on reading it"),
    "recorded": key(count, "steps with a loss"),
    "course": key(
        {
            "step": key([number], "number of the step"),
            "loss": key([number], "loss"),
            "rounding": key([number], "half a unit of the last digit printed"),
            "lr": key([number], "learning rate"),
            "scale": key([number], "loss scale"),
        },
        "all alike long, up to 10 000 steps: the first 2 000 and an even choice of the rest",
    ),
    "run": key(RUN, "as run.json"),
    "batch": key(count, "median samples in a step"),
    "datasets": key(DATASETS["datasets"].type, "as datasets.json"),
    "optimizers": key(OPTIMIZER["optimizers"].type, "as optimizer.json"),
    "train_steps": key(TRAIN_STEP["steps"].type, "as train_step.json: steps"),
    "losses": key(LOSS["losses"].type, "as loss.json"),
    "parameters": key(PARAMETERS["parameters"].type, "as parameters.json, at most 5 000"),
    "loads": key(WEIGHTS_LOADED["loads"].type, "as weights_loaded.json"),
    "files": key(FILES, "as data_files.json, at most 20 000"),
    "half_compute": key(flag, "as precision.json"),
}
