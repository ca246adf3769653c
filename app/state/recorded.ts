/**
 * Code that real Triton made of a gallery program's kernels, recorded by
 * `scripts/real_triton/record.py`: fetched once a panel shows it, for the program's own text.
 *
 * Guarantee: a recorded kernel is shown for a specialization only where types, constants and
 * `num_warps` are the same; a tuple or a function, which has no notation here, is like no other.
 */
import type { Location } from '../../compiler/ir/location';
import type {
  ArgumentSpec,
  Specialization,
  StaticValue,
  TritonDtype,
} from '../../compiler/program';
import { SITE_FILES } from '../siteFiles';
import { useDocument, type DocumentState } from './document';
import { programInView, storeOfProgram } from './ofProgram';

export const REAL_LEVELS = { ttir: 'TTIR', ttgir: 'TTGIR', ptx: 'PTX' } as const;
export type RealLevel = keyof typeof REAL_LEVELS;
export const isRealLevel = (value: unknown): value is RealLevel =>
  typeof value === 'string' && Object.hasOwn(REAL_LEVELS, value);

export interface RecordedCode {
  readonly text: string;
  /** For each line of `text`, the 1-based line of the program that it comes from; 0: none. */
  readonly lines: readonly number[];
}

export interface RecordedKernel extends Readonly<Record<RealLevel, RecordedCode>> {
  readonly kernel: string;
  /** By parameter: `*fp32:16`, `i32`; or `=` and a constant as Python prints it. */
  readonly signature: Readonly<Record<string, string>>;
  readonly numWarps: number;
  readonly numStages: number;
  /** 32-bit registers of a thread, as ptxas assigns them. */
  readonly registers: number;
  /** Bytes that a thread spills. */
  readonly spilled: number;
  /** Bytes of shared memory. */
  readonly shared: number;
}

/** `public/real-triton/NAME.json`. */
export interface Recording {
  /** Triton's version. */
  readonly triton: string;
  /** `sm_90`. */
  readonly target: string;
  /** SHA-256 of the program's text. */
  readonly digest: string;
  readonly kernels: readonly RecordedKernel[];
}

export interface RecordedState {
  /** Null until it is fetched. */
  readonly recording: Recording | null;
  /** Why the last fetch brought none. */
  readonly failure: string | null;
}

export const useRecorded = storeOfProgram<RecordedState>({ recording: null, failure: null });

/** Whether there is a recording of the program: of each one of the gallery. */
export const isRecorded = ({ origin, entry }: DocumentState): boolean =>
  origin.kind === 'example' && origin.file === entry;

/** Fetches the recording of the gallery program in view, unless it is there. */
export async function loadRecorded(): Promise<void> {
  const { entry } = useDocument.getState();
  const store = useRecorded.of(programInView());
  if (store.getState().recording) return;
  store.setState({ failure: null });
  const file = entry.replace(/\.py$/, '.json');
  try {
    const answer = await fetch(new URL(`${SITE_FILES.realTriton}${file}`, document.baseURI));
    if (!answer.ok) throw new Error(`the host answers ${answer.status}`);
    store.setState({ recording: (await answer.json()) as Recording });
  } catch (error) {
    store.setState({ failure: error instanceof Error ? error.message : String(error) });
  }
}

/** Triton's name of a type in a signature: `fp32` of `float32`, `u8` of `uint8`. */
const shortName = (dtype: TritonDtype): string =>
  dtype
    .replace(/^bfloat/, 'bf')
    .replace(/^float/, 'fp')
    .replace(/^uint/, 'u')
    .replace(/^int/, 'i');

/** An argument in the notation of a recording, without what is known of its divisibility. */
function notation(argument: ArgumentSpec): string | null {
  switch (argument.kind) {
    case 'pointer':
      return `*${shortName(argument.dtype)}`;
    case 'scalar':
      return shortName(argument.dtype);
    case 'constexpr': {
      const text = pythonText(argument.value);
      return text === null ? null : `=${text}`;
    }
    case 'tuple':
      return null;
  }
}

/** As Python prints it; null of what has no one text. */
function pythonText(value: StaticValue): string | null {
  switch (value.kind) {
    case 'none':
      return 'None';
    case 'bool':
      return value.value ? 'True' : 'False';
    case 'int':
    case 'float':
      return value.value;
    case 'string':
      return `'${value.value}'`;
    default:
      return null;
  }
}

/**
 * The recorded kernel of a specialization: of several, that with the same alignments, then the
 * first.
 */
export function recordedFor(
  recording: Recording,
  kernel: string,
  specialization: Specialization,
): RecordedKernel | null {
  const wanted = specialization.arguments.map(notation);
  const fits = (one: RecordedKernel): boolean => {
    const own = Object.values(one.signature).map((text) => text.replace(/:16$/, ''));
    return (
      one.kernel === kernel &&
      one.numWarps === specialization.numWarps &&
      own.length === wanted.length &&
      own.every((text, index) => wanted[index] === text)
    );
  };
  const different = (one: RecordedKernel): number => otherwiseAligned(one, specialization).length;
  return recording.kernels.filter(fits).toSorted((a, b) => different(a) - different(b))[0] ?? null;
}

/** Parameters that are a multiple of 16 in one of the two alone. */
export function otherwiseAligned(
  { signature }: RecordedKernel,
  { arguments: own }: Specialization,
): string[] {
  return Object.entries(signature).flatMap(([name, text], index) => {
    const argument = own[index]!;
    const isAligned = 'divisibleBy16' in argument && argument.divisibleBy16;
    return text.endsWith(':16') === isAligned ? [] : [name];
  });
}

/** A code's lines as panels follow them to the program. */
export function locationsOf(code: RecordedCode, file: string): (Location | null)[] {
  const known = new Map<number, Location>();
  return code.lines.map((line) => {
    if (line === 0) return null;
    const location = known.get(line) ?? { file, line, column: 1, endLine: line, endColumn: 2 };
    known.set(line, location);
    return location;
  });
}
