/** `triton.tools.mxfp`: the codes of e2m1 and e8m0, ties and corners, packing and back. */
import { beforeAll, describe, expect, it } from 'vitest';
import { startPython } from './testing/python';
import type { TestPython } from './testing/python';

let python: TestPython;
beforeAll(async () => {
  python = await startPython();
}, 60_000);

function run(source: string): string {
  const head = 'import torch\nfrom triton.tools.mxfp import MXFP4Tensor, MXScaleTensor\n';
  const { errors, output } = python.run(head + source);
  expect(errors).toBe('');
  return output;
}

describe('MXFP4Tensor', () => {
  it('rounds to the nearest of its numbers, ties to the even code', () => {
    expect(
      run(
        'x = MXFP4Tensor(torch.tensor([0.0, -0.0, 0.25, 0.26, 0.75, 1.25, 1.75, 2.5, 3.5, 5.0,\n' +
          '    -3.0, 7.0, float("-inf"), float("nan")]))\n' +
          'print(x.data.tolist(), x.data.dtype)\nprint(x.to(torch.float32).tolist())',
      ),
    ).toBe(
      '[0, 8, 0, 1, 2, 2, 4, 4, 6, 6, 13, 7, 15, 7] torch.uint8\n' +
        '[0.0, -0.0, 0.0, 0.5, 1.0, 1.0, 2.0, 2.0, 4.0, 4.0, -3.0, 6.0, -6.0, 6.0]\n',
    );
  });
  it('packs two codes a byte along a dimension, and takes them apart', () => {
    expect(
      run(
        'x = MXFP4Tensor(torch.arange(6).reshape(2, 3).float())\n' +
          'print(x.to_packed_tensor(1).tolist(), x.to_packed_tensor(0).tolist())\n' +
          'for shape, dim in (((64,), 0), ((8, 16), 0), ((7, 5), 1), ((4, 4, 6), 2)):\n' +
          '    x = MXFP4Tensor(size=shape).random()\n' +
          '    back = x.unpack_packed_tensor(x.to_packed_tensor(dim), dim, shape)\n' +
          '    print(torch.equal(back, x.data),\n' +
          '          torch.equal(MXFP4Tensor(x.to(torch.float32)).data, x.data))',
      ),
    ).toBe('[[32, 4], [101, 6]] [[80, 98, 100]]\n' + 'True True\n'.repeat(4));
  });
});

describe('MXScaleTensor', () => {
  it('keeps exponents; what is no positive number is NaN', () => {
    expect(
      run(
        'x = MXScaleTensor(torch.tensor([1.0, 1.5, 3.0, 0.75, 1e-39, 1e38, 0.0, -1.0,\n' +
          '    float("inf"), float("nan")]))\n' +
          'print(x.data.tolist())\n' +
          'x.data = torch.tensor([0, 1, 127, 254, 255], dtype=torch.uint8)\n' +
          'y = x.to(torch.float32)\n' +
          'print(y.tolist()[:4] == [2.0**-127, 2.0**-126, 1.0, 2.0**127], y.isnan().tolist())\n' +
          'r = MXScaleTensor(size=(1000,)).random(low=0.25, high=8)\n' +
          'print(r.data.min().item() >= 125, r.data.max().item() <= 130)',
      ),
    ).toBe(
      '[127, 127, 128, 126, 0, 253, 255, 255, 255, 255]\n' +
        'True [False, False, False, False, True]\nTrue True\n',
    );
  });
});
