/**
 * For tests: what the gallery's programs launch their kernels with, where the text alone gives no
 * specialization or too large a one. In the order of the parameters: types in the notation of
 * Triton's signatures (pointers are multiples of 16 bytes), or a constexpr.
 */
import type { ArgumentSpec } from '../program';
import { argumentSpec } from '../2-lower/testing/lowerText';

/** By file and kernel. */
const SIGNATURES: Readonly<Record<string, string>> = {
  'attention_backward.py: forward_kernel': '*fp32 *fp32 *fp32 *fp32 *fp32 i32 fp32 32 32',
  'attention_backward.py: dkv_kernel':
    '*fp32 *fp32 *fp32 *fp32 *fp32 *fp32 *fp32 *fp32 i32 fp32 32 32',
  'attention_backward.py: dq_kernel': '*fp32 *fp32 *fp32 *fp32 *fp32 *fp32 *fp32 i32 fp32 32 32',
  'attention_variants.py: attention_kernel':
    '*fp32 *fp32 *fp32 *fp32 *fp32 i32 fp32 i32 i32 i32 32 32',
  'block_sparse_attention.py: attention_kernel':
    '*fp32 *fp32 *fp32 *fp32 *i32 *i32 *i8 i32 i32 fp32 32 32',
  'convolution.py: conv_kernel': '*fp32 *fp32 *fp32 i32 i32 i32 i32 3 32 16 32',
  'cross_entropy.py: loss_kernel': '*fp32 *i64 *fp32 *fp32 i32 1024',
  'cross_entropy.py: gradient_kernel': '*fp32 *i64 *fp32 fp32 i32 1024',
  'embedding.py: gather_kernel': '*i64 *fp32 *fp32 i32 128',
  'embedding.py: scatter_kernel': '*i64 *fp32 *fp32 i32 128',
  'fft.py: fft_kernel': '*fp32 *fp32 *fp32 *fp32 256 8',
  // Blocks of 32: the program takes 64 queries, ten times as long.
  'fused_attention.py: attention_kernel': '*fp32 *fp32 *fp32 *fp32 fp32 i32 i32 i32 32 32 32 True',
  'grouped_gemm.py: grouped_kernel': '*fp32 *fp32 *fp32 *i32 *i32 *i32 i32 i32 16 32 32',
  'int4_matmul.py: matmul_kernel': '*fp32 *u8 *fp32 *fp32 *fp32 i32 i32 i32 16 32',
  'linear_attention.py: linear_kernel': '*fp32 *fp32 *fp32 *fp32 i32 32 32',
  'lora_linear.py: lora_kernel': '*fp32 *fp32 *fp32 *fp32 *fp32 fp32 i32 i32 i32 16 32 32 32',
  'matmul.py: matmul_kernel':
    '*fp32 *fp32 *fp32 *fp32 i32 i32 i32 i32 1 i32 1 i32 1 True 32 32 32 4',
  'paged_attention.py: split_kernel':
    '*fp32 *fp32 *fp32 *i32 *i32 *fp32 *fp32 *fp32 i32 i32 fp32 64 16',
  'paged_attention.py: merge_kernel': '*fp32 *fp32 *fp32 *fp32 4 64',
  'prefix_sum.py: total_kernel': '*i32 i32 64',
  'rotary.py: rotary_kernel': '*fp32 *fp32 i32 fp32 32 16',
  'small_gpt2.py: layer_norm_kernel': '*fp32 *fp32 *fp32 *fp32 i32 fp32 64',
  'small_gpt2.py: linear_kernel':
    '*fp32 *fp32 *fp32 *fp32 *fp32 i32 i32:16 i32:16 True False 16 32 16',
  'small_gpt2.py: attention_kernel': '*fp32 *fp32 *fp32 *fp32 i32 fp32 i32 16 32',
  'small_llama.py: rms_norm_kernel': '*fp32 *fp32 *fp32 i32 fp32 64',
  'small_llama.py: matvec_kernel': '*fp32 *fp32 *fp32 *fp32 i32:16 i32:16 True 32 64',
  'small_llama.py: matmul_kernel': '*fp32 *fp32 *fp32 *fp32 i32 i32:16 i32:16 True 16 32 16',
  'small_llama.py: swiglu_kernel': '*fp32 *fp32 *fp32 i32 256',
  'small_llama.py: rotary_kernel': '*fp32 *fp32 *fp32 *fp32 i32 8',
  'small_llama.py: attention_kernel': '*fp32 *fp32 *fp32 *fp32 i32 fp32 i32 i32 16 32',
  'small_llama.py: sample_kernel': '*fp32 *fp32 *i32 i32 fp32 512',
  'top_k_sampling.py: sample_kernel': '*fp32 *i32 i32 i32 4 128',
};

/** The arguments of a kernel; undefined where its text suffices. */
export function gallerySignature(file: string, name: string): readonly ArgumentSpec[] | undefined {
  let group = 0;
  return SIGNATURES[`${file}: ${name}`]?.split(' ').map((text): ArgumentSpec => {
    if (text.startsWith('*')) return argumentSpec(`${text}:16`, group++);
    if (text === 'True' || text === 'False')
      return argumentSpec({ constexpr: { kind: 'bool', value: text === 'True' } }, 0);
    const value = Number(text);
    if (Number.isNaN(value)) return argumentSpec(text, 0);
    return argumentSpec({ constexpr: { kind: 'int', value: text } }, 0);
  });
}
