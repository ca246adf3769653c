/**
 * One kernel, one specialization: what our front end makes of it against what Triton's made. Facts
 * are `operation types` by source line (`facts.py` says which); what is computed from constants
 * alone is left out, because it does not matter where it is folded.
 */
import type { Parser } from '../../compiler/1-parse/parser';
import { lower } from '../../compiler/2-lower/lower';
import type { Block, Operation, Value } from '../../compiler/ir/ir';
import { walk } from '../../compiler/ir/ir';
import type { Location } from '../../compiler/ir/location';
import { printType } from '../../compiler/ir/printer';
import type { ArgumentSpec, KernelFunction, StaticValue } from '../../compiler/program';

/** File → line → facts. */
export type Facts = Record<string, Record<string, readonly string[]>>;

export interface Case {
  readonly file: string;
  readonly kernel: string;
  /** Line of the kernel's first decorator. */
  readonly line: number;
  /** `launched` by its program, or `guessed`. */
  readonly how: string;
  readonly skipped?: string;
  readonly entry: string;
  readonly arguments: readonly ArgumentSpec[];
  readonly functions: Readonly<Record<string, KernelFunction>>;
  readonly calls?: readonly [
    string,
    readonly StaticValue[],
    Readonly<Record<string, StaticValue>>,
    StaticValue,
  ][];
  readonly files: Readonly<Record<string, string>>;
  readonly facts?: Facts;
  readonly refused?: string;
}

/** Output of `data.py`: facts by number, arguments in short. */
export interface Written {
  readonly facts: readonly string[];
  readonly cases: readonly (Omit<Case, 'facts' | 'arguments'> & {
    readonly arguments?: readonly ShortArgument[];
    readonly facts?: Record<string, Record<string, readonly number[]>>;
  })[];
}
type ShortArgument =
  string | { readonly constexpr: number | boolean | string | null } | ArgumentSpec;

export function readCases({ facts, cases }: Written): Case[] {
  return cases.map(({ facts: found, arguments: args = [], ...rest }): Case => {
    let group = 0;
    const specs = args.map((arg): ArgumentSpec => {
      if (typeof arg === 'object')
        return 'kind' in arg ? arg : { kind: 'constexpr', value: literal(arg.constexpr) };
      const [name = '', hint] = arg.split(':');
      const divisibleBy16 = hint === '16';
      if (!name.includes('*')) return { kind: 'scalar', dtype: name, divisibleBy16 };
      const dtype = name.replace(/^(const )?\*/, '');
      const pointer = { kind: 'pointer', dtype, divisibleBy16, group: group++ } as const;
      return name.startsWith('const') ? { ...pointer, readonly: true } : pointer;
    });
    if (!found) return { ...rest, arguments: specs };
    const named = Object.entries(found).map(([file, lines]) => [
      file,
      Object.fromEntries(
        Object.entries(lines).map(([line, numbers]) => [line, numbers.map((n) => facts[n]!)]),
      ),
    ]);
    return { ...rest, arguments: specs, facts: Object.fromEntries(named) as Facts };
  });
}
function literal(value: number | boolean | string | null): StaticValue {
  if (value === null) return { kind: 'none' };
  if (typeof value === 'number') return { kind: 'int', value: String(value) };
  return typeof value === 'boolean' ? { kind: 'bool', value } : { kind: 'string', value };
}

export interface Verdict {
  readonly kind:
    'equal' | 'differing' | 'we refuse' | 'Triton refuses' | 'both refuse' | 'skipped' | 'missing';
  readonly detail: string;
}

/** The same operations as in `facts.py`. */
const OPS =
  /^(arith\.(addi|subi|muli|divsi|divui|remsi|remui|andi|ori|xori|shli|shrsi|shrui|addf|subf|mulf|divf|remf|maxnumf|minnumf|maximumf|minimumf|maxsi|maxui|minsi|minui|cmpi|cmpf|select|extf|truncf|extsi|extui|trunci|sitofp|uitofp|fptosi|fptoui)|math\.(exp|exp2|log|log2|sin|cos|sqrt|rsqrt|erf|floor|ceil|absf|absi|fma)|tt\.(addptr|load|store|dot|reduce|scan|expand_dims|broadcast|reshape|trans|join|split|cat|gather|histogram|make_range|get_program_id|get_num_programs|fp_to_fp|precise_divf|precise_sqrt|mulhiui|atomic_rmw|atomic_cas)|scf\.(for|while))$/;
/**
 * On a line with this fact a block pointer or descriptor makes addresses and masks. Triton does
 * that in its own way, so there only what is loaded and stored counts.
 */
const BLOCK = 'block';
const ADDRESSING =
  /^(block|(tt\.(addptr|broadcast|expand_dims|make_range|trans)|arith\.(muli|addi|extsi|trunci|andi|cmpi\.\w+)) .*)$/;
/** On a line where Triton calls libdevice, how we compute that does not count. */
const EXTERN =
  /^(extern|math\.|tt\.precise|arith\.(fpto|[su]itofp|ext|trunc|cmpf|select|andi|shrsi))/;
const PURE = /^(arith|math)\.|^tt\.(splat|broadcast|expand_dims|reshape|fp_to_fp|trans|bitcast)$/;

export function compareCase(
  parser: Parser,
  texts: Readonly<Record<string, string>>,
  one: Case,
): Verdict {
  const calls = new Map(
    one.calls?.map(([id, args, named, answer]) => [key(id, args, named), answer]),
  );
  const result = lower(
    {
      program: { files: texts, functions: one.functions, entry: one.entry },
      specialization: { arguments: one.arguments, numWarps: 4 },
    },
    {
      callConstexpr(id, args, keywords) {
        const answer = calls.get(key(id, args, keywords));
        if (!answer) throw new Error('Triton did not call it with these arguments');
        return answer;
      },
    },
    parser,
  );
  const [error] = result.diagnostics.filter((d) => d.severity === 'error');
  const ours = error
    ? `${error.code} ${error.location.file}:${error.location.line} ${error.message}`
    : '';
  if (one.refused !== undefined)
    return result.func
      ? { kind: 'Triton refuses', detail: `    Triton: ${one.refused}` }
      : { kind: 'both refuse', detail: ours };
  if (!result.func) return { kind: 'we refuse', detail: `    ${ours}` };
  const differences = differing(factsOf(result.func.body), one.facts ?? {});
  return differences.length === 0
    ? { kind: 'equal', detail: '' }
    : { kind: 'differing', detail: differences.map((line) => `    ${line}`).join('\n') };
}
function key(
  id: string,
  args: readonly StaticValue[],
  keywords: Readonly<Record<string, StaticValue>>,
): string {
  return JSON.stringify([id, args.map(plain), Object.entries(keywords).sort()], (_, value) =>
    sorted(value),
  );
}
/** Objects with their keys in order, so that equal values have equal texts. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).filter(([name]) => name !== 'type');
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
function plain(value: StaticValue): StaticValue {
  if (value.kind === 'constexpr') return plain(value.value);
  return value.kind === 'tuple' ? { ...value, items: value.items.map(plain) } : value;
}

function differing(ours: Facts, theirs: Facts): string[] {
  const out: string[] = [];
  for (const file of new Set([...Object.keys(ours), ...Object.keys(theirs)])) {
    const lines = new Set([...Object.keys(ours[file] ?? {}), ...Object.keys(theirs[file] ?? {})]);
    // A loop that counts down: what makes its counter stands at the first operation of its body.
    const counters: string[] = [];
    for (const line of [...lines].sort((a, b) => Number(a) - Number(b))) {
      const mine = new Set(ours[file]?.[line]);
      const wanted = new Set(theirs[file]?.[line]);
      if (mine.has(BLOCK))
        for (const set of [mine, wanted])
          for (const fact of set) if (ADDRESSING.test(fact)) set.delete(fact);
      if (wanted.has('extern'))
        for (const set of [mine, wanted])
          for (const fact of set) if (EXTERN.test(fact)) set.delete(fact);
      if ([...mine].some((fact) => fact.startsWith('scf.for')))
        for (const fact of mine)
          if (fact.startsWith('arith.subi i')) counters.push(fact, fact.replace('subi', 'addi'));
      for (const fact of wanted)
        if (!mine.has(fact) && !counters.includes(fact)) out.push(`${file}:${line} - ${fact}`);
      for (const fact of mine)
        if (!wanted.has(fact) && !counters.includes(fact)) out.push(`${file}:${line} + ${fact}`);
    }
  }
  return out;
}

function short(value: Value): string {
  return printType(value.type).replace(/^tensor<(.*)>$/, '$1');
}
function userLocation(location: Location): Location {
  let at = location;
  while (at.file.startsWith('triton/') && at.inlinedAt) at = at.inlinedAt;
  return at;
}
function chain(location: Location): string {
  let text = '';
  for (let at = location.inlinedAt; at; at = at.inlinedAt)
    text += ` ${at.file}:${at.line}:${at.column}`;
  return text;
}

/** Facts of an unoptimized function. */
export function factsOf(body: Block): Facts {
  const found = new Map<string, Map<number, Set<string>>>();
  /**
   * Values that are constants, by the activation that made them: in another one they are arguments.
   */
  const constants = new Map<Value, string>();
  walk(body, (op) => {
    const { location } = op;
    if (op.name === 'arith.constant') {
      constants.set(op.result, chain(location));
      return;
    }
    if (
      PURE.test(op.name) &&
      op.operands.length > 0 &&
      op.operands.every((operand) => constants.get(operand) === chain(location))
    ) {
      constants.set(op.result, chain(location));
      return;
    }
    const inBlocks = location.file.endsWith('/block.py');
    const at = inBlocks ? userLocation(location) : location;
    if (!OPS.test(op.name) || at.file.startsWith('triton/')) return;
    const file = found.get(at.file) ?? new Map<number, Set<string>>();
    found.set(at.file, file);
    const line = file.get(at.line) ?? new Set<string>();
    file.set(at.line, line);
    line.add(inBlocks ? BLOCK : fact(op));
  });
  return Object.fromEntries(
    [...found].map(([file, lines]) => [
      file,
      Object.fromEntries([...lines].map(([line, facts]) => [String(line), [...facts].sort()])),
    ]),
  );
}

function fact(op: Operation): string {
  const operands = op.operands.map(short);
  const results = op.results.map(short);
  const named = (...types: readonly string[]): string => [op.name, ...types].join(' ');
  switch (op.name) {
    case 'tt.load':
    case 'tt.store':
      return named(operands[0]!);
    case 'tt.addptr':
      return named(...operands);
    case 'arith.cmpi':
    case 'arith.cmpf':
      return `${op.name}.${op.attributes['predicate']} ${operands[0]}`;
    case 'tt.atomic_rmw':
      return `${op.name}.${op.attributes['kind'] ?? op.attributes['rmw']} ${results.join(' ')}`;
    case 'tt.dot':
      return named(operands[0]!, operands[1]!, '->', ...results);
    case 'tt.reduce':
    case 'tt.scan':
    case 'tt.fp_to_fp':
      return named(...operands, '->', ...results);
    case 'tt.split':
      return named(results[0]!);
    case 'scf.for':
      return named(operands[0]!, ...results.sort());
    case 'scf.while':
      return named(...results.sort());
    default:
      return /^arith\.(ext|trunc|[su]itofp|fpto)/.test(op.name)
        ? named(operands[0]!, '->', ...results)
        : named(...results);
  }
}
