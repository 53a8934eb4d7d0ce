"""Runs as tasks of a Ray cluster: Ray decides where and when; the devices are asked for as its resources.

The nodes see the run folder and the script's folders under the same paths (a shared file system), and have msprec and
MindSpore in the Python that Ray was started with. Tried with a Ray on one machine with CPUs; the resource of Ascend devices,
"NPU", is asked for as Ray documents it (Accelerator Support), not tried there.
"""

import os
import shutil
import signal
from pathlib import Path
from typing import Optional

from msprec.experiment.case import CannotExperiment
from msprec.experiment.processes import Job, run_job

#: The resource of a device, as Ray names it, by MindSpore's name.
_DEVICES = {"Ascend": "NPU", "GPU": "GPU"}


class Cluster:
    """Runs jobs on a Ray cluster, as `processes.Processes` does on one machine.

    Args:
        address: What ``ray.init(address=...)`` takes: "auto", "HOST:PORT", "ray://HOST:PORT", or "local" for one of its own.
        resources: What a run needs, ``{"CPU": 2, "NPU": 1}``, by Ray's names.

    Raises:
        CannotExperiment: Ray is not installed, or there is no cluster at the address.
    """

    def __init__(self, address: str, resources: dict) -> None:
        try:
            import ray
        except ImportError:
            raise CannotExperiment("--ray needs Ray, which is not installed: pip install 'msprec[ray]'") from None
        self._ray, self.resources = ray, resources
        stop = signal.getsignal(signal.SIGTERM)
        try:
            ray.init(address=address, log_to_driver=False, logging_level="ERROR")
            signal.signal(signal.SIGTERM, stop)  # Ray puts in one of its own
        except (ConnectionError, ValueError, RuntimeError, OSError, AssertionError) as error:
            said = (str(error).strip().splitlines() or [type(error).__name__])[0]
            raise CannotExperiment(f"no Ray cluster at {address}: {said}") from None
        self._task = ray.remote(_run_on_node).options(**options(resources))
        self._running: set = set()

    def room(self) -> int:
        """How many runs the cluster's resources hold at a time; 0: none as it is now."""
        there = self._ray.cluster_resources()
        return int(min(there.get(name, 0) // amount for name, amount in self.resources.items() if amount))

    def run(self, job: Job) -> Optional[int]:
        """The exit status; None where the job took too long.

        Raises:
            CannotExperiment: A node does not see the files, or was lost.
        """
        reference = self._task.remote(tuple(job), sorted(set(map(str, _must_see(job)))))
        self._running.add(reference)
        try:
            return self._ray.get(reference)
        except self._ray.exceptions.RayError as error:
            cause = getattr(error, "cause", None)
            said = str(cause) if isinstance(cause, NotSeen) else str(error).strip().splitlines()[-1]
            raise CannotExperiment(f"--ray: {said}") from None
        except BaseException:
            self._cancel(reference)
            raise
        finally:
            self._running.discard(reference)

    def end(self) -> None:
        """Ends what runs."""
        for reference in list(self._running):
            self._cancel(reference)

    def close(self) -> None:
        """Leaves the cluster."""
        self._ray.shutdown()

    def _cancel(self, reference) -> None:
        # KeyboardInterrupt in the task, which ends its process
        self._ray.cancel(reference)
        self._ray.wait([reference], timeout=10)


class NotSeen(Exception):
    """A node does not see a folder."""


def options(resources: dict) -> dict:
    """``{"CPU": 2, "NPU": 1}`` as the options of a Ray task: ``num_cpus``, ``num_gpus`` and ``resources`` for all others."""
    given = {"num_cpus": resources.get("CPU", 1)}
    if "GPU" in resources:
        given["num_gpus"] = resources["GPU"]
    others = {name: amount for name, amount in resources.items() if name not in ("CPU", "GPU")}
    return {**given, **({"resources": others} if others else {})}


def resources_of(device_target: Optional[str], given: Optional[str] = None) -> dict:
    """What a run of a device needs: a CPU and one device; ``given`` as ``CPU=2,NPU=1`` takes its place.

    Raises:
        CannotExperiment: ``given`` cannot be read.
    """
    if not given:
        device = _DEVICES.get(device_target or "")
        return {"CPU": 1.0, **({device: 1.0} if device else {})}
    try:
        pairs = [part.split("=") for part in given.split(",")]
        found = {name.strip(): float(amount) for name, amount in pairs}
    except ValueError:
        raise CannotExperiment(f"--ray-resources {given}: resources are wanted, such as CPU=2,NPU=1") from None
    if not all(found) or min(found.values()) < 0 or not any(found.values()):
        raise CannotExperiment(f"--ray-resources {given}: names, and amounts above zero")
    return {"CPU": 1.0, **found}


def _must_see(job: Job) -> list:
    return [job.cwd, Path(job.log).parent]


def _run_on_node(job: tuple, folders: list) -> Optional[int]:
    """The task."""
    import socket

    job = Job(*job)
    for folder in folders:
        if not os.path.isdir(folder):
            raise NotSeen(f"{socket.gethostname()} does not see {folder}; the nodes need a file system that they share")
    # of a first try on a node that was lost
    shutil.rmtree(Path(job.log).parent / "run", ignore_errors=True)
    # the devices that Ray has given to this task
    devices = {name: value for name, value in os.environ.items() if name.endswith("_VISIBLE_DEVICES")}
    return run_job(job._replace(environment={**job.environment, **devices}))
