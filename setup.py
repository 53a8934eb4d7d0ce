"""What setup.cfg has no words for: the packages of two roots. `checklists/` is installed as `msprec.checklists`, and a new folder
of an item is found by itself."""

from setuptools import find_packages, setup

setup(
    packages=find_packages(include=["msprec*"]) + [f"msprec.{name}" for name in find_packages(include=["checklists*"])]
)
