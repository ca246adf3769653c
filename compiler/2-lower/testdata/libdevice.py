"""Makes libdevice.json: arguments on fp32 and what libdevice's functions are there, to 17 digits.

    python libdevice.py > libdevice.json        (needs mpmath)
"""

import json
import math
import random
import struct

from mpmath import (acosh, asinh, atan, atan2, atanh, asin, acos, besseli, besselj, bessely, cbrt, cos,
                    cosh, cospi, erf, erfc, erfinv, exp, expm1, floor, gamma, log, log10, log1p, mp, mpf,
                    ncdf, pi, power, sin, sinh, sinpi, sqrt, tan, tanh)

mp.dps = 400
random.seed(4)
COUNT = 16


def single(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def between(low, high):
    return lambda: single(random.uniform(low, high))


def sizes(low, high, signed=False):
    def draw():
        size = math.exp(random.uniform(math.log(low), math.log(high)))
        return single(-size if signed and random.random() < 0.5 else size)

    return draw


def erfcinv(y):
    if y > 1:
        return -erfcinv(2 - y)
    z = sqrt(-log(y * sqrt(pi) * sqrt(-log(y)))) if y < 0.1 else erfinv(1 - y)
    for _ in range(8):
        z += (erfc(z) - y) / (2 / sqrt(pi) * exp(-z * z))
    return z


def root3(x):
    return cbrt(x) if x > 0 else -cbrt(-x)


# Name, function, arguments, units in the last place (or, with "absolute", a difference) allowed.
UNARY = [
    ("exp", exp, between(-87, 88), 2), ("exp10", lambda x: mpf(10)**x, between(-37, 38), 2),
    ("expm1", expm1, between(-3, 3), 2), ("log", log, sizes(1e-44, 3e38), 2),
    ("log2", lambda x: log(x) / log(2), between(0.5, 2), 2), ("log10", log10, sizes(1e-38, 3e38), 2),
    ("log1p", log1p, between(-0.9, 2), 3), ("sin", sin, sizes(0.01, 1e30, True), 3),
    ("cos", cos, sizes(0.01, 1e30, True), 3), ("tan", tan, sizes(0.01, 1e30, True), 5),
    ("sinpi", sinpi, between(-900, 900), 3), ("cospi", cospi, between(-900, 900), 3),
    ("asin", asin, between(-1, 1), 3), ("acos", acos, between(-1, 1), 3),
    ("atan", atan, sizes(1e-5, 1e9, True), 3), ("sinh", sinh, between(-80, 80), 3),
    ("cosh", cosh, between(-80, 80), 3), ("tanh", tanh, between(-4, 4), 4),
    ("asinh", asinh, sizes(1e-5, 1e30, True), 3), ("acosh", acosh, sizes(1.0001, 1e30), 4),
    ("atanh", atanh, between(-1, 1), 3), ("cbrt", root3, sizes(1e-40, 3e38, True), 2),
    ("rcbrt", lambda x: 1 / root3(x), sizes(1e-37, 3e38, True), 3), ("erf", erf, between(-4, 4), 4),
    ("erfc", erfc, between(-4, 9), 4), ("erfcx", lambda x: exp(x * x) * erfc(x), between(-8, 40), 4),
    ("erfinv", erfinv, between(-1, 1), 5), ("erfcinv", erfcinv, sizes(1e-30, 2), 5),
    ("normcdf", ncdf, between(-12, 5), 5),
    ("normcdfinv", lambda p: -sqrt(mpf(2)) * erfcinv(2 * p), sizes(1e-30, 1), 8),
    ("lgamma", lambda x: log(abs(gamma(x))), sizes(0.01, 300), 6), ("tgamma", gamma, between(-4, 34), 10),
    ("cyl_bessel_i0", lambda x: besseli(0, x), between(-20, 20), 10),
    ("cyl_bessel_i1", lambda x: besseli(1, x), between(-20, 20), 14),
    ("logb", lambda x: floor(log(abs(x)) / log(2)), sizes(1e-38, 1e38, True), 0),
]
ABSOLUTE = [
    ("j0", lambda x: besselj(0, x), between(-40, 40), 1e-6),
    ("j1", lambda x: besselj(1, x), between(-40, 40), 1e-6),
    ("y0", lambda x: bessely(0, x), between(0.1, 40), 2e-6),
    ("y1", lambda x: bessely(1, x), between(0.5, 40), 2e-6),
]
BINARY = [
    ("pow", power, (sizes(1e-5, 1e5), between(-7, 7)), 4),
    ("atan2", atan2, (sizes(1e-9, 1e9, True), sizes(1e-9, 1e9, True)), 3),
    ("hypot", lambda x, y: sqrt(x * x + y * y), (sizes(1e-37, 1e37), sizes(1e-37, 1e37)), 2),
    ("remainder", lambda x, y: mpf(math.remainder(x, y)), (sizes(1e-3, 1e9), between(-30, 30)), 0),
]


def step(x, up):
    bits = struct.unpack("i", struct.pack("f", x))[0]
    if x == 0:
        bits = 1 if up else -0x7FFFFFFF
    else:
        bits += 1 if (x > 0) == up else -1
    return struct.unpack("f", struct.pack("i", bits))[0]


def directed(value, mode):
    """The float next to `value` below it, above it or toward zero."""
    low = single(float(value))
    while mpf(low) > value:
        low = step(low, False)
    while mpf(step(low, True)) <= value:
        low = step(low, True)
    high = low if mpf(low) == value else step(low, True)
    return {"rd": low, "ru": high, "rz": low if value > 0 else high}[mode]


cases = []
for name, function, draw, bound in UNARY:
    xs = [draw() for _ in range(COUNT)]
    cases.append({"name": name, "args": [xs], "wanted": [float(function(mpf(x))) for x in xs], "ulps": bound})
for name, function, draw, bound in ABSOLUTE:
    xs = [draw() for _ in range(COUNT)]
    wanted = [float(function(mpf(x))) for x in xs]
    cases.append({"name": name, "args": [xs], "wanted": wanted, "absolute": bound})
for name, function, draws, bound in BINARY:
    columns = [[draw() for _ in range(COUNT)] for draw in draws]
    wanted = [float(function(mpf(x), mpf(y))) for x, y in zip(*columns)]
    cases.append({"name": name, "args": columns, "wanted": wanted, "ulps": bound})
for mode in ("rd", "ru", "rz"):
    for name, count, function in [
        ("add", 2, lambda x, y: x + y), ("sub", 2, lambda x, y: x - y), ("mul", 2, lambda x, y: x * y),
        ("div", 2, lambda x, y: x / y), ("fma", 3, lambda x, y, z: x * y + z), ("rcp", 1, lambda x: 1 / x),
        ("sqrt", 1, lambda x: sqrt(abs(x))),
    ]:
        draw = sizes(1e-3, 1e3, name != "sqrt")
        columns = [[draw() for _ in range(COUNT)] for _ in range(count)]
        wanted = [directed(function(*map(mpf, row)), mode) for row in zip(*columns)]
        cases.append({"name": f"{name}_{mode}", "args": columns, "wanted": wanted, "ulps": 0})
print("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]")
