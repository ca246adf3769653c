"""Expressions of numpy whose printed results are compared with NumPy's own, to the character.

`python numpyCases.py` with NumPy 2 writes numpyExpected.json.
"""

SETUP = """
import numpy as np
a = np.arange(12).reshape(3, 4)
f = np.array([1.5, -2.25, 0.0, 3.75], dtype=np.float32)
n = np.array([1.0, np.nan, -np.inf, np.inf, -0.0])
u = np.array([0, 1, 200, 255], dtype=np.uint8)
rs = np.random.RandomState(7)
"""

CASES = """
a
a.T
a[1]
a[1, 2]
a[:, 1]
a[::-1]
a[::-1, ::-2]
a[1:, None, ::2]
a[..., 0]
a[[0, 2]]
a[[0, 2], [1, 3]]
a[a > 5]
a[np.array([True, False, True])]
a[np.uint8(1)]
a[u[:2]]
a[np.array([[0, 1], [2, 0]])].shape
a[-1:, -1]
f
f.dtype
n
u
u + 100
u + np.uint8(100)
(u + np.int8(1)).dtype
u * 2.0
-u
~u
u >> 1
u << np.uint8(4)
f + 1
f + np.float64(1)
(f * 2).dtype
(a * 2.5).dtype
(np.float16(2) * 3).dtype
f / 0
a / 2
a // 3
a % 3
(a - 6) // 4
(a - 6) % 4
np.array([-7, 7], dtype=np.int8) // 2
np.array([-7, 7], dtype=np.int8) % -4
np.fmod([-7, 7], 4)
np.fmod(np.array([-7.5, 7.5]), 4)
a ** 2
2 ** a
2.0 ** f
np.array([2, 3]) ** 0.5
a & 6
a | 1
a ^ 3
a == 3
a != 3
f < 1
f >= 1.5
n == n
np.isnan(n)
np.isinf(n)
np.isfinite(n)
np.signbit(n)
np.maximum(n, 0)
np.fmax(n, 0)
np.minimum(f, 1)
np.abs(f)
np.sqrt(np.abs(f))
np.exp(np.zeros(3))
np.sin(np.array([0, 1]))
np.sqrt(np.array([4, 9], dtype=np.int8)).dtype
np.sqrt(np.array([4, 9], dtype=np.int16)).dtype
np.floor(f)
np.ceil(f)
np.trunc(f)
np.rint(np.array([0.5, 1.5, 2.5]))
np.round(np.array([1.234, 5.678]), 1)
np.sign(f)
np.reciprocal(np.array([2.0, 4.0]))
np.copysign(f, -1)
np.logical_and(a > 3, a < 8)
np.logical_not(u)
np.sum(a)
np.sum(a, axis=0)
np.sum(a, axis=1, keepdims=True)
np.sum(u)
np.sum(u).dtype
np.sum(f).dtype
np.sum(u, dtype=np.uint8)
a.sum(axis=(0, 1))
np.prod(a[1])
np.mean(a)
np.mean(a, axis=0)
np.mean(f).dtype
np.mean(u)
np.var(a)
np.std(a, axis=1, ddof=1)
np.max(a, axis=1)
np.min(f)
np.max(n)
np.nanmax(n)
np.argmax(f)
np.argmin(a, axis=1)
np.argmax(n)
np.any(a > 10)
np.all(a >= 0, axis=1)
np.cumsum(a)
np.cumsum(a, axis=1)
np.cumprod(a[1])
np.cumsum(u).dtype
np.diff(a, axis=1)
np.sort(f)
np.sort(n)
np.sort(a[:, ::-1], axis=1)
np.argsort(f)
np.unique([3, 1, 2, 3, 1])
np.unique([3, 1, 2, 3, 1], return_index=True, return_inverse=True, return_counts=True)
np.searchsorted([1, 3, 5], [0, 3, 9])
np.where(a > 5, a, -1)
np.where(a > 5, a, 0.5)
np.where(np.array([0, 3, 0, 1]))
np.nonzero(a % 5 == 0)
np.argwhere(a > 9)
np.clip(a, 2, 7)
np.clip(f, -1, 1)
np.bitwise_xor.reduce(a, axis=0)
np.add.reduce(a, axis=1)
np.maximum.reduce(a)
np.logical_or.reduce(a > 10, axis=1)
np.multiply.accumulate(np.array([1, 2, 3]))
np.add.outer([1, 2], [10, 20])
np.matmul(a, a.T)
a @ np.ones(4)
np.dot(f, f)
(np.ones((2, 3), np.float16) @ np.ones((3, 2), np.float16)).dtype
(np.ones((5, 2, 3)) @ np.ones((3, 4))).shape
np.matmul(np.array([[100, 100]], dtype=np.int8), np.array([[2], [1]], dtype=np.int8))
np.outer([1, 2], [3, 4])
np.einsum('ij,kj->ik', a, a)
np.tensordot(a, a, axes=([1], [1])).shape
np.trace(a)
a.reshape(2, -1)
a.reshape(4, 3)[1]
a.T.reshape(-1)
a.ravel()
a.swapaxes(0, 1).shape
np.transpose(np.zeros((2, 3, 4)), (2, 0, 1)).shape
np.moveaxis(np.zeros((2, 3, 4)), 0, -1).shape
np.expand_dims(f, 0)
np.squeeze(np.zeros((1, 3, 1))).shape
np.broadcast_to(f, (2, 4))
[x.shape for x in np.broadcast_arrays(np.zeros((3, 1)), np.zeros(4))]
np.concatenate([a, a], axis=1)
np.concatenate([f, a[0]]).dtype
np.stack([f, f], axis=1)
np.vstack([f, f])
np.hstack([f, f])
np.split(np.arange(6), 3)
np.array_split(np.arange(5), 2)
np.flip(a)
np.flip(a, axis=1)
np.roll(a, 1)
np.roll(a, 1, axis=0)
np.repeat([1, 2], 2)
np.repeat(a, 2, axis=0).shape
np.tile([1, 2], (2, 2))
np.pad([1, 2], (1, 2))
np.pad(a, 1).shape
np.take_along_axis(a, np.argsort(-a, axis=1), axis=1)
np.take(a, [0, 2], axis=1)
np.append([1, 2], [3])
np.tril(a)
np.triu(a, 1)
np.eye(3, dtype=np.int32)
np.diag([1, 2, 3])
np.diag(a)
np.arange(5)
np.arange(2, 10, 3)
np.arange(0, 1, 0.25)
np.arange(5, dtype=np.uint8)
np.arange(5, 0, -2)
np.linspace(0, 1, 5)
np.logspace(0, 2, 3)
np.zeros((2, 2), dtype=bool)
np.ones(3, dtype=np.float16)
np.full((2,), 7)
np.full((2,), 1.5)
np.full_like(a, 3)[0]
np.meshgrid([1, 2], [3, 4, 5])
np.indices((2, 2))
np.array([1, 2.5])
np.array([True, False])
np.array([[1, 2], [3, 4]], dtype=np.float16)
np.array([1, 2, 3]).dtype
np.array(3)
np.array([])
np.array([np.float32(1), 2])
np.array([2**63])
np.array([a[0], a[1]])
np.asarray(a) is a
f.astype(np.int32)
np.array([300, -1]).astype(np.uint8)
np.array([1.9, -1.9]).astype(np.int8)
f.astype('float16')
f.view(np.uint32)
f.view(np.uint8).shape
(f.view('uint32') & np.uint32(0xffff0000)).view('float32')
f.copy()
f.tolist()
a[0, 0].item()
type(a[0, 0])
type(f[0])
type(np.sum(f))
np.float32(0.1)
np.float32(0.1) + 0.2
np.float64(0.1)
np.float16(0.1)
np.int8(5) + np.int8(6)
np.uint8(200) + np.uint8(100)
np.int32(7) // 2
np.int32(7) / 2
np.uint32(5) - np.uint32(6)
np.float32(3) ** 2
np.bool_(True) & False
~np.int8(3)
-np.float32(2)
np.float32(3) > 2
hash(np.int64(5)) == hash(5)
isinstance(np.float64(1), float)
isinstance(np.float32(1), float)
int(np.int8(3)), float(np.float32(0.5)), bool(np.bool_(False))
[10, 20, 30][np.int64(1)]
f"{np.float32(3.14159):.2f}"
str(np.float64(1e-10))
str(np.float32(1e10))
np.float32(16777216.0)
np.promote_types('uint8', 'int8')
np.promote_types('uint32', 'int32')
np.promote_types('uint64', 'int64')
np.promote_types('float16', 'int16')
np.promote_types('float32', 'int32')
np.promote_types('bool', 'uint8')
np.result_type(f, 1.0)
np.result_type(u, 1)
np.can_cast('int32', 'float32')
np.can_cast('int16', 'float32')
np.issubdtype(np.float32, np.floating)
np.issubdtype(np.int8, np.signedinteger)
np.dtype('f4') == np.float32
np.dtype('float32') == 'float32'
np.dtype(np.uint16).itemsize
np.dtype('int64').kind
np.dtype('<i4').name
np.iinfo(np.int16).min
np.iinfo(np.uint64).max
np.finfo(np.float32).eps
np.finfo(np.float16).max
np.allclose([1.0, 2.0], [1.0, 2.0 + 1e-9])
np.isclose(n, n, equal_nan=True)
np.array_equal(a, a.copy())
np.nan_to_num(np.array([np.nan, 1.0]))
np.median([3, 1, 2, 4])
np.percentile([1, 2, 3, 4], 50)
np.bincount([0, 1, 1, 3])
np.histogram([1, 2, 1, 4], bins=3)
np.isin([1, 2, 3], [2, 3])
np.linalg.norm(f)
np.linalg.norm(a, axis=1)
np.unravel_index(7, (3, 4))
np.nextafter(np.float32(1), np.float32(2))
np.nextafter(np.array([0.0, 1.0, -1.0, np.inf, np.nan]), [1.0, 0.0, -2.0, 0.0, 1.0]).tolist()
np.nextafter(f, 0)
u == -1
u < 300
x.flat[1] if (x := a.T.copy()) is not None else 0
list(a[:1].flat)
a.T.astype('f4').strides
np.empty_like(a.T).strides
rs.rand(3)
rs.randn(3)
rs.randint(0, 10, 5)
rs.randint(-128, 127, 5, dtype=np.int8)
rs.randint(0, 2**31, 3)
rs.randint(0, 2**40, 3)
rs.randint(0, 2**16, 5, dtype=np.uint16)
rs.normal(1, 2, (2, 2))
rs.uniform(-1, 1, 2)
rs.permutation(6)
rs.choice(5, 3, replace=False)
rs.choice([10, 20, 30], 4)
rs.exponential(size=2)
np.array([1e-10, 1.0, 1e5])
np.array([1.0, 1000.5, 0.001])
np.array([1e20, 1.0], dtype=np.float32)
np.arange(2000)
np.arange(2000).reshape(40, 50)
np.zeros((2, 2, 2))
np.linspace(0, 1, 20, dtype=np.float32)
a[5]
a[:, 9]
a[0, 0, 0]
a.reshape(5, 2)
a + np.arange(5)
np.concatenate([a, f])
np.uint8(300)
u + 300
np.array([[1, 2], [3]])
a @ f[:3]
np.array([1, 2]) ** -1
f & 1
a.sum(axis=2)
bool(a)
float(f)
len(np.array(3))
np.max(np.array([]))
np.random.randint(5, 2)
np.testing.assert_allclose([1.0, np.nan], [1.0, np.nan])
np.testing.assert_equal({'x': [1, 2]}, {'x': [1, 2]})
np.testing.assert_array_less([1, 2], [2, 3])
"""


def evaluate(case, space):
    try:
        return repr(eval(case, space))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def results():
    space = {}
    exec(SETUP, space)
    return [[case, evaluate(case, space)] for case in CASES.strip().splitlines()]


if __name__ == "__main__":
    import json
    import os
    import warnings

    warnings.simplefilter("ignore")
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "numpyExpected.json")
    with open(path, "w") as file:
        json.dump(results(), file, indent=1)
        file.write("\n")
