/**
 * A launch's arguments, flattened through tuples: each leaf has its path (index of the parameter,
 * then indices into tuples), what the specialization says of it, and its value. `withStorages`
 * puts binding groups into a specialization.
 */
import type { ArgumentSpec, Specialization, TritonDtype } from '../../compiler/program';
import type { LaunchValue } from '../workers/bridge';
import { AddressSpace } from './addresses';
import { RuntimeFault } from './errors';
import { Storage } from './storage';

export interface PointerLeaf {
  readonly kind: 'pointer';
  readonly path: readonly number[];
  readonly dtype: TritonDtype;
  readonly elementBytes: number;
  readonly storage: Storage;
  readonly byteOffset: number;
  readonly label: string;
  /** Length of the tensor, in elements, where the launch states it. */
  readonly shape?: readonly number[] | undefined;
  readonly strides?: readonly number[] | undefined;
}
export interface ScalarLeaf {
  readonly kind: 'scalar';
  readonly path: readonly number[];
  readonly dtype: TritonDtype;
  readonly text: string;
  /** Its low and its high half as the kernel reads them, once they were asked for. */
  words?: readonly [number, number];
}
export type Leaf = PointerLeaf | ScalarLeaf;

/** Bytes of an element in memory; `int1` is torch.bool, a byte. Pointers are 8. */
export function bytesOfDtype(dtype: TritonDtype): number {
  if (dtype === 'int1' || dtype === 'bool') return 1;
  if (dtype.startsWith('fp8') || dtype.startsWith('float8')) return 1;
  if (dtype === 'bf16' || dtype === 'fp16' || dtype === 'bfloat16') return 2;
  if (dtype === 'fp32') return 4;
  if (dtype === 'fp64' || dtype.startsWith('pointer') || dtype.startsWith('*')) return 8;
  const bits = /(\d+)$/.exec(dtype)?.[1];
  if (bits === '8' || bits === '16' || bits === '32' || bits === '64') return Number(bits) / 8;
  throw new RuntimeFault('RuntimeError', `unknown dtype ${dtype}`);
}

/** A key for maps: `0`, `2.1`. */
export function pathKey(path: readonly number[]): string {
  return path.join('.');
}

/** The leaves that carry a value, in order. @throws where values and specialization disagree. */
export function flattenArguments(
  specialization: Specialization,
  values: readonly LaunchValue[],
  labels: readonly string[],
  find: (storage: number) => Storage,
  /** Compile only: tensors may be missing. */
  warmup = false,
): Leaf[] {
  const leaves: Leaf[] = [];
  let next = 0;
  const walk = (spec: ArgumentSpec, path: readonly number[], label: string): void => {
    switch (spec.kind) {
      case 'tuple':
        spec.items.forEach((item, index) => walk(item, [...path, index], label));
        return;
      case 'constexpr':
        next++;
        return;
      case 'scalar': {
        const value = values[next++];
        if (!value && warmup) return;
        if (!value || !('scalar' in value)) throw mismatch(path, 'a scalar');
        leaves.push({ kind: 'scalar', path, dtype: spec.dtype, text: value.scalar });
        return;
      }
      case 'pointer': {
        const value = values[next++];
        if (!value && warmup) {
          leaves.push(absent(path, spec.dtype, label));
          return;
        }
        if (!value || !('storage' in value)) throw mismatch(path, 'a tensor');
        const elementBytes = bytesOfDtype(spec.dtype);
        if (value.byteOffset % elementBytes !== 0) {
          throw new RuntimeFault(
            'ValueError',
            `argument ${label || pathKey(path)} starts ${value.byteOffset} bytes into its storage, ` +
              `which is not a multiple of its element's ${elementBytes} bytes`,
          );
        }
        leaves.push({
          kind: 'pointer',
          path,
          dtype: spec.dtype,
          elementBytes,
          storage: find(value.storage),
          byteOffset: value.byteOffset,
          label,
          shape: value.shape,
          strides: value.strides,
        });
        return;
      }
      default:
        return unreachable(spec);
    }
  };
  specialization.arguments.forEach((spec, index) => walk(spec, [index], labels[index] ?? ''));
  if (next !== values.length) {
    throw new RuntimeFault(
      'RuntimeError',
      `the launch brings ${values.length} values for ${next} arguments`,
    );
  }
  return leaves;
}

/** Whether no vector of 16 bytes crosses the end of a storage, which code may rely on. */
export const hasWholeVectors = ({ bytes }: Storage): boolean => bytes % 16 === 0;

/** The specialization with what the launch's storages are: their groups and ends. */
export function withStorages(
  specialization: Specialization,
  pointers: readonly PointerLeaf[],
  groupOf: (storage: Storage) => number,
): Specialization {
  const storages = new Map(pointers.map(({ path, storage }) => [pathKey(path), storage]));
  const walk = (spec: ArgumentSpec, path: readonly number[]): ArgumentSpec => {
    switch (spec.kind) {
      case 'pointer': {
        const storage = storages.get(pathKey(path));
        const { wholeVectors: _, ...rest } = spec;
        if (!storage) return { ...rest, group: 0 };
        const vectors = hasWholeVectors(storage) ? { wholeVectors: true } : {};
        return { ...rest, group: groupOf(storage), ...vectors };
      }
      case 'tuple':
        return { ...spec, items: spec.items.map((item, index) => walk(item, [...path, index])) };
      case 'scalar':
      case 'constexpr':
        return spec;
      default:
        return unreachable(spec);
    }
  };
  return {
    ...specialization,
    arguments: specialization.arguments.map((spec, index) => walk(spec, [index])),
  };
}

/** A pointer of a warm-up, whose tensor does not exist: a storage of its own, in no table. */
function absent(path: readonly number[], dtype: TritonDtype, label: string): PointerLeaf {
  const nowhere = new AddressSpace(0);
  const storage = new Storage(-1, 0, { device: nowhere, host: nowhere });
  const elementBytes = bytesOfDtype(dtype);
  return { kind: 'pointer', path, dtype, elementBytes, storage, byteOffset: 0, label };
}

function mismatch(path: readonly number[], what: string): RuntimeFault {
  return new RuntimeFault('RuntimeError', `argument ${pathKey(path)} of the launch is not ${what}`);
}

function unreachable(spec: never): never {
  throw new Error(`unknown argument kind ${JSON.stringify(spec)}`);
}
