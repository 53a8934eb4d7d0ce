"""Weather reports, a text to learn from letter by letter."""

import numpy as np

PLACES = ["in the north", "in the south", "on the coast", "in the mountains", "near the lake", "in the valley"]
SKIES = ["clear", "cloudy", "rainy", "foggy", "stormy", "sunny", "windy"]
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
CHANGES = ["it will get warmer", "it will get colder", "it stays dry", "snow is likely", "rain comes later"]


def write_reports(count=900, seed=8):
    """One long text."""
    rng = np.random.default_rng(seed)

    def pick(options):
        return options[rng.integers(len(options))]

    reports = []
    for _ in range(count):
        report = f"on {pick(DAYS)} it is {pick(SKIES)} {pick(PLACES)}"
        if rng.random() < 0.5:
            report += f" and {pick(SKIES)} {pick(PLACES)}"
        report += f", {rng.integers(-9, 35)} degrees, {pick(CHANGES)}."
        reports.append(report)
    return " ".join(reports)
