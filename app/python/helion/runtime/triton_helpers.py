"""Signals between programs, as kernels that Helion prints call them (`hl.signal`, `hl.wait`).

A signal is an int32 in memory. `sem`, `scope` and `op` are those of Helion: `op` is the atomic operation.
A wait ends when the memory has the expected value. Whether it ever does depends on the order of programs:
WebGPU does not promise that all of a launch's programs run at once.
"""

import triton
import triton.language as tl


@triton.jit
def triton_send_signal(
    addr,
    update: tl.constexpr,
    sem: tl.constexpr,
    scope: tl.constexpr,
    op: tl.constexpr,
    skip_sync: tl.constexpr,
):
    """Sets or increments the signals at `addr`. Returns what they were."""
    tl.static_assert(sem == "release" or sem == "relaxed", "sem is 'release' or 'relaxed'")
    tl.static_assert(scope == "gpu" or scope == "sys", "scope is 'gpu' or 'sys'")
    tl.static_assert(op == "atomic_xchg" or op == "atomic_add", "op is 'atomic_xchg' or 'atomic_add'")
    if not skip_sync:
        tl.debug_barrier()
    if op == "atomic_xchg":
        before = tl.atomic_xchg(addr, update, sem=sem, scope=scope)
    else:
        before = tl.atomic_add(addr, update, sem=sem, scope=scope)
    return before


@triton.jit
def triton_wait_signal(
    addr,
    expect: tl.constexpr,
    update: tl.constexpr,
    sem: tl.constexpr,
    scope: tl.constexpr,
    op: tl.constexpr,
    skip_sync: tl.constexpr,
    sync_before: tl.constexpr = False,
):
    """Waits until the signal at `addr` is `expect`; op='atomic_cas' then makes it `update`."""
    _check_wait(sem, scope, op)
    tl.static_assert(addr.type.is_ptr(), "addr is one signal; triton_wait_multiple_signal takes several")
    if sync_before:
        tl.debug_barrier()
    if op == "ld":
        while tl.atomic_add(addr, 0, sem=sem, scope=scope) != expect:
            pass
    else:
        while tl.atomic_cas(addr, expect, update, sem=sem, scope=scope) != expect:
            pass
    if not skip_sync:
        tl.debug_barrier()


@triton.jit
def triton_wait_multiple_signal(
    addr,
    expect: tl.constexpr,
    update: tl.constexpr,
    sem: tl.constexpr,
    scope: tl.constexpr,
    op: tl.constexpr,
    skip_sync: tl.constexpr,
    sync_before: tl.constexpr = False,
):
    """Waits until each of the signals at `addr`, at most 32, has been `expect`; then as for one."""
    _check_wait(sem, scope, op)
    tl.static_assert(addr.dtype == tl.pointer_type(tl.int32), "signals are int32")
    if sync_before:
        tl.debug_barrier()
    flat = tl.ravel(addr)
    tl.static_assert(flat.shape[0] <= 32, "a wait is for at most 32 signals")
    waits = tl.full(flat.shape, 1, tl.int1)
    while tl.max(waits.to(tl.int32), axis=0) != 0:
        if op == "ld":
            found = tl.atomic_add(flat, 0, mask=waits, sem=sem, scope=scope)
        else:
            # A signal that has been `expect` is `update` now, and another program may send it
            # again: it stays as it is.
            values = tl.where(waits, update, expect).to(tl.int32)
            found = tl.atomic_cas(flat, tl.full(flat.shape, expect, tl.int32), values, sem=sem, scope=scope)
        waits = waits & (found != expect)
    if not skip_sync:
        tl.debug_barrier()


@triton.jit
def _check_wait(sem: tl.constexpr, scope: tl.constexpr, op: tl.constexpr):
    tl.static_assert(
        sem == "acquire" or sem == "relaxed" or sem == "release", "sem is 'acquire', 'relaxed' or 'release'"
    )
    tl.static_assert(scope == "gpu" or scope == "sys", "scope is 'gpu' or 'sys'")
    tl.static_assert(op == "ld" or op == "atomic_cas", "op is 'ld' or 'atomic_cas'")
