/**
 * The gallery's language models write what real PyTorch writes, token for token, on the software
 * adapter: with their kernels and by torch. `scripts/models/train.py` recorded it.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Runner } from '../runtime/runner';
import type { RunRecord } from '../state/record';
import golden from '../../scripts/models/testdata/golden.json';
import { account, EXAMPLES, playFiles, startLessons } from './testing';

let runner: Runner;
beforeAll(async () => {
  runner = await startLessons();
});
afterAll(() => runner?.dispose());

const printed = ({ output }: RunRecord): string =>
  output.map((item) => (item.kind === 'print' ? item.text : '')).join('');

/** Prints the tokens that the program writes, and the logits of the last one. */
const RESULT = `
import json

with torch.no_grad():
    model, tokenizer = load()
    cache = model.new_cache()
    tokens, _ = write(ops, model, tokenizer, PROMPT, NEW_TOKENS)
    logits = model(ops, torch.tensor(tokens, device=DEVICE))[-1]
    print("result:" + json.dumps({"tokens": tokens, "logits": logits.tolist()}))
`;

it.each(['Kernels', 'Eager'])('small_llama.py writes PyTorch’s tokens with %s', async (ops) => {
  const file = 'small_llama.py';
  const text = readFileSync(join(EXAMPLES, file), 'utf8');
  const program = text.replace(
    /\n {4}main\(\)\n$/,
    `\n    ops = ${ops}\n${RESULT.replaceAll('\n', '\n    ')}`,
  );
  expect(program).not.toBe(text);
  const record = await playFiles(runner, { [file]: program }, file, 'webgpu');
  expect(record.outcome, account(record)).toBe('ok');
  const [written, result = ''] = printed(record).split('result:');
  const { small_llama: expected } = golden;
  expect(written).toBe(`${expected.text}\n`);
  const { tokens, logits } = JSON.parse(result) as { tokens: number[]; logits: number[] };
  expect(tokens).toEqual(expected.tokens);
  const errors = logits.map((value, i) => Math.abs(value - expected.logits[i]!));
  // Sums of up to 128 terms in another order; logits are up to 20.
  expect(Math.max(...errors)).toBeLessThan(5e-5);
  // The launches are the model's: without kernels there are none.
  expect(record.groups.length > 0).toBe(ops === 'Kernels');
});
