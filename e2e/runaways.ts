/** Programs that run away, by name, and the sentence that ends each (`runaways.test.ts`). */

export interface Runaway {
  readonly text: string;
  /** Said in the output. */
  readonly said: RegExp;
  /** It ends without Stop. */
  readonly ends?: true;
}

const HEAD = `
import itertools, re, sys, threading, time
import torch
import triton
import triton.language as tl

`;
const SPIN = `
@triton.jit
def spin(x_ptr, n):
    value = tl.load(x_ptr)
    for i in range(n):
        value = (value * 1103515245 + 12345) % 65536
    tl.store(x_ptr + tl.program_id(0), value)

x = torch.ones(2**20, dtype=torch.int32, device="cuda")
`;
const FILL = `
@triton.jit
def fill(x_ptr, value):
    tl.store(x_ptr + tl.arange(0, 16), value)

x = torch.ones(16, dtype=torch.int32, device="cuda")
`;
const calls = Array.from(
  { length: 24 },
  (_, i) => `@triton.jit\ndef f${i + 1}(x):\n    return f${i}(x) + f${i}(x * 2)\n`,
).join('\n');

const BEGUN = 'print("begun", flush=True)\n';
const STOPPED = /Stopped after/;
/** A program that only Stop ends. */
const endless = (lines: string, head = ''): Runaway => ({
  text: `${HEAD}${head}${BEGUN}${lines}\n`,
  said: STOPPED,
});
/** A program that ends by itself, with this sentence. */
const refused = (said: RegExp, lines: string, head = ''): Runaway => ({
  ends: true,
  text: `${HEAD}${head}${BEGUN}${lines}\n`,
  said,
});

export const RUNAWAYS: Readonly<Record<string, Runaway>> = {
  'host loop': endless('while True:\n    pass'),
  'loop that catches everything': endless(
    'while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass',
  ),
  'signals ignored': endless(
    'import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n    pass',
  ),
  'endless finalizer': {
    ...endless(
      `
class Held:
    def __del__(self):
        while True:
            pass

held = Held()
del held`,
    ),
    said: /Exception ignored[^]*KeyboardInterrupt|Stopped after/,
  },
  'loop inside of C': endless('all(itertools.repeat(1))'),
  sleep: endless('time.sleep(1e6)'),
  tasks: endless(
    'import asyncio\nasync def spin():\n    while True:\n        await asyncio.sleep(0)\nasyncio.get_event_loop().run_until_complete(spin())',
  ),
  prints: endless('while True:\n    print("x" * 100)'),
  'prints without a line end': endless('while True:\n    print("x", end="")'),
  'long lines': endless('while True:\n    print("x" * 1_000_000)'),
  'one endless line in pieces': endless('while True:\n    print("x" * 100_000, end="")'),
  warnings: endless(
    'import warnings\nfor i in itertools.count():\n    warnings.warn(f"number {i}")',
  ),
  'huge integers': endless('value = 3\nwhile True:\n    value = value * value'),
  'one huge power': endless('3 ** (10 ** 9)'),
  'regular expression': endless('re.match(r"(a+)+$", "a" * 60 + "b")'),
  'GPU kernel, by its arguments': endless('spin[(1,)](x, 2_000_000_000)\nprint(x[0].item())', SPIN),
  '2^20 programs': endless('spin[(2**20,)](x, 2000)\nprint(x[0].item())', SPIN),
  '10^6 launches': endless(
    'for i in range(10**6):\n    fill[(1,)](x, i)\nprint(x[0].item())',
    FILL,
  ),
  '10^5 comparisons': endless('for i in range(10**5):\n    torch.allclose(x, x)', FILL),
  'kernels without end': endless(
    'for i in itertools.count():\n    bind[(1,)](x, i, num_warps=2 ** (i % 4))\n    print(x[0].item())',
    FILL.replace('fill', 'bind').replace('value):', 'value: tl.constexpr):'),
  ),
  'constant function': endless(
    `
@triton.constexpr_function
def forever():
    while True:
        pass

@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, forever())

kernel[(1,)](torch.ones(1, device="cuda"))`,
  ),
  benchmark: endless(
    'print(triton.testing.do_bench(lambda: spin[(1,)](x, 500_000_000), rep=10**6))',
    SPIN,
  ),
  'endless GPU kernel': refused(
    /HC8016/,
    `
@triton.jit
def kernel(x_ptr):
    value = tl.load(x_ptr)
    while value > 0:
        value = value % 1000 + 1
    tl.store(x_ptr, value)

x = torch.ones(1, dtype=torch.int32, device="cuda")
kernel[(1,)](x)
print(x.item())`,
  ),
  recursion: refused(/RecursionError/, 'def deep():\n    deep()\ndeep()'),
  'memory of Python': refused(
    /MemoryError/,
    'kept = []\nwhile True:\n    kept.append(bytearray(b"1") * 2**24)',
  ),
  'tensors on the GPU': refused(
    /out of memory/i,
    'kept = []\nwhile True:\n    kept.append(torch.ones(2**25, device="cuda"))',
  ),
  'one giant tensor': refused(/out of memory|HC8\d+/i, 'torch.zeros(2**40, device="cuda")'),
  threads: refused(
    /thread/,
    'while True:\n    threading.Thread(target=time.sleep, args=(1,)).start()',
  ),
  processes: refused(/Error/, 'import subprocess\nsubprocess.run(["sleep", "1"])'),
  'digits of a huge integer': refused(/ValueError/, 'print(1 << 10**6)'),
  'a string of 200 MB': refused(/earlier characters left out/, 'print("x" * 200_000_000)'),
  '50,000 lines': refused(/line 49999/, 'for i in range(50_000):\n    print("line", i)'),
  '1,000 files': refused(
    /1000 files/,
    'for i in range(1000):\n    open(f"/tmp/f{i}.txt", "w").write("x" * 1000)\nimport os\nprint(len([n for n in os.listdir("/tmp") if n[0] == "f"]), "files")',
  ),
  'unrolled loops': refused(
    /HC0221/,
    `
@triton.jit
def kernel(x_ptr):
    value = tl.load(x_ptr)
    for i in tl.static_range(3000):
        for j in tl.static_range(3000):
            value = value * 3 + i * j
    tl.store(x_ptr, value)

kernel[(1,)](torch.ones(1, dtype=torch.int32, device="cuda"))`,
  ),
  'nested calls': refused(
    /HC\d{4}/,
    `
@triton.jit
def f0(x):
    return x * x + 1

${calls}
@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, f24(tl.load(x_ptr)))

kernel[(1,)](torch.ones(1, device="cuda"))`,
  ),
  'recursive kernel': refused(
    /HC\d{4}/,
    `
@triton.jit
def again(x):
    return again(x + 1)

@triton.jit
def kernel(x_ptr):
    tl.store(x_ptr, again(tl.load(x_ptr)))

kernel[(1,)](torch.ones(1, device="cuda"))`,
  ),
  'giant tile': refused(
    /HC\d{4}/,
    `
@triton.jit
def kernel(x_ptr):
    at = tl.arange(0, 2**20)
    tl.store(x_ptr + at, tl.sort(tl.load(x_ptr + at)))

kernel[(1,)](torch.ones(2**20, device="cuda"))`,
  ),
  'giant product': refused(
    /HC\d{4}/,
    `
@triton.jit
def kernel(x_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    a = tl.load(x_ptr + at)
    tl.store(x_ptr + at, tl.dot(a, a))

kernel[(1,)](torch.ones(1024 * 1024, device="cuda"), N=1024)`,
  ),
};

/** One of each kind: these run with every change, all of them nightly (RUNAWAYS=all). */
export const EACH_CHANGE: readonly string[] = [
  'loop that catches everything',
  'prints',
  'long lines',
  'huge integers',
  'constant function',
  'recursion',
  'threads',
  'a string of 200 MB',
  'unrolled loops',
  'giant tile',
];
