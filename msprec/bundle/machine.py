"""Who and what this machine and a run name: the scrubber that knows them. Nothing is written."""

import contextlib
import json
import os
import re
import subprocess
from pathlib import Path
from typing import Optional

from msprec.bundle.names import words
from msprec.bundle.scrub import Scrubber

_USERS = words(
    """
    USER LOGNAME USERNAME SUDO_USER NB_USER JUPYTERHUB_USER SLURM_JOB_USER SLURM_JOB_ACCOUNT PBS_O_LOGNAME LSB_USER
    WANDB_USERNAME WANDB_ENTITY GITHUB_ACTOR GITHUB_REPOSITORY_OWNER GITLAB_USER_LOGIN HF_USERNAME KAGGLE_USERNAME
    OBS_USER MA_USER_NAME USERDOMAIN
    """
)
_PERSONS = ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME", "GITLAB_USER_NAME", "DEBFULLNAME"]
_MAILS = ["EMAIL", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL", "DEBEMAIL", "GITLAB_USER_EMAIL"]
_HOSTS = words(
    """
    HOSTNAME COMPUTERNAME HOST SLURMD_NODENAME SLURM_SUBMIT_HOST SLURM_CLUSTER_NAME SLURM_JOB_NODELIST PBS_O_HOST
    LSB_HOSTS POD_NAME NODE_NAME MASTER_ADDR MS_SCHED_HOST MS_WORKER_IP VC_WORKER_HOSTS CLUSTER_NAME
    """
)


def scrubber_of_this_machine(keep=(), run: Optional[dict] = None) -> Scrubber:
    """A scrubber that knows this machine's user, host and home, what git says of its people, and whom the run's paths name."""
    import platform
    import socket

    users, persons, mails = _of_accounts()
    hosts = {
        part
        for name in _HOSTS
        for part in re.split(r"[,\s]+", os.environ.get(name) or "")
        if re.search("[A-Za-z]", part)
    }
    hosts.add(platform.node())
    with contextlib.suppress(Exception):
        hosts.add(socket.gethostname())
    hosts |= {name.split(".")[0] for name in hosts}
    of_git = _of_git(run or {})
    users, persons, mails = users | of_git[0], persons | of_git[1], mails | of_git[2]
    users |= {mail.split("@")[0].split("+")[-1] for mail in mails if len(mail.split("@")[0]) > 4}
    scrubber = Scrubber(users - {""}, hosts - {""}, [os.path.expanduser("~")], keep, persons)
    scrubber.learn(json.dumps(run or {}, ensure_ascii=False))
    return scrubber


def _of_accounts() -> tuple:
    import getpass

    users = {os.environ.get(name) or "" for name in _USERS}
    persons = {os.environ.get(name) or "" for name in _PERSONS}
    mails = {os.environ.get(name) or "" for name in _MAILS}
    with contextlib.suppress(Exception):
        users.add(getpass.getuser())
    with contextlib.suppress(Exception):
        import pwd

        persons.add(pwd.getpwuid(os.getuid()).pw_gecos.split(",")[0])
    return users, persons, mails


def _of_git(run: dict) -> tuple:
    """Accounts, people and addresses of git's configuration and of the last commits where the script lies."""
    users, persons, mails = set(), set(), set()
    folder = Path(str(run.get("script") or ".")).parent
    folder = folder if folder.is_dir() else Path.cwd()
    for line in _git(
        folder, "config", "--get-regexp", r"^(user|author|committer|github|gitlab|credential|remote)\."
    ).splitlines():
        key, _, value = line.partition(" ")
        if key.endswith(".email"):
            mails.add(value)
        elif key in ("user.name", "author.name", "committer.name"):
            persons.add(value)
        elif key.endswith((".user", ".username")):
            users.add(value)
        elif key.endswith("url") and (account := re.search(r"[:/]([\w.-]+)/[\w.-]+?(?:\.git)?$", value)):
            users.add(account[1])
    for line in _git(folder, "log", "-n", "200", "--format=%an%x09%ae%n%cn%x09%ce").splitlines():
        name, _, mail = line.partition("\t")
        persons.add(name)
        mails.add(mail)
    return (
        users,
        persons,
        {mail for mail in mails if not re.match(r"(?i)(?:noreply|no-reply|git|info|admin|root)@", mail)},
    )


def _git(folder: Path, *arguments: str) -> str:
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=5,
            check=False,
        )
        return done.stdout
    return ""
