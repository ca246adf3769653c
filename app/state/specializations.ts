/**
 * The specializations of a program that can be put in view: what its last run compiled or named,
 * then what the text alone suggests.
 *
 * Guarantee: two entries of one kernel have different labels wherever their specializations differ,
 * and what differs comes first in them.
 */
import type {
  ArgumentSpec,
  CompileRequest,
  Specialization,
  StaticValue,
} from '../../compiler/program';
import { BASELINE_TARGET, type Target } from '../../compiler/target';
import type { KernelOutline } from '../workers/protocol';
import { groupTiming, type RunRecord } from './record';
import type { SpecializationChoice } from './view';

/** An entry of the select that chooses the specialization in view. */
export interface SpecializationOption extends SpecializationChoice {
  /** `matmul_kernel · M=64, N=32, warps=4`: what differs from the kernel's other entries. */
  readonly label: string;
  /**
   * Further facts: where it was not launched by the program itself, or is guessed; '' for
   * most.
   */
  readonly note: string;
  /** Its median time in microseconds; null where it was not timed. */
  readonly time: number | null;
  readonly request: CompileRequest;
}

type Parameter = KernelOutline['parameters'][number];
/** One thing that a specialization fixes. */
interface Fact {
  readonly name: string;
  readonly value: string;
  /** Declared constexprs first, then launch options, then what follows from the arguments. */
  readonly rank: 0 | 1 | 2;
}
type Listed = Omit<SpecializationOption, 'label'> & { readonly facts: readonly Fact[] };

const NONE: readonly Parameter[] = [];
const TRIED = 'tried only while autotuning or in a benchmark';

/** Everything that can be put in view; what the program itself launched comes first. */
export function specializationOptions(
  kernels: readonly KernelOutline[],
  record: RunRecord | null,
  text: string,
  target: Target | null,
): SpecializationOption[] {
  const listed = [...ofRun(kernels, record, text)];
  for (const outline of kernels) {
    if (!outline.guess || listed.some((option) => option.kernel === outline.name)) continue;
    listed.push({
      kernel: outline.name,
      key: null,
      facts: factsOf(outline.guess, {}, outline.parameters),
      note: 'guessed (not run yet)',
      time: null,
      request: {
        program: outline.program,
        specialization: outline.guess,
        target: target ?? BASELINE_TARGET,
        options: { verify: false, keepIr: true, checkBounds: true, linearGrid: false },
      },
    });
  }
  const labels = labelsOf(listed);
  return listed.map((option, index) => ({ ...option, label: labels[index]! }));
}

function ofRun(
  kernels: readonly KernelOutline[],
  record: RunRecord | null,
  text: string,
): Listed[] {
  if (!record) return [];
  const fresh = record.text === text;
  const launched = new Set(record.groups.map(({ first }) => first.key));
  const chosen = new Set(
    record.groups.flatMap(({ first }) => (first.benchmark ? [] : [first.key])),
  );
  const rank = (key: string): number => (chosen.has(key) ? 0 : launched.has(key) ? 1 : 2);
  const times = timesOf(record);
  return record.specializations
    .toSorted((a, b) => rank(a.key) - rank(b.key))
    .flatMap(({ key, request }) => {
      const kernel = nameOf(request);
      const outline = kernels.find((candidate) => candidate.name === kernel);
      const current = fresh ? request : outline && retarget(request, outline);
      if (!current) return [];
      return {
        kernel,
        key,
        facts: factsOf(
          request.specialization,
          request.options.choices ?? {},
          outline?.parameters ?? NONE,
        ),
        note: chosen.size > 0 && !chosen.has(key) ? TRIED : '',
        time: times.get(key) ?? null,
        request: current,
      };
    });
}

export function chooseOption(
  options: readonly SpecializationOption[],
  choice: SpecializationChoice | null,
): SpecializationOption | null {
  return (
    options.find((option) => option.kernel === choice?.kernel && option.key === choice.key) ??
    options.find((option) => option.kernel === choice?.kernel) ??
    options[0] ??
    null
  );
}

/** Median microseconds by key: of a tuning, else of launches. */
function timesOf({ tunings, groups }: RunRecord): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const group of groups) {
    const timing = groupTiming(group);
    if (timing && !times.has(group.first.key)) times.set(group.first.key, timing.median);
  }
  for (const { specialization, timing } of tunings.flatMap(({ configurations }) => configurations))
    if (specialization !== undefined && timing) times.set(specialization, timing.median);
  return times;
}

function nameOf(request: CompileRequest): string {
  const { functions, entry } = request.program;
  return functions[entry]?.name ?? entry;
}

/** The same specialization for the text as it is now; null where its parameters are others. */
function retarget(request: CompileRequest, kernel: KernelOutline): CompileRequest | null {
  const fits = kernel.parameters.length === request.specialization.arguments.length;
  return fits ? { ...request, program: kernel.program } : null;
}

function valueText(value: StaticValue): string | null {
  switch (value.kind) {
    case 'int':
    case 'float':
    case 'bool':
      return String(value.value);
    case 'string':
      return JSON.stringify(value.value);
    case 'dtype':
      return value.name;
    case 'none':
      return 'None';
    default:
      return null;
  }
}

function argumentText(argument: ArgumentSpec): string | null {
  switch (argument.kind) {
    case 'constexpr':
      return valueText(argument.value);
    case 'pointer':
      return `*${argument.dtype}${argument.divisibleBy16 ? '' : ' (unaligned)'}`;
    case 'scalar':
      return `${argument.dtype}${argument.divisibleBy16 ? ' (multiple of 16)' : ''}`;
    case 'tuple':
      return argument.items.map(argumentText).join(', ');
    default:
      return argument satisfies never;
  }
}

function factsOf(
  specialization: Specialization,
  choices: NonNullable<CompileRequest['options']['choices']>,
  parameters: readonly Parameter[],
): Fact[] {
  const facts = specialization.arguments.flatMap((argument, index): Fact | [] => {
    const parameter = parameters[index];
    const value = argumentText(argument);
    if (value === null) return [];
    // An argument that is 1 is a constant of the kernel, too, though the program does not declare
    // it.
    const declared = argument.kind === 'constexpr' && parameter?.constexpr !== false;
    return { name: parameter?.name ?? `#${index}`, value, rank: declared ? 0 : 2 };
  });
  facts.push({ name: 'num_warps', value: String(specialization.numWarps), rank: 1 });
  for (const [name, value] of Object.entries(choices))
    facts.push({ name, value: String(value), rank: 1 });
  return facts.sort((a, b) => a.rank - b.rank);
}

/**
 * In the order of the options: the kernel, and what distinguishes it from the kernel's other ones.
 */
function labelsOf(options: readonly Listed[]): string[] {
  const labels = options.map(({ kernel, facts }) => {
    const own = options.filter((option) => option.kernel === kernel);
    const differs = ({ name, value }: Fact): boolean =>
      own.some((option) => option.facts.find((fact) => fact.name === name)?.value !== value);
    const shown = own.length > 1 ? facts.filter(differs) : facts.filter(({ rank }) => rank === 0);
    const names = shortNames(shown.map(({ name }) => name));
    const detail = shown.map(({ value }, index) => `${names[index]}=${value}`).join(', ');
    return detail === '' ? kernel : `${kernel} · ${detail}`;
  });
  // Aliasing and the kind of grid have no short name: a number distinguishes those.
  return labels.map((label, index) => {
    const before = labels.slice(0, index).filter((other) => other === label).length;
    return before === 0 ? label : `${label} (${before + 1})`;
  });
}

/**
 * Names as the head of a narrow column: `BLOCK_SIZE_M`, `BLOCK_SIZE_N` → `M`, `N`; `num_warps` →
 * `warps`. A name stays whole where its prefix is its own, or its end is not.
 */
export function shortNames(names: readonly string[]): string[] {
  const split = names.map((name) => /^(.*_)([^_]+)$/.exec(name));
  const count = (prefix: string): number => split.filter((parts) => parts?.[1] === prefix).length;
  const short = names.map((name, index) => {
    const [, prefix = '', end = name] = split[index] ?? [];
    return prefix === 'num_' || count(prefix) > 1 ? end : name;
  });
  return short.map((name, index) =>
    short.every((other, at) => at === index || other !== name) ? name : names[index]!,
  );
}
