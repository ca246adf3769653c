/**
 * Denormals: conversions between formats are exact for every value, and bits that are only moved
 * stay as they are, also on an adapter that flushes denormals in arithmetic. Where a launch
 * computes with some that stand in memory, it says so.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner } from '../runtime/runner';
import { account, playFiles, startLessons } from '../tutorials/testing';

const HEAD = `
import torch
import triton
import triton.language as tl

def same(a, b, nan):
    """The same bits; NaN is NaN."""
    equal = a == b
    return bool((equal | nan).all()), (~(equal | nan)).nonzero().flatten()[:8].tolist()

`;

const PROGRAMS = {
  'every 16-bit and 8-bit float becomes its f32, and comes back': `
@triton.jit
def widen(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(tl.float32))

@triton.jit
def narrow(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(out_ptr.dtype.element_ty))

for dtype, count, bits in [
    (torch.float16, 65536, torch.int16), (torch.bfloat16, 65536, torch.int16),
    (torch.float8_e4m3fn, 256, torch.uint8), (torch.float8_e5m2, 256, torch.uint8),
]:
    x = torch.arange(count, dtype=torch.int32).to(bits).view(dtype)
    expected = x.to(torch.float32)
    nan = expected.isnan()
    wide = torch.empty(count, dtype=torch.float32, device="cuda")
    widen[(count // 256,)](x.cuda(), wide, BLOCK=256)
    right = same(wide.cpu().view(torch.int32), expected.view(torch.int32), nan)
    assert right[0], (dtype, "wide", right[1])
    back = torch.empty(count, dtype=dtype, device="cuda")
    narrow[(count // 256,)](expected.cuda(), back, BLOCK=256)
    # Triton saturates at the largest 8-bit float.
    saturated = expected.isinf() & (count == 256)
    right = same(back.cpu().view(bits), x.view(bits), nan | saturated)
    assert right[0], (dtype, "back", right[1])
`,
  'bits that are moved stay': `
@triton.jit
def move(x_ptr, i_ptr, a_ptr, b_ptr, c_ptr, d_ptr, e_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(a_ptr + at, x)
    tl.store(b_ptr + at, tl.load(i_ptr + at).to(tl.float32, bitcast=True))
    tl.store(c_ptr + at, tl.where(at % 2 == 0, x, tl.load(x_ptr + at)))
    tl.store(e_ptr + at, -x)
    tl.store(d_ptr + at, tl.reshape(tl.trans(tl.reshape(x, (BLOCK // 4, 4))), (BLOCK,)).to(tl.int32, bitcast=True))

bits = torch.cat([torch.arange(1, 65), torch.arange(1, 65) + 0x7fffc0, torch.arange(128) * 65536 - 2**31 + 3]).to(torch.int32)
x = bits.view(torch.float32).cuda()
a, b, c, e = (torch.empty_like(x) for _ in range(4))
d = torch.empty_like(bits.cuda())
move[(1,)](x, bits.cuda(), a, b, c, d, e, BLOCK=256)
for name, found, wanted in [
    ("load", a, bits), ("bitcast", b, bits), ("where", c, bits), ("minus", e, bits ^ -(2**31)), ("trans", d, bits.reshape(64, 4).T.reshape(-1)),
]:
    assert torch.equal(found.cpu().view(torch.int32), wanted), name
`,
  'a product of a float made of bits keeps denormals': `
@triton.jit
def dequantize(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at).to(tl.int32)
    sign = (x & 0x80) << 24
    tl.store(out_ptr + at, (sign | ((x & 0x7F) << 20)).to(tl.float32, bitcast=True) * 2.0**120)

@triton.jit
def half(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at).to(tl.int32)
    scaled = 2.0**112 * ((x & 0x7FFF) << 13).to(tl.float32, bitcast=True)
    tl.store(out_ptr + at, tl.where(x >> 15 != 0, -scaled, scaled))

codes = torch.arange(256, dtype=torch.int32).to(torch.uint8)
out = torch.empty(256, device="cuda")
dequantize[(1,)](codes.cuda(), out, BLOCK=256)
expected = codes.view(torch.float8_e4m3fn).float()
nan = expected.isnan()
right = same(out.cpu(), expected, nan)
assert right[0], right[1]

halves = torch.arange(0, 1024, dtype=torch.int32).to(torch.int16)
out = torch.empty(1024, device="cuda")
half[(1,)](halves.cuda(), out, BLOCK=1024)
assert torch.equal(out.cpu(), halves.view(torch.float16).float()), out[:4]
`,
  'a product of a float made of any bits is rounded once': `
@triton.jit
def times(x_ptr, y_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at).to(tl.float32, bitcast=True) * tl.load(y_ptr + at))

n = 1 << 16
torch.manual_seed(3)
any = lambda: torch.randint(-(2**31), 2**31 - 1, (n,), dtype=torch.int64).to(torch.int32)
tiny = any() & -2139095041  # No exponent: denormals of both signs.
about_one = (any() & 0x07FFFFFF) | 0x3C000000
ends = torch.tensor([0, 1, 0x7FFFFF, 0x800000, 0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x3F800000, 0x3F000000, 0x4B000000])
ends = torch.cat([ends, ends - 2**31]).to(torch.int32)
pairs = [
    (any(), any()), (tiny, any()), (tiny, about_one), (any(), tiny), (about_one, about_one),
    # Products about the least normal number.
    ((any() & -2139095041) | 0x1F800000, (any() & 0x00FFFFFF) | 0x1F000000),
    (ends.repeat(20).repeat(164)[:n], ends.repeat_interleave(20).repeat(164)[:n]),
]
for i, (x, y) in enumerate(pairs):
    out = torch.empty(n, device="cuda")
    times[(n // 256,)](x.cuda(), y.view(torch.float32).cuda(), out, BLOCK=256)
    expected = x.view(torch.float32) * y.view(torch.float32)
    right = same(out.cpu().view(torch.int32), expected.view(torch.int32), expected.isnan() & out.cpu().isnan())
    assert right[0], (i, right[1], [(hex(int(x[k])), hex(int(y[k])), out[k].item()) for k in right[1][:3]])
`,
};

/** Products of denormals that a tensor holds; copies of them; tensors without. */
const STORED = `
import torch
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, (tl.load(x_ptr + at).to(tl.float32) * 2.0**120).to(out_ptr.dtype.element_ty))

@triton.jit
def copy(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at))

x = torch.zeros(64)
x[8], x[9], x[10], x[11] = 1.0, 2.0**-120, 2.0**-126, -1.0
ordinary = x.cuda()
scale[(1,)](ordinary, torch.empty(64, device="cuda"), BLOCK=64)
x[3], x[5] = 2.0**-149, -(2.0**-130)
tiny = x.cuda()
out = torch.empty(64, device="cuda")
copy[(1,)](tiny.clone(), out, BLOCK=64)
scale[(1,)](tiny, out, BLOCK=64)
scale[(1,)](tiny, out, BLOCK=64)
y = torch.zeros(64, dtype=torch.bfloat16)
y[1], y[2] = 2.0**-130, 2.0**-126
half = y.cuda()
# Written, and not read.
tiny[3] = 2.0**-149
scale[(1,)](half, tiny, BLOCK=64)
print(out[3].item() / 2.0**-29)
`;

/** Arithmetic with floats that are made of bits, each in a kernel: an expression of them. */
const MADE = {
  sum: 'x + 1.0e-45',
  quotient: 'x / 2.0**-120',
  comparison: '(x > 0).to(tl.float32)',
  root: 'tl.sqrt(x)',
  maximum: 'tl.maximum(x, 0.0)',
  fma: 'tl.fma(x, 2.0**120, 0.0)',
  reduction: 'tl.max(x) + tl.zeros((BLOCK,), tl.float32)',
} as const;
const MADE_OF_BITS = (expression: string): string => `
import torch
import triton
import triton.language as tl

@triton.jit
def made(i_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(i_ptr + at).to(tl.float32, bitcast=True)
    tl.store(out_ptr + at, ${expression})

i = torch.arange(1, 65, dtype=torch.int32).cuda()
made[(1,)](i, torch.empty(64, device="cuda"), BLOCK=64)
`;

/** Products of floats made of bits that arrive by a conversion, a branch, or a loop. */
const CARRIED = `
import torch
import triton
import triton.language as tl

@triton.jit
def widened(i_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(i_ptr + at).to(tl.int16).to(tl.bfloat16, bitcast=True).to(tl.float32)
    tl.store(out_ptr + at, x * 2.0**120)

@triton.jit
def branched(i_ptr, out_ptr, which, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    bits = tl.load(i_ptr + at)
    if which == 7:
        x = (bits << 16).to(tl.float32, bitcast=True)
    else:
        x = (bits << 15).to(tl.float32, bitcast=True)
    tl.store(out_ptr + at, x * 2.0**120)

@triton.jit
def looped(i_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.zeros((BLOCK,), tl.float32)
    for k in range(n):
        x = (tl.load(i_ptr + at) << 16).to(tl.float32, bitcast=True)
    tl.store(out_ptr + at, x * 2.0**120)

i = torch.arange(1, 65, dtype=torch.int32).cuda()
expected = torch.arange(1, 65) * 2.0**-13
for kernel, more in [(widened, []), (branched, [7]), (looped, [3])]:
    out = torch.empty(64, device="cuda")
    kernel[(1,)](i, out, *more, BLOCK=64)
    assert torch.equal(out.cpu(), expected), (kernel.__name__, out[:4].tolist(), expected[:4].tolist())
`;

/** Bits that one kernel stores as floats, and the next one scales. */
const HANDED_ON = `
import torch
import triton
import triton.language as tl

@triton.jit
def make(i_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(i_ptr + at).to(tl.float32, bitcast=True))

@triton.jit
def scale(x_ptr, out_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + at, tl.load(x_ptr + at) * 2.0**120)

made = torch.empty(64, device="cuda")
make[(1,)](torch.arange(1, 65, dtype=torch.int32).cuda(), made, BLOCK=64)
scale[(1,)](made, torch.empty(64, device="cuda"), BLOCK=64)
`;

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

describe.each(['interpreter', 'webgpu'] as const)('on %s', (adapter) => {
  it.each(Object.entries(PROGRAMS))('%s', async (_, program) => {
    const record = await playFiles(runner, { 'main.py': HEAD + program }, 'main.py', adapter);
    expect(record.adapter?.kind).toBe(adapter);
    expect(record.outcome, account(record)).toBe('ok');
  });

  it('keeps denormals through conversions, branches and loops to a product', async () => {
    const record = await playFiles(runner, { 'main.py': CARRIED }, 'main.py', adapter);
    expect(record.outcome, account(record)).toBe('ok');
    expect(record.diagnostics).toEqual([]);
  });

  it.each(Object.entries(MADE))('reports a float made of bits in a %s', async (_, expression) => {
    const files = { 'main.py': MADE_OF_BITS(expression) };
    const record = await playFiles(runner, files, 'main.py', adapter);
    expect(record.outcome, account(record)).toBe('ok');
    const codes = record.diagnostics.map(({ code, message }) => `${code} ${message.slice(0, 13)}`);
    const flushes = record.adapter?.flushesDenormals === true;
    expect(codes).toEqual(flushes ? ['HC8015 made computes'] : []);
  });

  it('reports floats that another kernel made of bits', async () => {
    const record = await playFiles(runner, { 'main.py': HANDED_ON }, 'main.py', adapter);
    expect(record.outcome, account(record)).toBe('ok');
    const said = record.diagnostics.map(({ code, message }) => `${code} ${message.slice(0, 29)}`);
    const flushes = record.adapter?.flushesDenormals === true;
    expect(said).toEqual(flushes ? ['HC8015 x_ptr of scale holds floats t'] : []);
  });

  it('reports denormals in memory where they count as 0', async () => {
    const record = await playFiles(runner, { 'main.py': STORED }, 'main.py', adapter);
    const reported = record.diagnostics.map(({ code, location, message }) =>
      [code, location.line, message.split(':')[0]].join(' '),
    );
    expect(record.outcome, account(record)).toBe('ok');
    const flushes = record.adapter?.flushesDenormals === true;
    expect(reported).toEqual(
      flushes
        ? [
            'HC8015 24 x_ptr of scale holds denormals (2 of fp32, the first at 3)',
            'HC8015 31 x_ptr of scale holds denormals (1 of bf16, the first at 1)',
          ]
        : [],
    );
    const printed = record.output.map((item) => (item.kind === 'print' ? item.text : '')).join('');
    expect(printed).toBe(flushes ? '0.0\n' : '1.0\n');
  });
});
