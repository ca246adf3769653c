/**
 * Answers about a launch, one for each access (does it stay inside of its tensor?) and one for each
 * pair of accesses by which programs could race. Plain data.
 *
 * Guarantees: `every` and `launch` are proofs, for all programs of the grid. A counterexample has
 * been evaluated on the interpreter. What neither decides is `checked` or `undecided`, with why.
 */
import type { AccessKind } from '../ir/access';
import { accessKind } from '../ir/access';
import { expandedHint } from '../expanded';
import { isRemovable } from '../ir/builder';
import type { Func, Operation, Value } from '../ir/ir';
import type { Location } from '../ir/location';
import { hasContents, programCount, type LaunchInputs } from '../inspect/launch';
import { bytesOfAccess, parameterOf } from '../inspect/trace';
import {
  checkBounds,
  checkRaces,
  type BoundsCheck,
  type FoundRace,
  type RaceCheck,
} from './concrete';
import {
  settingOfEvery,
  settingOfLaunch,
  type EverySetting,
  type LaunchSetting,
} from './launchProof';
import { explainLaneRace, laneRaces, OF_STORES, type LaneRace } from './lanes';
import { integerArgument } from './model';
import { checkOrder, type OrderCheck } from './order';
import { overflowBefore } from './overflow';
import { neverRaces, pairsOf, type Pair } from './races';
import { whyOpen } from './reasons';
import { relationsOf } from './relations';
import { decidersOf, readsMemory } from './slice';
import { checkUndefined, type UndefinedCheck, type UndefinedSource } from './undefined';
import type { WriteDifference } from './written';

type Program = readonly [number, number, number];

export interface Named {
  readonly name: string;
  readonly value: string;
}

export type Answer =
  /** Proved for every program and every n. */
  | { readonly kind: 'every' }
  /** Proved for all programs of this launch; `reason`: why not for every n. */
  | { readonly kind: 'launch'; readonly reason: string }
  /** So many of the launch's programs were evaluated, with the data that they had. */
  | {
      readonly kind: 'checked';
      readonly programs: number;
      readonly of: number;
      readonly reason: string;
    }
  | {
      readonly kind: 'counterexample';
      readonly message: string;
      readonly programs: readonly Program[];
      readonly values: readonly Named[];
      /** How far the fault reaches. */
      readonly notes?: readonly string[];
    }
  | { readonly kind: 'undecided'; readonly reason: string };

export interface Place {
  readonly kind: AccessKind;
  readonly location: Location;
}

export interface BoundsAnswer extends Place {
  /** Name of the argument that the pointer comes from; null where it is chosen at run time. */
  readonly argument: string | null;
  readonly answer: Answer;
}

export interface RaceAnswer {
  readonly first: Place;
  readonly second: Place;
  readonly argument: string | null;
  readonly answer: Answer;
}

/**
 * Undefined values: of a masked load without `other`, of a tensor's elements that nothing has
 * written, or of shared memory's.
 */
export interface UndefinedAnswer extends Place {
  readonly source: UndefinedSource['kind'];
  readonly argument: string | null;
  readonly answer: Answer;
}

export interface LaunchProof {
  readonly launch: number;
  readonly kernel: string;
  readonly grid: Program;
  /** The relations under which answers hold for every n, in words. */
  readonly relations: readonly string[];
  readonly bounds: readonly BoundsAnswer[];
  readonly races: readonly RaceAnswer[];
  /** Races between lanes of one program, each a counterexample; empty where none was seen. */
  readonly lanes: readonly RaceAnswer[];
  /** For each atomic: does its tensor depend on the order of programs? Empty for one program. */
  readonly orders: readonly BoundsAnswer[];
  /** Empty where the launch has no undefined values to begin with. */
  readonly undefined: readonly UndefinedAnswer[];
}

/** @param func tile IR before `narrow_int64`, whose wrapping addresses are no polynomials. */
export function proofOf(func: Func, inputs: LaunchInputs): LaunchProof {
  return new Proof(func, inputs).report();
}

/** Bytes of a tensor of which each element is watched. */
const MOST_WATCHED = 64 * 1024 * 1024;
const VALUES = 'run with other values in place of the undefined ones';
const TOO_MUCH = 'its first program takes more steps than are run with other values';
const TOO_MANY = 'another undefined value of the launch counts, and there are too many to try each';
const ORDERS = 'run with the first program first, and with the last one first';
const SYNCHRONIZED = 'the kernel orders its programs by atomics';

class Proof {
  readonly #launch: LaunchSetting;
  readonly #every: EverySetting;
  /** Whether there is an n: a size of the grid or an integer that other launches may change. */
  readonly #hasSizes: boolean;

  constructor(
    private readonly func: Func,
    private readonly inputs: LaunchInputs,
  ) {
    this.#launch = settingOfLaunch(func, inputs);
    this.#every = settingOfEvery(func, inputs, this.#launch.exact);
    const values = inputs.args.map((arg) => (arg.kind === 'scalar' ? arg.value : null));
    this.#hasSizes =
      values.some((_, i) => integerArgument(func, values, i) !== undefined) ||
      this.#every.grid.some((size) => size.asConstant === undefined);
  }

  report(): LaunchProof {
    const { launch, kernel, grid } = this.inputs;
    const bounds = this.#bounds();
    const races = this.#races();
    const relations = relationsOf(this.func, this.#every);
    const [orders, undefineds] = [this.#orders(), this.#undefined()];
    const lanes = laneRaces(this.func, this.inputs).map((race) => this.#ofLanes(race));
    const answers = { bounds, races, lanes, orders, undefined: undefineds };
    return { launch, kernel, grid: [...grid], relations, ...answers };
  }

  #orders(): BoundsAnswer[] {
    const check = checkOrder(this.func, this.inputs);
    if (!check) return [];
    return check.atomics.map((op) => {
      const argument = parameterOf(op, this.func);
      const name = argument === null ? null : this.#nameOf(argument);
      return { ...placeOf(op), argument: name, answer: this.#orderAnswer(op, name, check) };
    });
  }
  #orderAnswer(op: Operation, name: string | null, check: OrderCheck): Answer {
    const { differences, differs, programs, end } = check;
    if (!hasContents(this.inputs))
      return { kind: 'undecided', reason: 'its tensors were not kept' };
    if (end.kind === 'failed') return { kind: 'undecided', reason: end.message };
    if (programs === 0)
      return { kind: 'undecided', reason: 'its programs take more steps than are run backwards' };
    const found = differences.get(op);
    const decides = isUsed(op.result);
    const isSum = op.attributes['kind'] === 'fadd';
    const of = programCount(this.inputs);
    if (!found && !(decides && differs)) return { kind: 'checked', programs, of, reason: ORDERS };
    const values = found
      ? `: element ${found.element} of ${name} is ${found.values.join(' or ')}`
      : '';
    if (decides)
      return { kind: 'undecided', reason: `the first program to come decides the result${values}` };
    if (found?.isRounding)
      return {
        kind: 'checked',
        programs,
        of,
        reason: `${ORDERS}, which round a sum otherwise${values}`,
      };
    return {
      kind: 'counterexample',
      message: `${isSum ? 'the order of programs changes more than the rounding of a sum' : 'the last program to come decides the result'}${values}`,
      programs: [],
      values: [],
    };
  }

  #undefined(): UndefinedAnswer[] {
    const check = checkUndefined(this.func, this.inputs);
    if (!check) return [];
    return check.sources.map((source) => {
      const argument = parameterOf(source.op, this.func);
      const name = argument === null ? null : this.#nameOf(argument);
      const use = check.uses.get(source);
      const answer = use
        ? undefinedUse(source, name, use, this.#firstUnwritten(source, check))
        : check.open.has(source)
          ? { kind: 'undecided' as const, reason: TOO_MANY }
          : this.#checked(check, [], true);
      const place = { kind: accessKind(source.op) ?? 'load', location: source.op.location };
      return { ...place, source: source.kind, argument: name, answer };
    });
  }
  /** The element of its tensor that a source read first, of those that nothing has written. */
  #firstUnwritten({ op, kind }: UndefinedSource, { reads }: UndefinedCheck): Named[] {
    const read = reads.get(op);
    if (!read) return [];
    const argument = parameterOf(op, this.func);
    const view = argument === null ? undefined : this.inputs.args[argument];
    if (kind === 'memory' && view?.kind !== 'pointer') return [];
    const at = view?.kind === 'pointer' ? (read.at - view.address) / bytesOfAccess(op) : read.at;
    return [{ name: 'first unwritten element', value: String(at) }];
  }

  #bounds(): BoundsAnswer[] {
    const { accesses, inside } = this.#launch;
    const open = [...accesses.keys()].some((op) => !inside.has(op));
    const check = open ? checkBounds(this.func, this.inputs) : null;
    return [...accesses.values()].map(({ op, pointer }) => ({
      ...placeOf(op),
      argument: pointer ? this.#nameOf(pointer.root) : null,
      answer: this.#boundsAnswer(op, check),
    }));
  }
  #boundsAnswer(op: Operation, check: BoundsCheck | null): Answer {
    if (this.#launch.inside.has(op))
      return this.#proved([op], this.#every.inside.has(op) && this.#hasSizes);
    const outside = check?.outside.get(op);
    if (outside) {
      const { program, lane, element, elements, argument } = outside;
      const name = argument === null ? 'memory' : this.#nameOf(argument);
      const size = elements === null ? '' : ` of ${elements} elements`;
      const arg = argument === null ? undefined : this.inputs.args[argument];
      const hint = arg?.kind === 'pointer' ? expandedHint(name, arg.shape, arg.strides) : null;
      const overflow = overflowBefore(this.func, this.inputs, op, outside);
      const why = overflow ? `: ${overflow.text} in line ${overflow.location.line}` : '';
      return {
        kind: 'counterexample',
        message: `${accessKind(op)} of element ${element} of ${name}${size}${why}${hint ? `; ${hint}` : ''}`,
        programs: [program],
        values: [
          { name: 'program', value: `(${program.join(', ')})` },
          { name: 'position in the tile', value: `[${lane.join(', ')}]` },
          { name: 'element', value: String(element) },
        ],
      };
    }
    return this.#checked(check!, [op]);
  }

  /** Nothing was found by evaluating addresses. */
  #checked(
    { programs, end }: Pick<BoundsCheck, 'programs' | 'end'>,
    ops: readonly Operation[],
    ofValues = false,
  ): Answer {
    const ofData = ops.some((op) => readsMemory(decidersOf(op)));
    const of = programCount(this.inputs);
    if (end.kind === 'failed') return { kind: 'undecided', reason: end.message };
    const unknown = this.inputs.storages.some(({ contents }) => contents === null);
    if (ofData && unknown)
      return { kind: 'undecided', reason: `${whyOpen(this.func, ops)}, which were not kept` };
    if (ofValues && unknown) return { kind: 'undecided', reason: 'its tensors were not kept' };
    if (ofValues && programs === 0) return { kind: 'undecided', reason: TOO_MUCH };
    if (ofValues) return { kind: 'checked', programs, of, reason: VALUES };
    const reason = whyOpen(this.func, ops);
    if (!ofData && programs === of) return { kind: 'launch', reason };
    return { kind: 'checked', programs, of, reason };
  }
  #proved(ops: readonly Operation[], every: boolean): Answer {
    if (every) return { kind: 'every' };
    if (!this.#hasSizes) return { kind: 'launch', reason: 'the kernel is given no sizes' };
    return { kind: 'launch', reason: whyOpen(this.func, ops) };
  }

  #races(): RaceAnswer[] {
    const pairs = pairsOf(this.#launch, this.inputs);
    const proved = new Set(
      pairs.filter((pair) => neverRaces(pair, this.#launch, this.inputs, false)),
    );
    const check = proved.size < pairs.length ? checkRaces(this.func, this.inputs) : null;
    return pairs.map((pair) => ({
      first: placeOf(pair.first),
      second: placeOf(pair.second),
      argument: this.#argumentOf(pair),
      answer: proved.has(pair)
        ? this.#proved(
            [pair.first, pair.second],
            this.#hasSizes && neverRaces(pair, this.#every, this.inputs, true),
          )
        : this.#raceAnswer(pair, check!),
    }));
  }
  #raceAnswer(pair: Pair, check: RaceCheck): Answer {
    const race = check.races.find(
      ({ sides: [a, b] }) =>
        (a.op === pair.first && b.op === pair.second) ||
        (a.op === pair.second && b.op === pair.first),
    );
    if (check.races.length > 0 && this.#synchronizes())
      return { kind: 'undecided', reason: SYNCHRONIZED };
    if (race) return this.#racing(race);
    if (check.races.length > 0)
      return { kind: 'undecided', reason: 'other accesses race for the same tensor' };
    if (check.harmless > 0)
      return {
        kind: 'undecided',
        reason: 'programs meet, and leave the same value in any order, as far as was checked',
      };
    if (check.unexplained > 0)
      return { kind: 'undecided', reason: 'programs meet by accesses that were not found' };
    if ([pair.first, pair.second].some((op) => parameterOf(op, this.func) === null))
      return { kind: 'undecided', reason: 'the pointer is chosen at run time' };
    if (this.inputs.storages.some(({ byteLength }) => byteLength > MOST_WATCHED))
      return { kind: 'undecided', reason: 'a tensor is too large to evaluate its accesses' };
    return this.#checked(check, [pair.first, pair.second]);
  }
  #racing({ argument, element, sides }: FoundRace): Answer {
    const [a, b] = sides;
    const name = this.#nameOf(argument);
    const verb = (kind: AccessKind): string => (kind === 'load' ? 'loads' : 'writes');
    const at = (program: Program): string => `program (${program.join(', ')})`;
    return {
      kind: 'counterexample',
      message:
        `${at(a.program)} ${verb(a.kind)} element ${element} of ${name}, which ` +
        `${at(b.program)} ${verb(b.kind)}`,
      programs: [a.program, b.program],
      values: [
        { name: 'element', value: String(element) },
        ...sides.flatMap(({ program, value }) =>
          value === null ? [] : [{ name: `stored by ${at(program)}`, value: String(value) }],
        ),
      ],
      ...(sides.every(({ kind }) => kind === 'store') ? { notes: [OF_STORES] } : {}),
    };
  }
  #ofLanes(race: LaneRace): RaceAnswer {
    const argument = race.argument === null ? null : this.#nameOf(race.argument);
    const [first, second] = [placeOf(race.first), placeOf(race.second)];
    const answer = { kind: 'counterexample', ...explainLaneRace(race, argument) } as const;
    return { first, second, argument, answer };
  }
  /** Whether programs may wait for one another: a result of an atomic is used. */
  #synchronizes(): boolean {
    return [...this.#launch.accesses.values()].some(
      ({ op, kind }) => kind === 'atomic' && op.results.some(isUsed),
    );
  }

  #argumentOf({ first, second }: Pair): string | null {
    const pointer =
      this.#launch.accesses.get(first)?.pointer ?? this.#launch.accesses.get(second)?.pointer;
    return pointer ? this.#nameOf(pointer.root) : null;
  }
  #nameOf(argument: number): string {
    return this.func.body.args[argument]?.name ?? `argument ${argument}`;
  }
}

function undefinedUse(
  source: UndefinedSource,
  name: string | null,
  { op, program }: WriteDifference,
  first: readonly Named[],
): Answer {
  const memory = source.kind === 'shared' ? 'shared memory' : 'memory';
  const what =
    source.kind === 'lanes'
      ? 'lanes that the mask leaves out and no `other` defines'
      : `${memory}${name === null ? '' : ` of ${name}`} that nothing has written`;
  const kind = accessKind(op);
  const access = `${kind === 'load' ? 'the address of the load' : `the ${kind}`} in line ${op.location.line}`;
  return {
    kind: 'counterexample',
    message: `${access} depends on ${what}`,
    programs: [program],
    values: [{ name: 'program', value: `(${program.join(', ')})` }, ...first],
  };
}

/** Whether an effect of the kernel depends on the value. */
function isUsed(value: Value): boolean {
  return [...value.uses].some((op) => !isRemovable(op) || op.results.some(isUsed));
}

const placeOf = (op: Operation): Place => ({ kind: accessKind(op)!, location: op.location });
