"""Records of houses that were sold, and their prices."""

import numpy as np

FEATURES = ["area_m2", "rooms", "age_years", "distance_km", "floor", "lot_m2", "income_district", "schools"]


def load_housing(samples=2000, seed=20):
    """Features (samples, 8) and prices in units of 100 000, shape (samples, 1)."""
    rng = np.random.default_rng(seed)
    area = rng.gamma(9.0, 12.0, samples)
    rooms = np.clip(np.round(area / 28 + rng.normal(0, 0.8, samples)), 1, 9)
    age = rng.integers(0, 90, samples)
    distance = rng.exponential(8.0, samples)
    floor = rng.integers(0, 6, samples)
    lot = area * rng.uniform(0.5, 4.0, samples)
    income = rng.normal(42_000, 9_000, samples)
    schools = rng.integers(0, 10, samples)
    price = (
        0.018 * area
        + 0.15 * rooms
        + 0.8 * np.exp(-distance / 6) * (area / 100)
        - 0.006 * age
        + 0.00012 * (age - 45) ** 2
        + 0.05 * schools
        + 0.3 * np.tanh((income - 42_000) / 8_000)
        + 0.0006 * lot
        + rng.normal(0, 0.12, samples)
    )
    features = np.stack([area, rooms, age, distance, floor, lot, income, schools], axis=1)
    return features.astype(np.float32), price.astype(np.float32)[:, None]
