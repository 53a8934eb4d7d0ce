"""The plant's table: one row a batch of product, every quantity in its own unit."""

import numpy as np

COLUMNS = ("concentration [mol/l]", "pressure [Pa]", "acidity", "stirring [1/s]")


def load_table(rows):
    rng = np.random.default_rng(6)
    concentration = rng.uniform(0.0005, 0.003, rows)
    pressure = rng.uniform(80000, 140000, rows)
    acidity = rng.uniform(4, 9, rows)
    stirring = rng.uniform(0.5, 2, rows)
    amount = 800 * concentration + pressure / 1e5 - 0.1 * acidity + 0.2 * stirring
    table = np.stack([concentration, pressure, acidity, stirring], axis=1)
    return table.astype(np.float32), amount.reshape(-1, 1).astype(np.float32)
