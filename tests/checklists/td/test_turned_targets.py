"""td.05 on facts: masks that fit their picture in some samples and the mirrored picture in others."""

import pytest
from building import Run

from msprec.engine import conclude

FLIP = "import numpy as np\n\n\ndef flip(picture):\n    return picture[:, :, ::-1]\n"


@pytest.fixture
def verdict(tmp_path):
    def judged(item, made):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        made.write(folder)
        return next(one for one in conclude(folder, "en")["beyond"] if one["id"] == item)

    return judged


def run(fits, square=True, source=FLIP):
    made = Run(source={"train.py": source})
    made.facts["probes"] = {
        "received": {"batches": 4, "permuted": [], "zeroed": []},
        "orientation": {
            "samples": 256,
            "square": square,
            "fits": [{"turn": turn, "samples": n} for turn, n in fits.items()],
        },
    }
    return made


def test_half_of_the_pictures_are_mirrored_alone(verdict):
    entry = verdict("td.05", run({"as given": 70, "left to right": 60}))
    assert entry["conclusion"] == "problem" and entry["locations"] == [{"file": "train.py", "line": 5}]


def test_two_flips_of_the_picture_alone(verdict):
    fits = {"as given": 40, "left to right": 36, "top to bottom": 35, "by 180 degrees": 50}
    assert verdict("td.05", run(fits))["conclusion"] == "problem"
    # of a picture of unequal sides these four are all there are: masks of other pictures fit so by chance
    assert verdict("td.05", run(fits, square=False))["conclusion"] == "ok"


def test_nothing_in_the_source_turns_pictures(verdict):
    entry = verdict("td.05", run({"as given": 70, "left to right": 60}, source="import numpy as np\n"))
    assert entry["conclusion"] == "undecided"


@pytest.mark.parametrize(
    "fits",
    [
        {"as given": 120},
        {"as given": 120, "left to right": 9},
        {"left to right": 120},  # light from one side, say: it favours one orientation alone
        {"as given": 6, "left to right": 6},  # too few
        {"as given": 30, "left to right": 25, "transposed": 22, "by 90 degrees": 20, "by 270 degrees": 24},  # by chance
    ],
)
def test_what_is_no_random_flip(verdict, fits):
    assert verdict("td.05", run(fits))["conclusion"] == "ok"


ALONE = "import numpy as np\n\n\ndef turn(rng, picture, mask):\n    {}\n    return picture, mask\n"
NOISY = {"as given": 40, "left to right": 8, "transposed": 14, "by 90 degrees": 20, "by 270 degrees": 18}


@pytest.mark.parametrize(
    ("statement", "conclusion"),
    [
        ("picture, mask = np.rot90(picture, rng.integers(4), (1, 2)), mask", "problem"),
        ("picture, mask = picture, np.rot90(mask, rng.integers(4), (1, 2))", "problem"),
        ("picture, mask = np.rot90(picture, k, (1, 2)), np.rot90(mask, k, (1, 2))", "ok"),
        ("picture, mask = 2 * picture, mask", "ok"),
    ],
)
def test_one_of_a_pair_is_turned_in_the_source(verdict, statement, conclusion):
    entry = verdict("td.05", run(NOISY, source=ALONE.format(statement)))
    assert entry["conclusion"] == conclusion
    assert conclusion == "ok" or entry["locations"] == [{"file": "train.py", "line": 5}]
