"""Forks, threads and worker processes of a script: each ends as it does by itself, and the parent alone concludes."""

import os
from datetime import datetime

import pytest

pytestmark = pytest.mark.skipif(os.name != "posix", reason="processes that fork")

FORK = """
import os, sys
print('parent', flush=True)
child = os.fork()
if child == 0:
    print('child', flush=True)
    {end}
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status), flush=True)
sys.exit(5)
"""
ENDS = {
    "sys.exit": "sys.exit(3)",
    "a message": "sys.exit('bad')",
    "an exception": "1 / 0",
    "an interrupt": "raise KeyboardInterrupt",
    "os._exit": "os._exit(4)",
}
THREADS = """
import sys, threading, time
from concurrent.futures import ThreadPoolExecutor
def late():
    time.sleep(1)
    print('late', flush=True)
    sys.exit(3)
def fails():
    raise ValueError('in a thread')
one = threading.Thread(target=fails)
one.start()
one.join()
threading.Thread(target=late).start()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
pool = ThreadPoolExecutor(2)
print(list(pool.map(len, ['a', 'bc'])), flush=True)
sys.exit(6)
"""
SPAWN = """
import multiprocessing, sys
def work(n):
    print('child', n, __name__, flush=True)
    sys.exit(n)
if __name__ == '__main__':
    children = [multiprocessing.get_context(kind).Process(target=work, args=(n,)) for n, kind in enumerate(('spawn', 'fork'), 3)]
    for child in children:
        child.start()
        child.join()
    print([child.exitcode for child in children], flush=True)
"""
DATA = """
import numpy as np, mindspore as ms, mindspore.dataset as ds
from mindspore import nn
ms.set_seed(1)
class Source:
    def __len__(self): return 32
    def __getitem__(self, i): return np.full(4, i / 32, np.float32), np.array([i % 2], np.float32)
def main():
    data = ds.GeneratorDataset(Source(), ['x', 'y'], num_parallel_workers=2, python_multiprocessing=True, shuffle=False)
    data = data.map(lambda x: x * 2, 'x', num_parallel_workers=2, python_multiprocessing=True).batch(8)
    net = nn.Dense(4, 1)
    opt = nn.SGD(net.trainable_params(), 0.1)
    grad_fn = ms.value_and_grad(lambda a, b: ((net(a) - b) ** 2).mean(), None, opt.parameters)
    for epoch in range(2):
        for a, b in data.create_tuple_iterator(num_epochs=1):
            loss, grads = grad_fn(a, b)
            opt(grads)
    print(float(loss), flush=True)
if __name__ == '__main__':
    main()
"""


def _same(scripts, text: str):
    scripts.write(text)
    bare, observed = scripts.bare(), scripts.observed()
    assert (observed.status, observed.out) == (bare.status, bare.out)
    assert observed.err.startswith(bare.err), observed.err
    rest = observed.err[len(bare.err) :]
    assert rest.count("Report:") == 1 and "Traceback" not in rest, rest
    assert scripts.json("run.json")["exit"]["code"] == bare.status
    assert len(scripts.json("checklist.json")["items"]) == 24
    return rest


@pytest.mark.parametrize("end", ENDS)
def test_a_fork(scripts, end: str) -> None:
    _same(scripts, FORK.format(end=ENDS[end]))


def test_threads(scripts) -> None:
    rest = _same(scripts, THREADS)
    began, ended = (scripts.json("run.json")[key] for key in ("started", "ended"))
    assert rest and (datetime.fromisoformat(ended) - datetime.fromisoformat(began)).total_seconds() >= 1


def test_processes_of_multiprocessing(scripts) -> None:
    _same(scripts, SPAWN)


def test_a_data_set_with_worker_processes(scripts) -> None:
    _same(scripts, DATA)
    assert scripts.json("facts/datasets.json")["datasets"][0]["samples"] == 64
    assert len(scripts.rows()) == 8
    scripts.no_own_errors()
