"""What a generator's samples are compared with (cg.04)."""

import pytest
from building import Run, optimizer, run_data

from msprec.checklists.cg.loss_function.generator_target import check_generator_target

JUDGED = """def d_loss(real, noise):
    fake = ops.stop_gradient(G(noise))
    return bce(D(real), ones) + bce(D(fake), zeros)


"""
MADE = """def g_loss(noise):
    score = D(G(noise))
    return bce(score, zeros)
"""
CELLS = """class DLoss(nn.Cell):
    def construct(self, real, z):
        fake = self.G(z)
        a = self.criterion(self.D(real), ops.ones_like(label))
        return a + self.criterion(self.D(fake), ops.zeros_like(label))


class GLoss(nn.Cell):
    def construct(self, z):
        fake = self.G(z)
        return self.criterion(self.D(fake), ops.zeros_like(label))
"""


@pytest.mark.parametrize(
    ("code", "line"),
    [
        (JUDGED + MADE, 8),
        (CELLS, 11),
        (JUDGED + MADE.replace("zeros", "ops.zeros_like(score)"), 8),
        (JUDGED + MADE.replace("zeros", "ones"), None),
        (JUDGED + MADE.replace("D(G(noise))", "D(ops.stop_gradient(G(noise)))"), None),  # the discriminator's own
        (JUDGED.replace("ones", "zeros") + MADE, None),  # one target for both
        (JUDGED + MADE.replace("D(", "Q("), None),  # of another network
        (MADE, None),
    ],
)
def test_targets(tmp_path, code, line):
    run = Run(source={"train.py": code}, optimizer=[optimizer(), optimizer()])
    wrong = check_generator_target(run_data(tmp_path, run))
    assert (wrong.places[0].line if wrong else None) == line
