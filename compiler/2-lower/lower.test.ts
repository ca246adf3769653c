/** The TTIR that `lower` makes of a small kernel. */
import { expect, test } from 'vitest';
import { testParser } from '../1-parse/testing/testParser';
import { printIr } from '../ir/printer';
import { lowerText } from './testing/lowerText';

const CLAMPED_SUM = `import triton
import triton.language as tl

@triton.jit
def clamp(x, LOW: tl.constexpr):
    if LOW is not None:
        x = tl.maximum(x, LOW)
    return x

@triton.jit
def clamped_sum(x_ptr, out_ptr, n, LOW: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    acc = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, n, BLOCK):
        x = tl.load(x_ptr + start + at, mask=start + at < n, other=0.0)
        acc += clamp(x, LOW)
    if n > 7:
        tl.store(out_ptr, tl.sum(acc))
`;

test('makes TTIR with a loop, a branch and an inlined call of a specialization', async () => {
  const int = (value: number) => ({ constexpr: { kind: 'int', value: `${value}` } as const });
  const { func, diagnostics } = lowerText(await testParser(), CLAMPED_SUM, 'clamped_sum', {
    x_ptr: '*fp16:16',
    out_ptr: '*fp32',
    n: 'i32',
    LOW: int(0),
    BLOCK: int(64),
  });
  expect(diagnostics).toEqual([]);
  expect(printIr(func!)).toMatchInlineSnapshot(`
    "tt.func @clamped_sum(%x_ptr: !tt.ptr<f16> {tt.divisibility = 16}, %out_ptr: !tt.ptr<f32>, %n: i32) attributes {numWarps = 4} {
      %at = tt.make_range {start = 0, end = 64} : tensor<64xi32>
      %acc = arith.constant dense<0.0> : tensor<64xf32>
      %c0_i32 = arith.constant 0 : i32
      %c64_i32 = arith.constant 64 : i32
      %acc_0 = scf.for %c0_i32, %n, %c64_i32, %acc : tensor<64xf32> {
      ^(%start: i32, %acc_1: tensor<64xf32>):
        %0 = tt.addptr %x_ptr, %start : !tt.ptr<f16>
        %1 = tt.splat %0 : tensor<64x!tt.ptr<f16>>
        %2 = tt.addptr %1, %at : tensor<64x!tt.ptr<f16>>
        %3 = tt.splat %start : tensor<64xi32>
        %4 = arith.addi %3, %at : tensor<64xi32>
        %5 = tt.splat %n : tensor<64xi32>
        %6 = arith.cmpi %4, %5 {predicate = "slt"} : tensor<64xi1>
        %cst = arith.constant 0.0 : f32
        %7 = tt.splat %cst : tensor<64xf32>
        %8 = arith.truncf %7 : tensor<64xf16>
        %x = tt.load %2, %6, %8 : tensor<64xf16>
        %c0_i32_0 = arith.constant 0 : i32
        %9 = arith.sitofp %c0_i32_0 : f16
        %10 = tt.splat %9 : tensor<64xf16>
        %x_0 = arith.maxnumf %x, %10 : tensor<64xf16>
        %11 = arith.extf %x_0 : tensor<64xf32>
        %acc_2 = arith.addf %acc_1, %11 : tensor<64xf32>
        scf.yield %acc_2
      }
      %c7_i32 = arith.constant 7 : i32
      %12 = arith.cmpi %n, %c7_i32 {predicate = "sgt"} : i1
      scf.if %12 {
        %13 = tt.reshape %acc_0 {allowReorder = true} : tensor<64xf32>
        %14 = tt.reduce %13 {axis = 0} : f32 {
        ^(%15: f32, %16: f32):
          %17 = arith.addf %15, %16 : f32
          tt.reduce.return %17
        }
        tt.store %out_ptr, %14
        scf.yield
      } else {
        scf.yield
      }
      tt.return
    }
    "
  `);
});
