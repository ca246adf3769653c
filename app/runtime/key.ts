/**
 * Stable strings: `stableJson` writes the same text for equal plain data, whatever the order of its
 * keys; `specializationKey` names a compilation in events.
 */
import type { CompileRequest } from '../../compiler/program';

/** JSON with the keys of objects sorted; `undefined` members are left out. */
export function stableJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(stableJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const object = value as Record<string, unknown>;
    const members = Object.keys(object)
      .sort()
      .filter((key) => object[key] !== undefined)
      .map((key) => `${JSON.stringify(key)}:${stableJson(object[key])}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value) ?? 'null';
}

/** 53 bits of a string, well mixed (cyrb53, public domain). */
function hash53(text: string, seed: number): number {
  let h1 = 0xdeadbeef ^ seed;
  let h2 = 0x41c6ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    h1 = Math.imul(h1 ^ code, 2654435761);
    h2 = Math.imul(h2 ^ code, 1597334677);
  }
  h1 = Math.imul(h1 ^ (h1 >>> 16), 2246822507) ^ Math.imul(h2 ^ (h2 >>> 13), 3266489909);
  h2 = Math.imul(h2 ^ (h2 >>> 16), 2246822507) ^ Math.imul(h1 ^ (h1 >>> 13), 3266489909);
  return 4294967296 * (2097151 & h2) + (h1 >>> 0);
}

/** 106 bits as base 36: enough that two texts of one session never meet. */
export function digest(text: string): string {
  return hash53(text, 0).toString(36) + hash53(text, 1).toString(36);
}

/** `add_kernel-1x2y…`: the same for the same program, specialization, target and options. */
export function specializationKey(request: CompileRequest): string {
  const entry = request.program.functions[request.program.entry];
  return `${entry?.name ?? 'kernel'}-${digest(stableJson(request))}`;
}
