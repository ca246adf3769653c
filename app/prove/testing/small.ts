/** For tests: programs of the gallery, made small enough to be proved in seconds. */
import { withoutBenchmarks } from '../../tutorials/mutations';

export interface SmallProgram {
  readonly file: string;
  /** Each text, wherever it stands, and what takes its place. */
  readonly sizes: readonly (readonly [from: string, to: string])[];
}

export const SMALL: readonly SmallProgram[] = [
  { file: 'vector_add.py', sizes: [['98432', '3000']] },
  { file: 'fused_softmax.py', sizes: [['(1823, 781,', '(13, 45,']] },
  {
    file: 'layer_norm.py',
    sizes: [
      ['1151', '3'],
      ['3001', '2100'],
    ],
  },
  {
    file: 'matmul.py',
    sizes: [
      ['(600, 200)', '(40, 56)'],
      ['(200, 390)', '(56, 36)'],
      ['torch.randn(390', 'torch.randn(36'],
    ],
  },
  { file: 'fused_attention.py', sizes: [['(2, 3, 200, 64)', '(1, 2, 100, 16)']] },
  { file: 'batched_matmul.py', sizes: [] },
  { file: 'rotary.py', sizes: [['(8, 300, 64', '(2, 30, 16']] },
  { file: 'linear_attention.py', sizes: [['(4, 150, 32', '(2, 40, 16']] },
  { file: 'selective_scan.py', sizes: [['(16, 300', '(6, 150']] },
  { file: 'lora_linear.py', sizes: [] },
  { file: 'int8_matmul.py', sizes: [] },
  {
    file: 'rms_norm.py',
    sizes: [
      ['150, 500', '40, 50'],
      ['randn(500', 'randn(50'],
    ],
  },
  {
    file: 'convolution.py',
    sizes: [
      ['(2, 5, 20, 23', '(2, 3, 7, 9'],
      ['(18, 5, 3', '(6, 3, 3'],
    ],
  },
  { file: 'activations.py', sizes: [] },
  { file: 'persistent_matmul.py', sizes: [] },
  { file: 'matmul_grouped_order.py', sizes: [] },
  { file: 'prefix_sum.py', sizes: [] },
  { file: 'cross_entropy.py', sizes: [] },
  { file: 'grouped_gemm.py', sizes: [] },
];

export function smallText({ file, sizes }: SmallProgram, program: string): string {
  let text = withoutBenchmarks(program);
  for (const [from, to] of sizes) {
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    text = text.replaceAll(from, () => to);
  }
  return text;
}
