"""Which files are the user's, however they are reached."""

import sysconfig

import numpy as np
import pytest

from msprec.runtime import source_locations


@pytest.fixture
def folders(tmp_path, monkeypatch):
    """A user's folder and an installed package; nothing is remembered from another test, or for one."""
    monkeypatch.setattr(source_locations, "_named_files", set())
    for path in ("mine/model.py", "lib/site-packages/pack/net.py"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("")
    source_locations.is_user_file.cache_clear()
    yield tmp_path
    source_locations.is_user_file.cache_clear()


def test_installed_files_and_pythons_own_are_not_the_users(folders):
    assert source_locations.is_user_file(str(folders / "mine" / "model.py"))
    assert not source_locations.is_user_file(str(folders / "lib" / "site-packages" / "pack" / "net.py"))
    assert not source_locations.is_user_file(np.__file__)
    assert not source_locations.is_user_file(f"{sysconfig.get_path('stdlib')}/json/__init__.py")
    assert not source_locations.is_user_file(source_locations.__file__)
    assert not source_locations.is_user_file("<string>")


def test_links_are_followed(folders):
    """A package installed by a link to the user's folder is the user's, and so is the other way round."""
    packages = folders / "lib" / "site-packages"
    (packages / "linked").symlink_to(folders / "mine")
    assert source_locations.is_user_file(str(packages / "linked" / "model.py"))
    (packages / "pack" / "one.py").symlink_to(folders / "mine" / "model.py")
    assert source_locations.is_user_file(str(packages / "pack" / "one.py"))
    (folders / "mine" / "net.py").symlink_to(packages / "pack" / "net.py")
    assert not source_locations.is_user_file(str(folders / "mine" / "net.py"))


def test_the_script_that_is_run_is_the_users_wherever_it_lies(folders):
    script = folders / "lib" / "site-packages" / "pack" / "net.py"
    source_locations.add_user_file(str(script))
    assert source_locations.is_user_file(str(script))
    link = folders / "mine" / "run"
    link.symlink_to(script)
    assert source_locations.is_user_file(str(link))


def test_a_relative_name_is_that_of_the_present_folder(folders, monkeypatch):
    for folder, users in (("mine", True), ("lib/site-packages/pack", False)):
        monkeypatch.chdir(folders / folder)
        (folders / folder / "same.py").write_text("")
        source_locations.is_user_file.cache_clear()
        assert source_locations.is_user_file("same.py") == users
