"""td.05: faults at different places are all told."""

from building import Run, column, dataset, one_pass, run_data

from msprec.checklists.td.received_batches.check import received_batches

ORDER = "def sampler(self, x, y):\n    order = np.random.permutation(len(y))\n    self.rows = np.where(y == 1)[0]\n"
ORDER += "    self.x, self.y = x[order], y[order]\n"
CODE = ORDER + "\n\ndef value(r, v, done):\n    return r + gamma * v * done\n"


def test_two_faults(tmp_path):
    data = dataset(columns=[column("x")], passes=[one_pass(1, samples=320)])
    found = received_batches(run_data(tmp_path, Run(source={"train.py": CODE}, datasets=[data])))
    assert found.conclusion == "problem"
    assert [one["line"] for one in found.locations] == [8, 3]
