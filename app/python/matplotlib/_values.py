"""What programs hand to charts, as Python's numbers: lists, ranges, arrays, tensors of any device; or names."""

import math


def listed(data):
    """A flat list of numbers or of names."""
    if hasattr(data, "detach"):
        data = data.detach().cpu()
    if hasattr(data, "tolist"):
        data = data.tolist()
    if isinstance(data, (str, int, float)):
        data = [data]
    return [_one(each) for each in data]


def _one(value):
    if isinstance(value, (str, int, float)):
        return value
    if value is None:
        return math.nan
    return value.item() if hasattr(value, "item") else float(value)


def rows(data):
    """Rows of a matrix, whose elements are numbers or colours."""
    if hasattr(data, "detach"):
        data = data.detach().cpu()
    if hasattr(data, "tolist"):
        data = data.tolist()
    return [[_one(each) if not isinstance(each, (list, tuple)) else each for each in listed_row(row)] for row in data]


def listed_row(row):
    return row.tolist() if hasattr(row, "tolist") else list(row)


def finite(values):
    return [each for each in values if not isinstance(each, str) and math.isfinite(each)]
