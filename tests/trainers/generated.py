"""Small generated data on which real trainers start: pictures in class folders, pictures with boxes."""

from pathlib import Path

import numpy as np
import pytest


def class_folders(root: Path, classes: int = 3, train: int = 40, val: int = 10, side: int = 32) -> Path:
    """``root``/{train,val}/class_n/*.jpg: noise with a square in the colour of the class."""
    image = pytest.importorskip("PIL.Image", reason="Pillow writes the generated pictures")
    draw = np.random.default_rng(0)
    for split, count in (("train", train), ("val", val)):
        for label in range(classes):
            folder = root / split / f"class_{label}"
            folder.mkdir(parents=True)
            for number in range(count):
                pixels = draw.integers(0, 120, (side, side, 3))
                y, x = draw.integers(2, side // 2, 2)
                pixels[y : y + side // 3, x : x + side // 3, label % 3] += 100
                image.fromarray(pixels.astype(np.uint8)).save(folder / f"{number}.jpg", quality=95)
    return root


def boxes(root: Path, train: int = 16, val: int = 4, side: int = 64) -> Path:
    """Pictures, labels as YOLO reads them, and the lists train.txt and val.txt: two boxes a picture, two classes."""
    image = pytest.importorskip("PIL.Image", reason="Pillow writes the generated pictures")
    draw = np.random.default_rng(0)
    for split, count in (("train", train), ("val", val)):
        (root / "images" / split).mkdir(parents=True)
        (root / "labels" / split).mkdir(parents=True)
        for number in range(count):
            pixels, lines = draw.integers(0, 90, (side, side, 3)), []
            for _ in range(2):
                label, (width, height) = int(draw.integers(0, 2)), draw.integers(side // 5, side // 2, 2)
                x, y = draw.integers(0, side - width), draw.integers(0, side - height)
                pixels[y : y + height, x : x + width, label] = 230
                centre = ((x + width / 2) / side, (y + height / 2) / side)
                lines.append(f"{label} {centre[0]:.4f} {centre[1]:.4f} {width / side:.4f} {height / side:.4f}")
            image.fromarray(pixels.astype(np.uint8)).save(root / "images" / split / f"{number}.jpg")
            (root / "labels" / split / f"{number}.txt").write_text("\n".join(lines), encoding="utf-8")
        names = [f"./images/{split}/{number}.jpg" for number in range(count)]
        (root / f"{split}.txt").write_text("\n".join(names), encoding="utf-8")
    return root
