"""Samples condensed to the figures that the table and the goals speak of."""

import dataclasses
import statistics

from .rounds import Sample


class Results:
    """Medians over rounds; ratios are medians of per-round ratios, so that noise common to a round cancels."""

    def __init__(self):
        self.samples = {}
        self.faults = {}
        self.notes = []
        self.client_counts = {}
        self.sign_ins = []
        self.fairness = []
        self.refusals = []
        self.milliseconds_to_start = None
        self.megabytes_after_run = None
        self.megabytes_idle = None
        self.instructions = {}

    def median(self, scenario, contestant, figure):
        """The median of one figure, or None when the row was not measured."""
        values = self._values(scenario, contestant, figure)
        return statistics.median(values) if values else None

    def ratio(self, scenario, contestant, figure, yardstick):
        """How many times the yardstick's figure the contestant's is; None when either is missing."""
        values = self._values(scenario, contestant, figure)
        others = self._values(scenario, yardstick, figure)
        pairs = [value / other for value, other in zip(values, others) if other]
        return statistics.median(pairs) if pairs else None

    def as_dictionary(self):
        """Everything, raw samples included, for the JSON file."""
        return {
            "samples": {
                scenario: {name: [dataclasses.asdict(sample) for sample in samples] for name, samples in row.items()}
                for scenario, row in self.samples.items()
            },
            "faults": self.faults,
            "notes": self.notes,
            "pgbench_clients": self.client_counts,
            "sign_ins": [dataclasses.asdict(sample) for sample in self.sign_ins],
            "fairness": [dataclasses.asdict(sample) for sample in self.fairness],
            "refusals": [dataclasses.asdict(sample) for sample in self.refusals],
            "milliseconds_to_start": self.milliseconds_to_start,
            "megabytes_after_run": self.megabytes_after_run,
            "megabytes_idle": self.megabytes_idle,
            "instructions": self.instructions,
        }

    def _values(self, scenario, contestant, figure):
        samples = self.samples.get(scenario, {}).get(contestant, [])
        assert figure in Sample.__dataclass_fields__
        return [value for sample in samples if (value := getattr(sample, figure)) is not None]
