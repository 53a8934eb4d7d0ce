"""dp.01: angles in degrees that a sine takes for radians."""

import pytest
from building import Run, run_data

from msprec.checklists.dp.normalization.degrees import degrees_as_radians


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("angle = 360 * hour / 24\nx = np.stack([np.sin(angle), np.cos(angle)])\n", 1),
        ("h = 1\nx = np.sin(hour / 24 * 360.0)\n", 2),
        ("angle = 2 * np.pi * hour / 24\nx = np.sin(angle)\n", None),
        ("angle = np.deg2rad(360 * hour / 24)\nx = np.sin(angle)\n", None),
        ("x = np.sin(day / 360)\n", None),  # of a year of 360 days
        ("x = np.sin(2 * pi * 360 * t)\n", None),  # a frequency
        ("angle = 360 * hour / 24\nangle = fold(angle)\nx = np.sin(angle)\n", None),
        ("x = self.sin(360 * hour)\n", None),
    ],
)
def test_angles(tmp_path, code, line):
    found = degrees_as_radians(run_data(tmp_path, Run(source={"train.py": code})))
    assert (found.locations[0]["line"] if found is not None else None) == line
