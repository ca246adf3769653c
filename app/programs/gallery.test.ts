/** The gallery's list is complete, every program says what it is, and the search finds. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Example } from '../state/document';
import { groupsOf, search } from './gallery';

const FOLDER = join(import.meta.dirname, '..', '..', 'public', 'examples');
const examples = JSON.parse(readFileSync(join(FOLDER, 'index.json'), 'utf8')) as Example[];

describe('the gallery', () => {
  it('lists every program of the folder once, vector add first', () => {
    const files = readdirSync(FOLDER).filter((file) => file.endsWith('.py'));
    expect(examples.map(({ file }) => file).sort()).toEqual(files.sort());
    expect(examples[0]?.file).toBe('vector_add.py');
    expect(examples.length).toBeGreaterThanOrEqual(30);
  });

  it.each(examples)('$file has a title, a reference, a comparison and a measurement', (example) => {
    const text = readFileSync(join(FOLDER, example.file), 'utf8');
    expect(text.startsWith('"""\n')).toBe(true);
    expect(text).toMatch(/do_bench/);
    expect(text).toMatch(/torch\.(allclose|equal|testing\.assert_close)/);
    expect(example.summary.length).toBeLessThan(200);
    expect(example.also).not.toBe('');
    for (const note of [example.summary, example.teaches, example.costs])
      expect(note.length).toBeGreaterThan(10);
  });

  it('is grouped in the order of the list', () => {
    const groups = groupsOf(examples);
    expect(groups[0]?.name).toBe('Start here');
    expect(groups.flatMap((group) => group.examples)).toHaveLength(examples.length);
  });

  it('is searched by every word, titles first', () => {
    const attention = search(examples, 'attention');
    expect(attention[0]?.title.toLowerCase()).toContain('attention');
    expect(search(examples, 'fp8 matmul').map(({ file }) => file)).toContain('fp8_matmul.py');
    expect(search(examples, 'no such kernel')).toEqual([]);
    expect(search(examples, '  ')).toHaveLength(examples.length);
  });

  // Topics that the gallery promises to cover, and the names that people know them by.
  it.each([
    ['gelu', 'activations'],
    ['SwiGLU', 'activations'],
    ['geglu', 'activations'],
    ['silu', 'activations'],
    ['dropout seed', 'dropout'],
    ['softmax', 'fused_softmax'],
    ['layernorm', 'layer_norm'],
    ['layer norm backward', 'layer_norm_backward'],
    ['rmsnorm', 'rms_norm'],
    ['rms norm backward', 'rms_norm'],
    ['cross entropy backward', 'cross_entropy'],
    ['plain matmul', 'matmul'],
    ['grouped ordering', 'matmul_grouped_order'],
    ['swizzle', 'matmul_grouped_order'],
    ['split-k', 'split_k_matmul'],
    ['stream k', 'stream_k_matmul'],
    ['bmm', 'batched_matmul'],
    ['persistent', 'persistent_matmul'],
    ['moe', 'grouped_gemm'],
    ['dequantizing int8', 'int8_matmul'],
    ['dequantizing int4', 'int4_matmul'],
    ['dequantizing fp8', 'fp8_matmul'],
    ['lora', 'lora_linear'],
    ['rope', 'rotary'],
    ['batched index', 'embedding'],
    ['topk', 'top_k_sampling'],
    ['sampling', 'top_k_sampling'],
    ['sparse mask', 'block_sparse_attention'],
    ['block-sparse', 'block_sparse_attention'],
    ['flash attention forward', 'fused_attention'],
    ['flash attention backward', 'attention_backward'],
    ['alibi', 'attention_variants'],
    ['gqa', 'attention_variants'],
    ['sliding window', 'attention_variants'],
    ['kv cache', 'paged_attention'],
    ['split-k decode variable lengths', 'paged_attention'],
    ['linear attention', 'linear_attention'],
    ['mamba', 'selective_scan'],
    ['histogram', 'histogram'],
    ['argsort', 'sort'],
    ['cumsum', 'prefix_sum'],
    ['conv2d', 'convolution'],
    ['mandelbrot', 'mandelbrot'],
    ['fluid', 'fluid'],
    ['fft', 'fft'],
    ['language model', 'small_llama'],
    ['safetensors', 'small_llama'],
  ])('finds %s', (query, name) => {
    expect(search(examples, query).map(({ file }) => file)).toContain(`${name}.py`);
  });
});
