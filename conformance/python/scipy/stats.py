"""The Kolmogorov–Smirnov statistic: the largest distance between a sample's distribution and another."""

import collections
import math

_Result = collections.namedtuple("KstestResult", "statistic")


def _uniform(x, low=0.0, width=1.0):
    return min(1.0, max(0.0, (x - low) / width))


def _normal(x, mean=0.0, deviation=1.0):
    return 0.5 * (1 + math.erf((x - mean) / (deviation * math.sqrt(2))))


def kstest(rvs, cdf, args=()):
    function = {"uniform": _uniform, "norm": _normal}[cdf]
    values = sorted(rvs)
    n = len(values)
    distance = 0.0
    for i, x in enumerate(values):
        p = function(x, *args)
        distance = max(distance, (i + 1) / n - p, p - i / n)
    return _Result(distance)
