"""`numpy.random`: `RandomState` gives NumPy's own numbers for a seed. `default_rng` here draws from the
same generator (NumPy's is PCG64), so its numbers differ from NumPy's; their distribution does not.
"""

from torch._core import numel, run

from ._array import _dtype, asarray, new, result, wrap
from ._dtypes import BOOL, FLOAT64, INT64, iinfo

_count = 0


def _size(size):
    if size is None:
        return ()
    return (size.__index__(),) if hasattr(size, "__index__") else tuple(int(s) for s in size)


class RandomState:
    def __init__(self, seed=None):
        global _count
        self._id = _count
        _count += 1
        self.seed(seed)

    def seed(self, seed=None):
        if seed is None:
            # Runs are repeatable here: what is not seeded follows torch's seed.
            from torch import initial_seed

            seed = (initial_seed() + 7919 * self._id) & 0xFFFFFFFF
        seed = int(asarray(seed).ravel()[0]) if not isinstance(seed, int) else seed
        if not 0 <= seed < 2**32:
            raise ValueError("Seed must be between 0 and 2**32 - 1")
        run("legacy_seed", (), (), n=(self._id,), x=(seed,))

    def get_state(self, legacy=True):
        return ("MT19937", run("legacy_state", (), (), n=(self._id,)))

    def set_state(self, state):
        run("legacy_state", (), (), n=(self._id,), x=(state[1].replace('"', '\\"'),))

    def _draw(self, op, size, *numbers, kind=FLOAT64):
        made = new(_size(size), kind)
        if made.numel():
            run(op, (made,), (), n=(self._id,), x=numbers)
        return result(made) if size is None else wrap(made)

    # ── floats ──────────────────────────────────────────────────────────────────────────────────

    def random_sample(self, size=None):
        return self._draw("legacy_uniform", size, 0.0, 1.0)

    def random(self, size=None):
        return self.random_sample(size)

    def rand(self, *size):
        return self.random_sample(size or None)

    def uniform(self, low=0.0, high=1.0, size=None):
        if _plain(low, high):
            return self._draw("legacy_uniform", size, float(low), float(high))
        low, high = asarray(low), asarray(high)
        return low + (high - low) * self.random_sample(_joint(size, low, high))

    def standard_normal(self, size=None):
        return self._draw("legacy_normal", size, 0.0, 1.0)

    def randn(self, *size):
        return self.standard_normal(size or None)

    def normal(self, loc=0.0, scale=1.0, size=None):
        if _plain(loc, scale):
            if scale < 0:
                raise ValueError("scale < 0")
            return self._draw("legacy_normal", size, float(loc), float(scale))
        loc, scale = asarray(loc), asarray(scale)
        return loc + scale * self.standard_normal(_joint(size, loc, scale))

    def exponential(self, scale=1.0, size=None):
        return self._draw("legacy_exponential", size, float(scale))

    def binomial(self, n, p, size=None):
        """The number of successes, counted: exact, and meant for small n."""
        count = numel(_size(size))
        draws = self.random_sample((count, int(n))) < p
        made = draws.sum(axis=1)
        return made[0] if size is None else made.reshape(_size(size))

    # ── integers ────────────────────────────────────────────────────────────────────────────────

    def randint(self, low, high=None, size=None, dtype=int):
        if high is None:
            low, high = 0, low
        return self._integers(int(low), int(high) - 1, size, _dtype(dtype))

    def random_integers(self, low, high=None, size=None):
        return self.randint(1 if high is None else low, (low if high is None else high) + 1, size)

    def _integers(self, low, high, size, kind):
        if kind is BOOL:
            return self._integers(low, high, size, INT64).astype(BOOL)
        if low > high:
            raise ValueError("low >= high")
        limits = iinfo(kind)
        if low < limits.min:
            raise ValueError(f"low is out of bounds for {kind}")
        if high > limits.max:
            raise ValueError(f"high is out of bounds for {kind}")
        return self._draw("legacy_integers", size, low, high, kind=kind)

    def bytes(self, length):
        return self.randint(0, 256, length, dtype="uint8").tobytes()

    # ── order and choice ────────────────────────────────────────────────────────────────────────

    def permutation(self, x):
        if hasattr(x, "__index__"):
            return self._draw("legacy_permutation", (int(x),), kind=INT64)
        x = asarray(x)
        return x[self.permutation(len(x))]

    def shuffle(self, x):
        order = self.permutation(len(x))
        if isinstance(x, list):
            x[:] = [x[i] for i in order.tolist()]
        else:
            x[...] = asarray(x)[order]

    def choice(self, a, size=None, replace=True, p=None):
        pool = None if hasattr(a, "__index__") else asarray(a)
        n = int(a) if pool is None else len(pool)
        count = numel(_size(size))
        if p is not None:
            if not replace:
                raise NotImplementedError("choice(replace=False, p=) is not available in Hippocamp's numpy")
            from ._reductions import cumsum, searchsorted

            total = cumsum(asarray(p, FLOAT64))
            picked = asarray(searchsorted(total / total[-1], self.random_sample((count,)), "right"))
        elif replace:
            picked = self.randint(0, n, (count,))
        else:
            if count > n:
                raise ValueError("Cannot take a larger sample than population when 'replace=False'")
            picked = self.permutation(n)[:count]
        found = picked if pool is None else pool[picked]
        return found[0] if size is None else found.reshape(_size(size) + found.shape[1:])


def _plain(*values):
    return all(isinstance(v, (int, float)) for v in values)


def _joint(size, *arrays):
    from ._ufuncs import broadcast_shapes

    return broadcast_shapes(*[a.shape for a in arrays]) if size is None else size


class Generator(RandomState):
    """What `default_rng` answers: the newer methods over the same numbers."""

    def random(self, size=None, dtype=FLOAT64, out=None):
        return self.random_sample(size).astype(dtype)

    def standard_normal(self, size=None, dtype=FLOAT64, out=None):
        made = self._draw("legacy_normal", size, 0.0, 1.0)
        return made if _dtype(dtype) is FLOAT64 else made.astype(dtype)

    def integers(self, low, high=None, size=None, dtype=int, endpoint=False):
        if high is None:
            low, high = 0, low
        return self._integers(int(low), int(high) - (not endpoint), size, _dtype(dtype))

    def permuted(self, x):
        return self.permutation(x)


def default_rng(seed=None):
    return seed if isinstance(seed, Generator) else Generator(seed)


_default = RandomState()
for _name in (
    "seed get_state set_state random_sample random rand uniform standard_normal randn normal exponential "
    "binomial randint random_integers bytes permutation shuffle choice"
).split():
    globals()[_name] = getattr(_default, _name)
sample = ranf = _default.random_sample


def __getattr__(name):
    from . import _missing

    raise _missing("numpy.random", name, globals())
