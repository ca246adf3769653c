/**
 * The order of dimensions that results have in memory: a kernel gets their strides, so they are
 * PyTorch's. The expected lines are those of PyTorch 2.13 for the same program (there `to` goes to
 * float64, as no other device is at hand).
 */
import { expect, it } from 'vitest';
import { startPython } from './testing/python';

const PROGRAM = `import itertools
import torch
import torch.nn.functional as F

def base(*shape):
    return torch.arange(1.0, 1 + torch.Size(shape).numel()).reshape(shape)

LAYOUTS = {
    "c": base(2, 3, 4), "p": base(4, 2, 3).permute(1, 2, 0), "q": base(3, 4, 2).permute(2, 0, 1),
    "w": base(2, 4, 3).transpose(1, 2), "n": base(4, 3, 2).permute(2, 1, 0), "e": base(2, 1, 4).expand(2, 3, 4),
    "o": base(4, 1, 2).permute(2, 1, 0).expand(2, 3, 4), "s": base(2, 8, 3).transpose(1, 2)[:, :, ::2],
    "b": base(4, 3).t(), "x": torch.tensor(2.0),
}
MADE = {
    "exp": torch.exp, "abs": torch.abs, "+1": lambda t: t + 1, "1-": lambda t: 1 - t, "> 1": lambda t: t > 1,
    "double": lambda t: t.double(), "to": lambda t: t.to("cuda"), "clone": lambda t: t.clone(), "where": lambda t: torch.where(t > 3, t, 0.0),
    "clamp": lambda t: t.clamp(0, 3), "pow": lambda t: t**2, "relu": F.relu, "gelu": F.gelu, "masked_fill": lambda t: t.masked_fill(t > 3, 0),
    "zeros_like": torch.zeros_like, "randn_like": torch.randn_like, "contiguous": lambda t: t.contiguous(),
    "softmax": lambda t: t.softmax(-1), "layer_norm": lambda t: F.layer_norm(t, t.shape[-1:]), "flip": lambda t: t.flip(0),
    "sort": lambda t: t.sort(-1)[0], "cumsum": lambda t: t.cumsum(0), "sum": lambda t: t.sum(0, keepdim=True).expand(t.shape),
}

def order(t):
    """Dimensions from the outermost to the innermost in memory."""
    return "".join(str(d) for d in sorted(range(t.dim()), key=lambda d: -t.stride(d)))

for a in LAYOUTS:
    print(a, *[order(LAYOUTS[a] * LAYOUTS[b]) for b in LAYOUTS])
for name, function in MADE.items():
    print(name, *[order(function(t)) for t in LAYOUTS.values() if t.dim()])
`;

const EXPECTED = `c 012 012 012 012 012 012 012 012 012 012
p 201 201 201 201 201 201 201 201 201 201
q 120 120 120 120 120 120 120 120 120 120
w 021 021 021 021 021 021 021 021 021 021
n 210 210 210 210 210 210 210 210 210 210
e 012 021 102 021 021 012 012 021 021 012
o 012 201 120 201 210 210 210 201 201 210
s 021 021 021 021 021 021 021 021 021 021
b 021 201 210 021 210 021 201 021 10 10
x 012 201 120 021 210 012 210 021 10 
exp 012 201 120 021 210 012 210 021 10
abs 012 201 120 021 210 012 210 021 10
+1 012 201 120 021 210 012 210 021 10
1- 012 201 120 021 210 012 210 021 10
> 1 012 201 120 021 210 012 210 021 10
double 012 201 120 021 210 012 210 021 10
to 012 201 120 021 210 012 210 021 10
clone 012 201 120 021 210 012 210 021 10
where 012 201 120 021 210 012 210 021 10
clamp 012 201 120 021 210 012 210 021 10
pow 012 201 120 021 210 012 210 021 10
relu 012 201 120 021 210 012 210 021 10
gelu 012 201 120 021 210 012 210 021 10
masked_fill 012 012 012 012 012 012 012 012 01
zeros_like 012 201 120 021 210 012 210 021 10
randn_like 012 201 120 021 210 012 210 021 10
contiguous 012 012 012 012 012 012 012 012 01
softmax 012 012 012 012 012 012 012 012 01
layer_norm 012 012 012 012 012 012 012 012 01
flip 012 201 120 021 210 012 210 021 10
sort 012 201 120 021 210 012 210 021 10
cumsum 012 012 012 012 012 012 012 012 01
sum 120 120 120 120 120 120 120 120 10
`;

it('lays results out in memory as PyTorch does', async () => {
  const python = await startPython();
  const { outcome, output, errors } = python.run(PROGRAM);
  expect(outcome, errors).toBe('ok');
  expect(output).toBe(EXPECTED);
}, 120_000);

/** Strides of a convolution and its transpose, by those of picture and weight: PyTorch 2.13's. */
const CONVOLUTIONS = `import torch
for picture in (torch.contiguous_format, torch.channels_last):
    for weight in (torch.contiguous_format, torch.channels_last):
        for n, c, h, w, k, s in ((2, 3, 8, 9, 4, 3), (1, 1, 8, 8, 4, 3), (2, 3, 8, 8, 4, 1), (2, 3, 1, 1, 4, 1)):
            x = torch.ones(n, c, h, w).contiguous(memory_format=picture)
            a = torch.ones(k, c, s, s).contiguous(memory_format=weight)
            b = torch.ones(c, k, s, s).contiguous(memory_format=weight)
            print(*torch.conv2d(x, a).stride(), "|", *torch.conv_transpose2d(x, b).stride())
`;
const CONVOLVED = `168 42 7 1 | 440 110 11 1
144 36 6 1 | 400 100 10 1
256 64 8 1 | 256 64 8 1
4 1 1 1 | 4 1 1 1
168 1 28 4 | 440 1 44 4
144 36 6 1 | 400 1 40 4
256 64 8 1 | 256 64 8 1
4 1 1 1 | 4 1 1 1
168 1 28 4 | 440 1 44 4
144 36 6 1 | 400 100 10 1
256 1 32 4 | 256 1 32 4
4 1 1 1 | 4 1 1 1
168 1 28 4 | 440 1 44 4
144 36 6 1 | 400 1 40 4
256 1 32 4 | 256 1 32 4
4 1 1 1 | 4 1 1 1
`;

it('lays convolutions with channels innermost where an operand has them there', async () => {
  const python = await startPython();
  const { outcome, output, errors } = python.run(CONVOLUTIONS);
  expect(outcome, errors).toBe('ok');
  expect(output).toBe(CONVOLVED);
}, 120_000);
