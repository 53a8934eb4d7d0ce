"""Words that a hash puts into a few buckets (td.05)."""

from types import SimpleNamespace

import pytest
from building import Run, run_data

from msprec.checklists.td.received_batches import few_buckets as judged


@pytest.mark.parametrize(
    ("code", "gain", "lines"),
    [
        ("ids = [zlib.crc32(w.encode()) % 16 + 1 for w in words]\n", 0.02, [1]),
        ("BUCKETS = 64\nids = [hash(w) % BUCKETS for w in words]\n", 0.02, [1, 2]),
        ("n = int(hashlib.md5(w.encode()).hexdigest(), 16) % 32\n", 0.4, [1]),
        ("ids = [zlib.crc32(w.encode()) % 4096 for w in words]\n", 0.02, None),
        ("ids = [zlib.crc32(w.encode()) % 16 for w in words]\n", 0.97, None),  # there are few words
        ("ids = [zlib.crc32(w.encode()) % 16 for w in words]\n", None, None),
        ("train = [u for u in users if zlib.crc32(u.encode()) % 10 < 8]\n", 0.02, None),  # parts of a split
        ("x = steps % 16\n", 0.02, None),
    ],
)
def test_buckets(tmp_path, monkeypatch, code, gain, lines):
    monkeypatch.setattr(judged, "learning_outcome", lambda _: SimpleNamespace(gain=gain))
    told = judged.few_buckets(run_data(tmp_path, Run(source={"train.py": code})))
    assert (sorted({at["line"] for at in told.locations}) if told else None) == lines
