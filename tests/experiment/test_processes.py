"""Where runs take place: ended by a signal, as a module, as tasks of a Ray cluster. The scripts do without MindSpore."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time

import libcst as cst
import pytest
from small_run import write_run

from msprec.experiment.case import CannotExperiment, Case
from msprec.experiment.child import _in_copy
from msprec.experiment.processes import Job
from msprec.experiment.ray_cluster import Cluster, options, resources_of
from msprec.experiment.remedies.base import Remedy
from msprec.experiment.runner import Runner, Task

#: Adds a line with its process to a file; from the second run on it sleeps.
SLEEPS = """\
import os, time
with open({file!r}, "a+") as file:
    file.write(str(os.getpid()) + "\\n")
    file.seek(0)
    count = len(file.readlines())
if count > {quick}:
    time.sleep(60)
"""


def remedy(run, *given):
    command = [sys.executable, "-m", "msprec", "remedy", "--yes", "--only", "lr_lower", *given, str(run)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def started(file, count):
    """The processes that have begun, once there are so many."""
    for _ in range(600):
        found = file.read_text().split() if file.exists() else []
        if len(found) >= count:
            return [int(one) for one in found]
        time.sleep(0.1)
    raise AssertionError(f"{found} only")


def is_gone(process):
    for _ in range(50):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("jobs", [1, 2])
def test_sigterm_ends_the_run_and_keeps_what_is_done(tmp_path, jobs):
    file = tmp_path / "begun"
    run = write_run(tmp_path, script=SLEEPS.format(file=str(file), quick=1))
    done = remedy(run, "--jobs", str(jobs))
    running = started(file, 1 + jobs)
    done.send_signal(signal.SIGTERM)
    assert done.wait(20) == 128 + signal.SIGTERM, done.stderr.read()
    assert all(is_gone(one) for one in running)
    kept = sorted((run / "remedies" / "runs").glob("*.json"))
    assert [one.name[:10] for one in kept] == ["baseline-0"] and not list((run / "remedies" / "work").iterdir())
    # it goes on with the run that was ended
    again = remedy(run, "--jobs", str(jobs))
    assert len(started(file, 1 + 2 * jobs)) == 1 + 2 * jobs
    again.send_signal(signal.SIGTERM)
    again.communicate(timeout=20)


def module_run(tmp_path, name="package.train"):
    run = write_run(tmp_path)
    package = tmp_path / "project" / "package"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "helper.py").write_text("")
    code = """\
        import sys
        from . import helper
        print(__name__, __spec__.name, *sys.argv[1:], helper.__file__, __file__)
        """
    for file in ("train.py", "__main__.py"):
        (package / file).write_text(textwrap.dedent(code))
    recorded = json.loads((run / "run.json").read_text())
    script = "train.py" if name.endswith("train") else "__main__.py"
    recorded.update(module=name, script=str(package / script))
    (run / "run.json").write_text(json.dumps(recorded))
    return run


@pytest.mark.parametrize(("name", "spec"), [("package.train", "package.train"), ("package", "package.__main__")])
def test_a_module_runs_as_one_in_the_copy(tmp_path, name, spec):
    case = Case(module_run(tmp_path, name))
    assert case.roots == ((tmp_path / "project").resolve(),)
    result = Runner(case).run([Task()])[0]
    main, spec_name, *args, helper, file = result["said"][-1].split()
    assert (main, spec_name, args) == ("__main__", spec, ["--epochs", "3"])
    assert all(str(case.run / "remedies") in path for path in (helper, file))


class Edited(Remedy):
    id = "edited"

    def edit(self, project):
        file = project.file(str(self.case.cwd / "network.py"))
        file.put_below(file.nodes(cst.SimpleStatementLine)[0], "print('edited')")


def test_an_edit_that_the_script_does_not_import_counts_for_nothing(tmp_path):
    """Installed in development mode, a module may be found by a finder that knows the user's file."""
    file = tmp_path / "project" / "network.py"
    script = f"""
        import sys
        from importlib.util import module_from_spec, spec_from_file_location
        spec = spec_from_file_location("network", {str(file)!r})
        sys.modules["network"] = module_from_spec(spec)
        """
    case = Case(write_run(tmp_path, script=script))
    result = Runner(case).run([Task((Edited(case),))])[0]
    assert result["status"] == 1 and "was imported where it is installed" in result["said"][-1]


def test_an_edit_that_has_no_hook_is_tried_once(tmp_path):
    """The patch of such a remedy is what was run already."""
    case, told = Case(write_run(tmp_path, script="import network")), []
    runner = Runner(case, told=lambda task, result: told.append(result is None))
    tried, patched = (runner.run([Task((Edited(case),), edited=edited)])[0] for edited in (False, True))
    assert tried == patched and told.count(True) == 1 and "edited" in tried["said"]


def test_folders_to_import_from_are_those_of_the_copy():
    spec = {"copy": "/copy", "roots": ["/home/me/project"]}
    moved = [
        _in_copy(path, spec) for path in ("/home/me/project/src", "/home/me/project", "/home/me/other", sys.prefix, "")
    ]
    assert moved == ["/copy/home/me/project/src", "/copy/home/me/project", "/home/me/other", sys.prefix, ""]
    assert _in_copy(sys.prefix + "/lib", {"copy": "/copy", "roots": [sys.prefix]}) == sys.prefix + "/lib"


def test_a_module_of_an_installation_is_refused(tmp_path, monkeypatch):
    run = module_run(tmp_path)
    recorded = json.loads((run / "run.json").read_text())
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (run / "run.json").write_text(json.dumps({**recorded, "cwd": str(elsewhere)}))
    with pytest.raises(CannotExperiment, match="neither in the working directory nor in a folder of PYTHONPATH"):
        Case(run)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "project"))
    assert (tmp_path / "project").resolve() in Case(run).roots


@pytest.mark.parametrize(
    ("device", "given", "asked"),
    [
        ("CPU", None, {"num_cpus": 1}),
        ("GPU", None, {"num_cpus": 1, "num_gpus": 1}),
        ("Ascend", None, {"num_cpus": 1, "resources": {"NPU": 1}}),
        ("Ascend", "CPU=8,NPU=2", {"num_cpus": 8, "resources": {"NPU": 2}}),
        ("CPU", "GPU=0.5,memory_bank=1", {"num_cpus": 1, "num_gpus": 0.5, "resources": {"memory_bank": 1}}),
    ],
)
def test_devices_are_resources_of_ray(device, given, asked):
    assert options(resources_of(device, given)) == asked


@pytest.mark.parametrize("given", ["CPU", "CPU=two", "=1", "CPU=-1", "CPU=0"])
def test_resources_that_cannot_be_read(given):
    with pytest.raises(CannotExperiment, match="--ray-resources"):
        resources_of("CPU", given)


def test_without_ray_one_line_says_what_to_install(tmp_path, monkeypatch):
    from click.testing import CliRunner

    from msprec.cli import main

    monkeypatch.setitem(sys.modules, "ray", None)
    done = CliRunner().invoke(
        main, ["remedy", "--yes", "--only", "lr_lower", "--ray", "auto", str(write_run(tmp_path))]
    )
    assert done.exit_code == 2 and done.stderr.splitlines()[-1].endswith("pip install 'msprec[ray]'")


def test_no_cluster_at_the_address(tmp_path, monkeypatch):
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))  # where Ray notes the clusters of this machine
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(CannotExperiment, match="no Ray cluster at auto"):
        Cluster("auto", {"CPU": 1})


@pytest.fixture(scope="module")
def two_nodes():
    """A Ray of two nodes on this machine, the second with an NPU as a resource. Runs where Ray is installed."""
    pytest.importorskip("ray")
    from ray.cluster_utils import Cluster as Nodes

    nodes = Nodes(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes.add_node(num_cpus=1, resources={"NPU": 1}, include_dashboard=False)
    yield nodes.address
    nodes.shutdown()


def test_a_run_is_a_task_of_ray(tmp_path, two_nodes):
    """The same results folder, the device that Ray has given, and a second call that starts nothing."""
    script = "import os\nprint('devices', os.environ.get('ASCEND_RT_VISIBLE_DEVICES'))\n"
    case = Case(write_run(tmp_path, script=script))
    cluster = Cluster(two_nodes, resources_of("Ascend"))
    try:
        assert cluster.room() == 1
        results = Runner(case, 2, machine=cluster).run([Task(), Task((), 1)])
        assert [one["status"] for one in results] == [0, 0]
        assert [one["said"][-1] for one in results] == ["devices 0"] * 2
        again = Runner(case)
        again._run = None
        assert again.run([Task(), Task((), 1)]) == results
        with pytest.raises(CannotExperiment, match="does not see /nowhere"):
            cluster.run(Job(["-c", ""], {}, "/nowhere", str(tmp_path / "log"), 10.0))
    finally:
        cluster.close()


def test_sigterm_ends_a_task_of_ray(tmp_path, two_nodes):
    file = tmp_path / "begun"
    run = write_run(tmp_path, script=SLEEPS.format(file=str(file), quick=1))
    done = remedy(run, "--ray", two_nodes)
    running = started(file, 2)
    done.send_signal(signal.SIGTERM)
    assert done.wait(30) == 128 + signal.SIGTERM, done.stderr.read()
    assert all(is_gone(one) for one in running)
    assert len(list((run / "remedies" / "runs").glob("*.json"))) == 1
