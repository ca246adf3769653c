/** Files of tensors that a program opens by name, beside itself. Pure. */

/** Bytes of one file: it lies in the page's memory, in its copy for Python, and as tensors. */
export const LARGEST_WEIGHTS = 600e6;

const NAMES = /["']([\w.-]+\.safetensors)["']/g;

/** Names in the text's strings, each once. */
export function weightsNamed(text: string): string[] {
  return [...new Set([...text.matchAll(NAMES)].map(([, name]) => name!))];
}
