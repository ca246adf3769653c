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

/** Weights under the names of GPT-2's files, with what some of them have besides; and bad files. */
const FILES = `
import json
from safetensors.torch import save_file

source = beginning(SMALL)
weights = {"transformer." + name: weight.detach().cpu() for name, weight in source.state_dict().items()}
weights |= {"lm_head.weight": weights["transformer.wte.weight"].clone(), "transformer.h.0.attn.bias": torch.ones(1, 1, 4, 4)}
save_file(weights, "gpt2.safetensors")
model = load("gpt2.safetensors")
same = all(torch.equal(a.cpu(), b.cpu()) for a, b in zip(model.parameters(), source.parameters()))
print("same weights:", same, model.config == SMALL)

tokenizer = Tokenizer(TOKENIZER)
kept = json.loads((FOLDER / TOKENIZER).read_text())["model"]
(FOLDER / "vocab.json").write_text(json.dumps(kept["vocab"]))
(FOLDER / "merges.txt").write_text("#version: 0.2\\n" + "\\n".join(kept["merges"]) + "\\n")
print("same tokens:", Tokenizer(("vocab.json", "merges.txt")).encode(TEXT) == tokenizer.encode(TEXT))

def refused(weights):
    save_file(weights, "bad.safetensors")
    try:
        load("bad.safetensors")
    except (ValueError, RuntimeError) as error:
        print(type(error).__name__, error)

refused({"model.norm.weight": torch.ones(4)})
refused({**weights, "transformer.h.1.mlp.c_fc.weight": torch.ones(48, 100)})
Path("bad.safetensors").write_bytes(b"GGUF" * 4)
try:
    load("bad.safetensors")
except Exception as error:
    print(type(error).__name__, error)
`;

/** The program's functions, and `rest` in place of its main. */
function gpt2(rest: string): string {
  const text = readFileSync(join(EXAMPLES, 'small_gpt2.py'), 'utf8');
  const program = text.replace(/\n {4}main\(\)\n$/, `\n${rest.replace(/^(?=.)/gm, '    ')}`);
  expect(program).not.toBe(text);
  return program;
}

it('small_gpt2.py learns as PyTorch does, step by step, and writes its tokens', async () => {
  const rest = `
tokenizer, model = Tokenizer(TOKENIZER), beginning(SMALL)
losses = train(model, torch.tensor(tokenizer.encode(TEXT), device=DEVICE), STEPS)
with torch.no_grad():
    tokens, _ = write(Kernels, model.requires_grad_(False), tokenizer, PROMPT, NEW_TOKENS)
print("result:" + json.dumps({"losses": losses, "tokens": tokens}))
`;
  const file = 'small_gpt2.py';
  const record = await playFiles(runner, { [file]: gpt2(rest) }, file, 'webgpu');
  expect(record.outcome, account(record)).toBe('ok');
  const result = printed(record).split('result:')[1] ?? '';
  const { losses, tokens } = JSON.parse(result) as { losses: number[]; tokens: number[] };
  const { small_gpt2: expected } = golden;
  const errors = losses.map((loss, i) => Math.abs(loss / expected.losses[i]! - 1));
  // Rounding grows from step to step.
  expect(Math.max(...errors.slice(0, 10))).toBeLessThan(1e-4);
  expect(Math.max(...errors)).toBeLessThan(0.02);
  expect(tokens).toEqual(expected.tokens);
  expect(record.groups.length).toBeGreaterThan(0);
}, 300_000);

it('small_gpt2.py takes GPT-2’s files, and names what does not fit', async () => {
  const file = 'small_gpt2.py';
  const record = await playFiles(runner, { [file]: gpt2(FILES) }, file, 'interpreter');
  expect(record.outcome, account(record)).toBe('ok');
  const lines = printed(record).trim().split('\n');
  expect(lines.slice(0, 2)).toEqual(['same weights: True True', 'same tokens: True']);
  const text = lines.slice(2).join('\n');
  expect(text).toContain('ValueError bad.safetensors has no wte.weight: it is no model of GPT-2');
  expect(text).toMatch(/RuntimeError [^]*size mismatch for h\.1\.mlp\.c_fc\.weight/);
  expect(text).toContain('SafetensorError Error while deserializing header: header too large');
}, 120_000);
