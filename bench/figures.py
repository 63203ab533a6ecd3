# SPDX-License-Identifier: Apache-2.0
"""What a benchmark found, as numbers with their bars."""

import dataclasses


@dataclasses.dataclass
class Figure:
    """One row. `value` is the best of the repetitions, or what `name` says; `median` where it was
    repeated. `bar`: what it shall be at least, or with `at_most` at most."""

    name: str
    value: float
    unit: str
    median: float | None = None
    bar: float | None = None
    at_most: bool = False

    @property
    def holds(self):
        """Whether it keeps its bar; None without one."""
        if self.bar is None:
            return None
        return self.value <= self.bar if self.at_most else self.value >= self.bar


def text_of(number):
    """Three digits, or all before the point."""
    if number is None:
        return ""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:.3g}"


def cells(figure):
    """Name, value, median, unit, bar, verdict: as texts."""
    bar = ""
    if figure.bar is not None:
        bar = ("at most " if figure.at_most else "at least ") + text_of(figure.bar)
    verdict = {None: "", True: "holds", False: "MISSED"}[figure.holds]
    return [figure.name, text_of(figure.value), text_of(figure.median), figure.unit, bar, verdict]
