/** Places of files that no program is: they are refused before a request. */
import { expect, it, vi } from 'vitest';
import { placeOf } from './address';
import { fetchProgram } from './fetchProgram';

it.each([
  'https://huggingface.co/openai-community/gpt2/resolve/main/model.safetensors',
  'https://example.org/weights/model.safetensors',
])('names what to do with weights: %s', async (address) => {
  const fetched = vi.spyOn(globalThis, 'fetch');
  const hosts = [new URL(address).host];
  const fetching = { hosts, signal: new AbortController().signal, report: () => undefined };
  await expect(fetchProgram(placeOf(address), fetching)).rejects.toThrow(
    /model\.safetensors holds weights.*Download it, and drop it on the page/,
  );
  expect(fetched).not.toHaveBeenCalled();
  fetched.mockRestore();
});
