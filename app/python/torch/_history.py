"""How elements of memory came to be: the operations of `core.run` that wrote a storage, so that a comparison can
compute its reference again in float64.

A `State` is the contents of one storage after one write. It names the operation, its windows and the states that it
read, and holds no memory but a weak reference to its storage. States that cannot be computed again (random numbers,
data of Python, what a kernel wrote) are leaves: their values count as long as the storage is alive and nothing wrote
it since. So do the states that a kernel has read, as it read them rounded to their dtype.
"""

import json
import math
import weakref

from . import _core as core

#: Off while a reference is computed again, and in programs that compare nothing.
enabled = True
#: States that are remembered, in the order of their writes.
MOST = 20_000
#: Results of these cannot be computed again, or answer with values.
_LEAVES = frozenset((
    "uniform", "normal", "integers", "bernoulli", "permutation", "legacy_uniform", "legacy_normal",
    "legacy_exponential", "legacy_integers", "legacy_permutation", "linalg", "nonzero",
))  # fmt: skip
_FILL = "fill"
_LEAF = "leaf"
_ENDS = frozenset((_FILL, _LEAF))
#: A `State`, or what `record` kept for one, by number, by which they refer to each other: a chain
#: of objects would be freed one inside of the other.
_log = {}
_next = 0
#: The number of the last operation.
_recorded = -1


class Unknown(Exception):
    """A state that cannot be computed again; its text completes "there is no float64 reference: …"."""


class State:
    """`storage.state` is twice its number, and one more where what kernels stored is in it."""

    __slots__ = (
        "op", "f", "c", "n", "x", "_outs", "which", "_ins", "previous", "storage", "nbytes", "number", "pinned",
        "kernel", "chained", "_windows", "_operands", "_codes", "_source",
    )  # fmt: skip

    def __init__(self, op, nbytes, number, kernel):
        self.op, self.nbytes, self.number, self.kernel = op, nbytes, number, kernel
        #: Known of states whose values in memory count.
        self.storage = None
        #: A kernel has read it.
        self.pinned = False
        #: The kernel that wrote it had read what a kernel had written.
        self.chained = False
        self._ins, self._outs, self.previous, self._source = (), None, None, None

    def current(self):
        """The storage, where it still holds this state; else None."""
        storage = self.storage and self.storage()
        code = 2 * self.number + self.kernel
        return storage if storage is not None and storage.state == code else None

    @property
    def outs(self):
        """The windows of the results: (dtype, shape, strides, offset)."""
        if self._outs is None:
            self._outs = tuple([_window_of(text) for text in self._windows])
        return self._outs

    @property
    def ins(self):
        """The operands: numbers as they are, tensors as (number of the state, dtype, shape, strides, offset)."""
        if self._ins is None:
            self._ins = tuple([
                text if code is None else (code >> 1, *_window_of(text))
                for text, code in zip(self._operands, self._codes)
            ])  # fmt: skip
        return self._ins


def _window_of(text):
    found = json.loads(text)
    return core.BY_NAME[found["d"]], core.Size(found["s"]), tuple(found["t"]), found["o"]


def _new(op, storage, kernel):
    """A state without operands, which is the storage's from here on."""
    global _next
    state = State(op, storage.nbytes, _next, kernel)
    _log[_next] = state
    storage.state = 2 * _next + kernel
    _next += 1
    _log.pop(_next - MOST, None)
    return state


def _leaf(storage, kernel):
    state = _new(_LEAF, storage, kernel)
    state.storage = weakref.ref(storage)
    return state


def _at(number):
    """@raises KeyError where it is no longer remembered."""
    state = _log[number]
    if state.__class__ is tuple:
        op, f, c, n, x, windows, which, operands, codes, previous, nbytes, kernel, source = state
        state = _log[number] = State(op, nbytes, number, kernel)
        state.f, state.c, state.n, state.x, state.which, state.previous = f, c, n, x, which, previous
        state._windows, state._operands, state._codes, state._source = windows, operands, codes, source
        state._ins = None
    return state


def of(storage):
    """The state of a storage; of one that nothing has written the fill."""
    code = storage.state
    if code is None:
        state = _new(_FILL, storage, False)
        state.x = storage.fill
        return state
    if code >> 1 not in _log:
        return _leaf(storage, code & 1 == 1)
    return _at(code >> 1)


def data(storage, kernel=False):
    """Python, or a kernel, has written the storage."""
    code = storage.state
    # A leaf that no operation can have read is the same leaf, with other values.
    if code is None or code >> 1 <= _recorded or code & 1 != kernel or of(storage).op is not _LEAF:
        _leaf(storage, kernel)


def last():
    """The number of the last operation."""
    return _recorded


def reached(storage):
    """A kernel was given the storage's address in memory: it may have read it or written it. What it found there
    is taken for data, and for the kernel's where nothing else had written."""
    state = of(storage)
    data(storage, state.kernel or state.op is _FILL or state.op == "fill")


def launched(storages, written):
    """A kernel has run on these storages. `written`: the places of those that it may have written; None for all."""
    if not enabled:
        return
    chained = written is not None and any(
        i not in written and storage.state is not None and storage.state & 1 for i, storage in enumerate(storages)
    )
    for i, storage in enumerate(storages):
        if written is None or i in written:
            data(storage, True)
            of(storage).chained = chained
        else:
            state = of(storage)
            state.storage = weakref.ref(storage)
            _pin(state)


def _pin(state):
    """A kernel has read the state, so its values are those in memory; and those that it was copied from."""
    while not state.pinned:
        state.pinned = True
        if state.op != "copy" or state.ins[0].__class__ is str or state.ins[0][0] not in _log:
            break
        source, state = state._source, _at(state.ins[0][0])
        state.storage = source


def record(op, outs, ins, f, c, n, x, windows, operands):
    """After an operation; `windows` and `operands` are `core.window` of outs and ins. This is part of every operation
    of torch: what it keeps becomes a `State` where something looks at it."""
    global _next, _recorded
    if op in _LEAVES:
        for t in outs:
            data(t._storage)
        return
    kernel = 0
    codes = []
    for t in ins:
        if t.__class__ is str:
            codes.append(None)
        else:
            code = t._storage.state
            if code is None:
                of(t._storage)
                code = t._storage.state
            kernel |= code & 1
            codes.append(code)
    # A kernel that reads the copy has read its source, too.
    source = weakref.ref(ins[0]._storage) if op == "copy" and codes[0] is not None else None
    made = []
    for which, t in enumerate(outs):
        storage, shape = t._storage, t._shape
        nbytes = storage.nbytes
        previous, stored = None, kernel
        if core.numel(shape) * t.dtype.itemsize != nbytes or t._strides != core.row_major(shape):
            state = of(storage)
            previous, stored = state.number, kernel | state.kernel
        made.append((storage, 2 * _next + stored))
        _log[_next] = (
            op, f, c, n, x, windows, which, operands, codes, previous, nbytes, stored == 1, source,
        )  # fmt: skip
        _recorded = _next
        _next += 1
        _log.pop(_next - MOST, None)
    for storage, code in made:
        storage.state = code


# ── computing again ─────────────────────────────────────────────────────────────────────────────


def _reads(state):
    """The states that are needed for this one."""
    if state.op in _ENDS:
        return []
    if state.pinned:
        if state.current() is not None or state.outs[state.which][0].itemsize < 4:
            return []
        # The values that a kernel read are gone; computed again they are off by less than a
        # rounding of float32.
        state.pinned = False
    numbers = [each[0] for each in state.ins if each.__class__ is not str]
    if state.previous is not None:
        numbers.append(state.previous)
    try:
        return [_at(number) for number in numbers]
    except KeyError:
        raise Unknown(f"{MOST:,} operations were made since") from None


def order(state):
    """The states behind one, each after those that it reads."""
    found, done, stack = [], set(), [(state, iter(_reads(state)))]
    done.add(id(state))
    while stack:
        top, rest = stack[-1]
        for each in rest:
            if id(each) not in done:
                done.add(id(each))
                stack.append((each, iter(_reads(each))))
                break
        else:
            found.append(top)
            stack.pop()
    return found


def is_data(state):
    """Whether nothing was computed to make it, by torch or by a kernel."""
    return (state.pinned or state.op in _ENDS) and not state.kernel


def work(states):
    """Multiplications and elements that computing them once takes."""
    total = 0
    for state in states:
        if state.pinned or state.op in _ENDS:
            continue
        if state.op == "matmul":
            total += math.prod(state.n[:4]) // 4
        total += sum(core.numel(window[1]) for window in state.outs)
        total += sum(core.numel(each[2]) for each in state.ins if each.__class__ is not str)
    return total


def terms(states):
    """The longest chain of roundings: an operation is one, a sum as many as it has terms."""
    depth = {}
    for state in states:
        before = max((depth[id(each)] for each in _reads(state)), default=0)
        depth[id(state)] = before + _roundings(state)
    return max(1, depth[id(states[-1])])


def _roundings(state):
    if state.pinned or state.op in _ENDS:
        return 0
    match state.op:
        case "matmul":
            return state.n[2]
        case "reduce":
            return 0 if state.f.startswith("a") else state.n[1]
        case "scan" | "softmax":
            return state.n[1]
        case "unary" | "binary":
            return 1
    return 0


def sums(states):
    """Whether several numbers are added for one."""
    return any(_roundings(state) > 1 for state in states)


def rounded_operands(states):
    """float16 or bfloat16, where floats behind the states have it and a product or a sum reads what was computed:
    kernels round such values to it. None without any."""
    narrow, computed = None, set()
    between = False
    for state in states:
        reads = _reads(state)
        if any(id(each) in computed for each in reads) or _roundings(state):
            computed.add(id(state))
        if state.op in ("matmul", "reduce") and any(id(each) in computed for each in reads):
            between = True
        for each in () if state.pinned or state.op in _ENDS else state.ins:
            if each.__class__ is not str and each[1].is_floating_point and each[1].itemsize == 2:
                if narrow is None or _eps(each[1]) > _eps(narrow):
                    narrow = each[1]
    return narrow if between else None


def _eps(dtype):
    from ._limits import finfo

    return finfo(dtype).eps


def stored_dtype(t):
    """The dtype that a tensor's elements were rounded to before torch copied them."""
    state, dtype = of(t._storage), t.dtype
    while state.op == "copy" and not state.pinned and state.ins[0].__class__ is not str:
        source = state.ins[0][1]
        if not source.is_floating_point:
            break
        if source.itemsize < dtype.itemsize:
            dtype = source
        if state.ins[0][0] not in _log:
            break
        state = _at(state.ins[0][0])
    return dtype


class Again:
    """A tensor as a function of its leaves, in float64: `leaves` are their values, `compute(*leaves)` is the tensor.

    @raises Unknown where a leaf's memory is gone or was written since.
    """

    def __init__(self, t, states):
        self._t, self._states = t, states
        self._draw, self._moves = None, False
        self._last = states[-1]
        self._leaves = [state for state in states if state.pinned or state.op == _LEAF]
        self._dtypes = self._uses()
        self.leaves = [self._kept(state) for state in self._leaves]

    def _uses(self):
        uses = {id(self._last): self._t.dtype}
        for state in self._states:
            if state.pinned or state.op in _ENDS:
                continue
            for each in state.ins:
                if each.__class__ is not str:
                    _agree(uses, _at(each[0]), each[1])
            if state.previous is not None:
                _agree(uses, _at(state.previous), state.outs[state.which][0])
        for state in self._states:
            if not state.pinned and state.op not in _ENDS:
                _agree(uses, state, state.outs[state.which][0])
        return uses

    def _kept(self, state):
        storage = state.current()
        if storage is None:
            raise Unknown("a tensor that it was computed from has changed since, or is gone")
        dtype = self._dtypes[id(state)]
        return _wide(_flat(storage, dtype))

    def moved(self, *leaves):
        """The tensor where each operation's result is moved by about a rounding of float32, as random arithmetic does
        (CADNA): how far roundings on the way count."""
        self._draw = self._draw or _generator()
        self._moves = True
        try:
            return self.compute(*leaves)
        finally:
            self._moves = False

    def compute(self, *leaves):
        memory = {id(state): leaf for state, leaf in zip(self._leaves, leaves)}
        left = {}
        for state in self._states:
            for each in _reads(state):
                left[id(each)] = left.get(id(each), 0) + 1
        for state in self._states:
            key = id(state)
            if key not in memory:
                memory[key] = self._filled(state) if state.op == _FILL else self._made(state, memory)
            for each in _reads(state):
                left[id(each)] -= 1
                if not left[id(each)] and each is not self._last:
                    memory.pop(id(each), None)
        t = self._t
        return _window(memory[id(self._last)], t._shape, t._strides, t._offset)

    def _filled(self, state):
        from ._create import full

        dtype = self._dtypes[id(state)]
        count = state.nbytes // dtype.itemsize
        wide = core.float64 if dtype.is_floating_point else dtype
        if not any(state.x):
            return full((count,), 0, dtype=wide)
        if not dtype.is_floating_point:
            raise Unknown("it reads memory that nothing wrote")
        return full((count,), math.nan, dtype=wide)

    def _made(self, state, memory):
        from ._tensor import empty

        dtype = state.outs[state.which][0]
        wide = core.float64 if dtype.is_floating_point else dtype
        if state.previous is not None:
            target = memory[id(_at(state.previous))].clone()
        else:
            target = empty((state.nbytes // dtype.itemsize,), wide, core.CPU)
        outs = []
        for i, (d, shape, strides, offset) in enumerate(state.outs):
            if i == state.which:
                outs.append(_window(target, shape, strides, offset))
            else:
                outs.append(empty(shape, core.float64 if d.is_floating_point else d, core.CPU))
        ins = []
        for each in state.ins:
            ins.append(each if each.__class__ is str else _window(memory[id(_at(each[0]))], *each[2:]))
        floats = dtype.is_floating_point or any(
            each.__class__ is not str and each[1].is_floating_point for each in state.ins
        )
        c = state.c
        if floats and c is not None and (core.BY_NAME[c].is_floating_point or dtype.is_floating_point):
            c = "float64"
        core.run(state.op, outs, ins, state.f, c, state.n, state.x)
        if state.op == "copy" and dtype.is_floating_point and state is not self._last:
            self._round(state, outs[state.which], dtype)
        if self._moves and dtype.is_floating_point and _roundings(state):
            self._move(outs[state.which])
        return target

    def _move(self, out):
        from ._random import randn

        factor = randn(out._shape, generator=self._draw, dtype=core.float64)
        out.mul_(factor.mul_(2.0**-24).add_(1.0))

    def _round(self, state, out, dtype):
        """A conversion of the program rounds here, too."""
        source = state.ins[0]
        if dtype is core.float64 or (source.__class__ is not str and source[1] is dtype):
            return
        narrow = out.to(dtype)
        core.run("copy", (out,), (narrow,))


def _generator():
    from ._random import Generator

    return Generator().manual_seed(2)


def _agree(uses, state, dtype):
    if uses.setdefault(id(state), dtype) is not dtype:
        raise Unknown("it reads the bits of one dtype as another")


def _flat(storage, dtype):
    from ._tensor import make

    if dtype.is_complex:
        raise Unknown("it has complex numbers")
    return make(storage, dtype, core.CPU, (storage.nbytes // dtype.itemsize,), (1,), 0)


def _wide(t):
    from ._tensor import empty

    wide = core.float64 if t.dtype.is_floating_point else t.dtype
    out = empty(t._shape, wide, core.CPU)
    if t.numel():
        core.run("copy", (out,), (t,))
    return out


def _window(flat, shape, strides, offset):
    from ._tensor import make

    return make(flat._storage, flat.dtype, core.CPU, shape, strides, offset)
