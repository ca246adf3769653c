/**
 * The inspect worker without its messages: answers questions about a kernel and a launch.
 * Compilations and traces are kept until the launch changes, so that a slider moves at once.
 */
import type { Parser } from '../../compiler/1-parse/parser';
import type { Expression } from '../../compiler/1-parse/syntax';
import { ConditionError, parseCondition } from '../../compiler/inspect/condition';
import { constexprsOf } from '../../compiler/inspect/constexprs';
import { DebugSession } from '../../compiler/inspect/debugSession';
import { departureOf } from '../../compiler/inspect/departure';
import {
  finalKernel,
  funcAfter,
  kernelAfter,
  type FuncAfter,
} from '../../compiler/inspect/funcAfter';
import { coalescingOf, type LaneView } from '../../compiler/inspect/globalAccesses';
import {
  hasContents,
  linearProgram,
  totalBytes,
  type LaunchInputs,
} from '../../compiler/inspect/launch';
import { lineCosts } from '../../compiler/inspect/lineCosts';
import { inspectLayouts } from '../../compiler/inspect/layouts';
import { MemoryMap } from '../../compiler/inspect/memoryMap';
import type { Breakpoints } from '../../compiler/inspect/moves';
import { RaceMap } from '../../compiler/inspect/races';
import { ReuseMap } from '../../compiler/inspect/reuse';
import { ThreadSession } from '../../compiler/inspect/threadSession';
import { dependsOnContents } from '../../compiler/inspect/trace';
import type { Func } from '../../compiler/ir/ir';
import type { Compiler } from '../../compiler/pipeline';
import { writersOfLaunch } from './launchWriters';
import type {
  BreakpointPlace,
  ThreadMove,
  InspectAnswer,
  InspectAnswers,
  InspectQuestion,
  Refused,
} from './inspectProtocol';

type Program = readonly [number, number, number];

/** Bytes of a launch's tensors that are made again, zeroed where they were not kept. */
const MOST_BYTES = 1024 * 1024 * 1024;
/** Milliseconds of a step before other messages are looked at. */
const SLICE = 30;

export class Inspector {
  #inputs: LaunchInputs | null = null;
  #lowered: FuncAfter | null = null;
  #map: MemoryMap | null = null;
  #races: RaceMap | null = null;
  #reuse: ReuseMap | null = null;
  #debug: DebugSession | null = null;
  #threads: ThreadSession | null = null;
  #paused = false;

  constructor(
    private readonly compiler: Compiler,
    private readonly parser: Parser,
    /** Lets messages in between two slices of a long step. */
    private readonly breathe: () => Promise<void>,
  ) {}

  setLaunch(inputs: LaunchInputs): void {
    this.#inputs = inputs;
    this.#lowered = this.#map = this.#races = this.#reuse = null;
    this.#debug = this.#threads = null;
  }
  pause(): void {
    this.#paused = true;
  }

  async answer<Q extends InspectQuestion>(question: Q): Promise<InspectAnswer<Q>> {
    return (await this.#answer(question)) as InspectAnswer<Q>;
  }

  async #answer(question: InspectQuestion): Promise<InspectAnswers[keyof InspectAnswers]> {
    switch (question.kind) {
      case 'layouts':
        return inspectLayouts(this.compiler, question.request);
      case 'coalescing':
        return this.#coalescing(question.program, question.view);
      case 'memory':
        return this.#memory(question.program);
      case 'line-costs':
        return this.#lineCosts();
      case 'raster': {
        const { parameter, window, filter, races } = question;
        const raster = this.#need(this.#map).raster(parameter, window, filter);
        if (races) {
          const { flags } = this.#need(this.#races).raster(parameter, window);
          flags.forEach((flag, i) => (raster.flags[i]! |= flag));
        }
        return raster;
      }
      case 'writers':
        return writersOfLaunch(this.compiler, question);
      case 'element': {
        const { parameter, element } = question;
        const accesses = this.#need(this.#map).at(parameter, element);
        return { accesses, race: this.#races?.at(parameter, element) ?? null };
      }
      case 'races': {
        const { first, end } = question;
        const func = this.#ready();
        if ('refused' in func) return func;
        this.#races = new RaceMap(func.func, this.#need(this.#inputs), first, end);
        return this.#races.report;
      }
      case 'reuse': {
        const map = this.#reused();
        return 'refused' in map ? map : map.report;
      }
      case 'reuse-frame': {
        const map = this.#reused();
        return 'refused' in map ? map : map.frame(question.model, question.wave);
      }
      case 'races-of': {
        const { inputs, end } = question;
        const ready = this.#runnable(inputs, this.#lower(inputs));
        return 'refused' in ready ? ready : new RaceMap(ready.func, inputs, 0, end).report;
      }
      case 'debug':
        return this.#startDebug(question.program, question.pass);
      case 'step': {
        const debug = this.#need(this.#debug);
        debug.begin(question.step, this.#breakpoints(question.breakpoints));
        return this.#advance(debug);
      }
      case 'thread': {
        const threads = this.#need(this.#threads);
        beginMove(threads, question.move);
        await this.#finish(threads);
        return threads.state();
      }
      case 'store': {
        const debug = this.#need(this.#debug);
        debug.beginStore(question.address);
        return this.#advance(debug);
      }
      case 'at': {
        const debug = this.#need(this.#debug);
        debug.beginAt(question.count);
        return this.#advance(debug);
      }
      case 'departure':
        return this.#departure(question);
      case 'condition': {
        const parsed = question.text.trim() === '' ? null : this.#condition(question.text);
        return parsed instanceof ConditionError ? parsed.message : null;
      }
      case 'back': {
        const debug = this.#need(this.#debug);
        debug.beginBack(question.to);
        return this.#advance(debug);
      }
      case 'restart': {
        const debug = this.#need(this.#debug);
        debug.restart();
        return debug.state();
      }
      case 'values':
        return (this.#threads ?? this.#need(this.#debug)).values(question.key);
      case 'watch': {
        const debug = this.#need(this.#debug);
        return question.expressions.map((text) => debug.watch(text));
      }
      default:
        return question satisfies never;
    }
  }

  #need<T>(value: T | null): T {
    if (value === null) throw new Error('asked before its launch was sent');
    return value;
  }

  // ── the launch ────────────────────────────────────────────────────────────────────────────────

  /** The launch's function as it was lowered, if a run of it here touches what it touched there. */
  #ready(): { readonly func: Func; readonly contents: boolean } | Refused {
    const inputs = this.#need(this.#inputs);
    return this.#runnable(inputs, (this.#lowered ??= this.#lower(inputs)));
  }

  #lower(inputs: LaunchInputs): FuncAfter {
    return funcAfter(this.compiler, inputs.request, ({ phase }) => phase === 'lower');
  }

  #runnable(
    inputs: LaunchInputs,
    lowered: FuncAfter,
  ): { readonly func: Func; readonly contents: boolean } | Refused {
    if (totalBytes(inputs) > MOST_BYTES)
      return {
        refused: 'The launch’s tensors are larger than 1 GiB together: too large to run here.',
      };
    if (!lowered.ok)
      return {
        refused:
          lowered.diagnostics[0]?.message ?? 'The kernel could not be compiled a second time here.',
        diagnostics: lowered.diagnostics,
      };
    const contents = hasContents(inputs);
    if (!contents && dependsOnContents(lowered.func))
      return {
        refused:
          'What this kernel touches depends on what its tensors held, and that was not kept: it was ' +
          'only on the GPU, or too large.',
      };
    return { func: lowered.func, contents };
  }

  #memory(program: Program): InspectAnswers['memory'] {
    const ready = this.#ready();
    if ('refused' in ready) return ready;
    const inputs = this.#need(this.#inputs);
    this.#map = new MemoryMap(ready.func, inputs, program, linearProgram(inputs.grid, program));
    return { ...this.#map.report(), contents: ready.contents };
  }

  #reused(): ReuseMap | Refused {
    const ready = this.#ready();
    if ('refused' in ready) return ready;
    return (this.#reuse ??= new ReuseMap(ready.func, this.#need(this.#inputs)));
  }

  #lineCosts(): InspectAnswers['line-costs'] {
    const ready = this.#ready();
    if ('refused' in ready) return ready;
    const inputs = this.#need(this.#inputs);
    const made = finalKernel(this.compiler, inputs.request);
    if (made.ok) return lineCosts({ ...made, inputs });
    return { refused: 'The kernel does not compile for the GPU.', diagnostics: made.diagnostics };
  }

  #coalescing(program: Program, view: LaneView | null): InspectAnswers['coalescing'] {
    const ready = this.#ready();
    if ('refused' in ready) return ready;
    const inputs = this.#need(this.#inputs);
    const report = coalescingOf(this.compiler, { inputs, program, lowered: ready.func, view });
    if (!('diagnostics' in report)) return report;
    return { refused: 'The kernel does not compile for the GPU.', ...report };
  }

  // ── the debugger ──────────────────────────────────────────────────────────────────────────────

  /** @param pass index in the pipeline's log; 0 is the program as it was lowered. */
  #startDebug(program: Program, pass: number): InspectAnswers['debug'] {
    const inputs = this.#need(this.#inputs);
    if (!hasContents(inputs))
      return {
        refused:
          'What the launch’s tensors held was not kept: it was only on the GPU, or too large. The ' +
          'debugger shows real values or none.',
      };
    this.#debug = this.#threads = null;
    const isPass = ({ index }: { readonly index: number }): boolean => index === pass;
    const found = funcAfter(this.compiler, inputs.request, isPass);
    if (!found.ok && found.diagnostics.every(({ severity }) => severity !== 'error')) {
      const kernel = kernelAfter(this.compiler, inputs.request, isPass);
      if (kernel.ok) {
        this.#threads = new ThreadSession({ ...kernel, inputs, program });
        return { text: this.#threads.text, threads: this.#threads.state() };
      }
    }
    if (!found.ok)
      return {
        refused: found.diagnostics[0]?.message ?? 'The pipeline has no such pass.',
        diagnostics: found.diagnostics,
      };
    this.#debug = new DebugSession(
      found.func,
      inputs,
      program,
      constexprsOf(this.parser, inputs.request),
    );
    return { text: this.#debug.text, state: this.#debug.state() };
  }

  #departure(
    question: Extract<InspectQuestion, { kind: 'departure' }>,
  ): InspectAnswers['departure'] {
    const ready = this.#ready();
    if ('refused' in ready) return ready;
    const inputs = this.#need(this.#inputs);
    if (!ready.contents) return { refused: 'What the launch’s tensors held was not kept.' };
    return departureOf({ ...question, func: ready.func, inputs });
  }

  #condition(text: string): Expression | ConditionError {
    try {
      return parseCondition(this.parser, text);
    } catch (error) {
      if (!(error instanceof ConditionError)) throw error;
      return error;
    }
  }
  #breakpoints(places: readonly BreakpointPlace[]): Breakpoints {
    return new Map(
      places.map(({ place, condition }) => [
        place,
        condition.trim() === '' ? null : this.#condition(condition),
      ]),
    );
  }

  async #advance(debug: DebugSession): Promise<InspectAnswers['step']> {
    await this.#finish(debug);
    return debug.state();
  }
  /** Makes the move that a session began, or as much of it as there is until it is paused. */
  async #finish(session: DebugSession | ThreadSession): Promise<void> {
    this.#paused = false;
    while (!session.advance(SLICE)) {
      await this.breathe();
      if (!this.#paused) continue;
      session.pause();
      break;
    }
  }
}

function beginMove(threads: ThreadSession, move: ThreadMove): void {
  switch (move.kind) {
    case 'step':
      return threads.begin(move.step, new Set(move.breakpoints));
    case 'back':
      return threads.beginBack();
    case 'restart':
      return threads.restart();
    case 'choose':
      return threads.choose(move.thread);
    default:
      return move satisfies never;
  }
}
