/**
 * The phases of a run in which a device can be lost, each by a program that spends its calls of
 * WebGPU there. Each checks its own results with Python's arithmetic and prints `right` at its end:
 * a run that prints it and computed anything else is a fault.
 */
export const PHASES = [
  'start',
  'compile',
  'pipelines',
  'upload',
  'launch',
  'readback',
  'autotune',
  'timing',
  'debugger',
  'comparison',
  'switch',
] as const;
export type Phase = (typeof PHASES)[number];

/** Phases of one program's runs; the others open pages and programs. */
export const RUN_PHASES = PHASES.filter((phase) => phase !== 'start' && phase !== 'switch');

/** The program's first line: somebody who edits one line keeps an undo history of lines. */
export const header = (phase: string, run: number): string => `PHASE, RUN = "${phase}", ${run}`;

export const PROGRAM = `${header('launch', 0)}
import torch
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, n, FACTOR: tl.constexpr, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * FACTOR, mask=mask)


@triton.autotune(configs=[triton.Config({"BLOCK": b}) for b in (64, 128, 256)], key=["n", "KEY"])
@triton.jit
def tuned(x_ptr, out_ptr, n, KEY, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(out_ptr + offsets, tl.load(x_ptr + offsets, mask=mask) * 3, mask=mask)


N = 3000
NUMBERS = [float((i * 7 + RUN) % 101) for i in range(N)]


def ones():
    return torch.tensor(NUMBERS, device="cuda")


def launch(x, out, factor, block=256):
    scale[(triton.cdiv(N, block),)](x, out, N, factor, block)
    return out


def check(out, factor):
    assert out.tolist() == [each * factor for each in NUMBERS], "wrong results"


x = ones()
out = torch.zeros(N, device="cuda")
print("begun", PHASE)
if PHASE == "compile":
    for factor in range(2, 8):
        check(launch(x, out, factor + 16 * RUN), factor + 16 * RUN)
elif PHASE == "pipelines":
    for factor in range(2, 8):
        launch(x, out, factor + 0.5 + 16 * RUN)
    check(out, 7.5 + 16 * RUN)
elif PHASE == "upload":
    for _ in range(6):
        check(launch(ones(), out, 2), 2)
elif PHASE == "launch":
    for _ in range(40):
        launch(x, out, 2)
        launch(out, out, 2)
    check(out, 4)
elif PHASE == "readback":
    for factor in (2, 4, 2, 4):
        launch(x, out, factor)
        assert out[17].item() == NUMBERS[17] * factor, "wrong results"
        check(out, factor)
elif PHASE == "autotune":
    tuned[lambda meta: (triton.cdiv(N, meta["BLOCK"]),)](x, out, N, RUN)
    check(out, 3)
elif PHASE == "timing":
    took = triton.testing.do_bench(lambda: launch(x, out, 2), warmup=1, rep=2)
    assert took >= 0
    check(out, 2)
elif PHASE == "debugger":
    launch(x, out, 2)
    again = torch.zeros(N, device="cuda")
    launch(out, again, 2)
    check(again, 4)
elif PHASE == "comparison":
    launch(x, out, 2)
    assert torch.allclose(out, x * 2)
    torch.testing.assert_close(out, x * 2)
elif PHASE == "switch":
    import time
    for _ in range(400):
        check(launch(x, out, 2), 2)
print("right", RUN)
`;
