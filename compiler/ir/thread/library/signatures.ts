/** The types of the runtime library's functions, read off the first line of each. */
import { F16, F32, I32, number, U32, BOOL } from '../types';
import type { NumberType, VectorSize } from '../types';
import { HELPERS } from './index';
import type { HelperName } from './index';

export interface Signature {
  readonly result: NumberType;
  /** Undefined for one that takes a table, which only the library itself calls. */
  readonly parameters: readonly NumberType[] | undefined;
}

const SCALARS: Readonly<Record<string, NumberType>> = {
  bool: BOOL,
  i32: I32,
  u32: U32,
  f32: F32,
  f16: F16,
};

function numberType(text: string): NumberType {
  const vector = /^vec([234])<(\w+)>$/.exec(text);
  const scalar = SCALARS[vector ? vector[2]! : text];
  if (!scalar) throw new Error(`no type ${text}`);
  return vector ? number(scalar.scalar, Number(vector[1]) as VectorSize) : scalar;
}

const signatures = new Map<string, Signature>();
/** The signature of a function of the library; undefined where there is none of this name. */
export function librarySignature(name: string): Signature | undefined {
  if (!Object.hasOwn(HELPERS, name)) return undefined;
  let found = signatures.get(name);
  if (!found) {
    const [, list = '', result = ''] =
      /^fn \w+\(([^)]*)\)\s*->\s*([\w<>]+)/.exec(HELPERS[name as HelperName].text) ?? [];
    const types = [...list.matchAll(/:\s*([\w<>]+)/g)].map((match) => match[1]!);
    const parameters = list.includes('ptr<') ? undefined : types.map(numberType);
    found = { result: numberType(result), parameters };
    signatures.set(name, found);
  }
  return found;
}
