/**
 * The passes' IR on its way from the compiler's worker to the page. A kernel may have 100,000 lines
 * of it after each of two dozen passes, of which somebody looks at one or two: so it travels as
 * bytes that nobody copies, what a pass left as it was travels once, and text is made of it when it
 * is first requested.
 */
import type { Location } from '../../compiler/ir/location';
import type { CompileResult, PassRecord, Regroup } from '../../compiler/program';

interface PackedPass extends Omit<PassRecord, 'ir' | 'locations'> {
  /** UTF-8; null where the IR is that of the pass before. */
  readonly ir: Uint8Array<ArrayBuffer> | null;
  /**
   * For each line 1 + the index of its location, or 0; null where they are those of the pass
   * before.
   */
  readonly lines: Uint32Array<ArrayBuffer> | null;
}
export interface PackedLog {
  readonly passes: readonly PackedPass[];
  readonly locations: readonly Location[];
}

type Logged = Exclude<CompileResult, Regroup>;
type Packed<T> = T extends Logged ? Omit<T, 'log'> & { readonly log: PackedLog } : never;
export type PackedResult = Regroup | Packed<Logged>;

export function packResult(result: CompileResult): {
  readonly result: PackedResult;
  readonly transfer: ArrayBuffer[];
} {
  if (result.kind === 'regroup') return { result, transfer: [] };
  const { log, transfer } = packLog(result.log);
  return { result: { ...result, log }, transfer };
}
export function unpackResult(result: PackedResult): CompileResult {
  return result.kind === 'regroup' ? result : { ...result, log: unpackLog(result.log) };
}

export function packLog(log: readonly PassRecord[]): {
  readonly log: PackedLog;
  readonly transfer: ArrayBuffer[];
} {
  const encoder = new TextEncoder();
  const numbers = new Map<Location, number>();
  const locations: Location[] = [];
  const numberOf = (location: Location | null): number => {
    if (!location) return 0;
    const known = numbers.get(location);
    if (known !== undefined) return known;
    numbers.set(location, locations.push(location));
    return locations.length;
  };
  const passes = log.map(({ ir, locations: at, ...pass }, index): PackedPass => {
    const before = log[index - 1];
    return {
      ...pass,
      ir: ir === before?.ir ? null : encoder.encode(ir),
      lines: at === before?.locations ? null : Uint32Array.from(at, numberOf),
    };
  });
  const transfer = passes.flatMap(({ ir, lines }) => [
    ...(ir ? [ir.buffer] : []),
    ...(lines ? [lines.buffer] : []),
  ]);
  return { log: { passes, locations }, transfer };
}

export function unpackLog({ passes, locations }: PackedLog): PassRecord[] {
  const log: PassRecord[] = [];
  for (const [index, { ir, lines, ...pass }] of passes.entries()) {
    const before = (): PassRecord => log[index - 1]!;
    log.push(
      lazily(pass, {
        ir: () => (ir ? new TextDecoder().decode(ir) : before().ir),
        locations: () =>
          lines
            ? Array.from(lines, (number) => (number === 0 ? null : locations[number - 1]!))
            : before().locations,
      }),
    );
  }
  return log;
}

/** `rest` with properties that are made when they are first read. */
function lazily(
  rest: Omit<PassRecord, 'ir' | 'locations'>,
  make: { readonly ir: () => string; readonly locations: () => PassRecord['locations'] },
): PassRecord {
  let ir: string | undefined;
  let locations: PassRecord['locations'] | undefined;
  return {
    ...rest,
    get ir() {
      return (ir ??= make.ir());
    },
    get locations() {
      return (locations ??= make.locations());
    },
  };
}
