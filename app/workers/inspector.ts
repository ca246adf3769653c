/**
 * The inspect worker without its messages: answers questions about a kernel and a launch. Compilations
 * and traces are kept until the launch changes, so that a slider moves at once.
 */
import { CoalescingCounter } from '../../compiler/inspect/coalescing';
import { DebugSession } from '../../compiler/inspect/debugSession';
import { funcAfter, type FuncAfter } from '../../compiler/inspect/funcAfter';
import {
  argumentValues,
  hasContents,
  linearProgram,
  memoryOf,
  programCount,
  totalBytes,
  type LaunchInputs,
} from '../../compiler/inspect/launch';
import { distribute, inspectLayouts } from '../../compiler/inspect/layouts';
import { MemoryMap } from '../../compiler/inspect/memoryMap';
import { ownPlace } from '../../compiler/inspect/places';
import { RaceMap } from '../../compiler/inspect/races';
import { dependsOnContents, parameterOf, traceAccesses } from '../../compiler/inspect/trace';
import type { Func } from '../../compiler/ir/ir';
import type { Compiler } from '../../compiler/pipeline';
import type { CompiledKernel, CompileRequest } from '../../compiler/program';
import { writersOfLaunch } from './launchWriters';
import type { InspectAnswer, InspectAnswers, InspectQuestion, Refused } from './inspectProtocol';

type Program = readonly [number, number, number];

/** Bytes of a launch's tensors that are made again, zeroed where they were not kept. */
const MOST_BYTES = 1024 * 1024 * 1024;
/** Milliseconds of a step before other messages are looked at. */
const SLICE = 30;
const COALESCING_BUDGET = 5_000_000;

export class Inspector {
  #inputs: LaunchInputs | null = null;
  #lowered: FuncAfter | null = null;
  #map: MemoryMap | null = null;
  #races: RaceMap | null = null;
  #debug: DebugSession | null = null;
  #paused = false;

  constructor(
    private readonly compiler: Compiler,
    /** Lets messages in between two slices of a long step. */
    private readonly breathe: () => Promise<void>,
  ) {}

  setLaunch(inputs: LaunchInputs): void {
    this.#inputs = inputs;
    this.#lowered = this.#map = this.#races = this.#debug = null;
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
        return this.#coalescing(question.program);
      case 'memory':
        return this.#memory(question.program);
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
      case 'debug':
        return this.#startDebug(question.program, question.pass);
      case 'step': {
        const debug = this.#need(this.#debug);
        debug.begin(question.step, new Set(question.breakpoints));
        return this.#advance(debug);
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
        return this.#need(this.#debug).values(question.key);
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
    if (totalBytes(inputs) > MOST_BYTES)
      return {
        refused: 'The launch’s tensors are larger than 1 GiB together: too large to run here.',
      };
    this.#lowered ??= funcAfter(this.compiler, inputs.request, ({ phase }) => phase === 'lower');
    const lowered = this.#lowered;
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

  #coalescing(program: Program): InspectAnswers['coalescing'] {
    const ready = this.#ready();
    if ('refused' in ready) return ready;
    const inputs = this.#need(this.#inputs);
    const compiled = distribute(this.compiler, inputs.request);
    if (!('func' in compiled))
      return {
        refused: 'The kernel does not compile for the GPU.',
        diagnostics: compiled.diagnostics,
      };
    const { func, kernel, request } = compiled;
    const counter = new CoalescingCounter(func, (op) => {
      const parameter = parameterOf(op, func);
      return widestAccess(kernel, request, parameter);
    });
    const linear = linearProgram(inputs.grid, program);
    const end = traceAccesses({
      func,
      args: argumentValues(inputs),
      memory: memoryOf(inputs),
      grid: inputs.grid,
      range: { first: linear, end: Math.min(linear + 1, programCount(inputs)) },
      budget: COALESCING_BUDGET,
      onAccess: (op, addresses, mask) => counter.add(op, addresses, mask),
    });
    const { files } = inputs.request.program;
    const accesses = [...counter.results.values()].map((access) => ({
      ...access,
      location: ownPlace(access.location, files),
    }));
    return { accesses, end };
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
    const found = funcAfter(this.compiler, inputs.request, ({ index }) => index === pass);
    if (!found.ok)
      return {
        refused: found.diagnostics[0]?.message ?? 'The pipeline has no such pass.',
        diagnostics: found.diagnostics,
      };
    this.#debug = new DebugSession(found.func, inputs, program);
    return { text: this.#debug.text, state: this.#debug.state() };
  }

  async #advance(debug: DebugSession): Promise<InspectAnswers['step']> {
    this.#paused = false;
    while (!debug.advance(SLICE)) {
      await this.breathe();
      if (!this.#paused) continue;
      debug.pause();
      break;
    }
    return debug.state();
  }
}

/** Bytes of the widest read or write that the shader's declaration of a parameter's group allows. */
function widestAccess(
  kernel: CompiledKernel,
  request: CompileRequest,
  parameter: number | null,
): number {
  const groups: number[] = [];
  const walk = (specs: CompileRequest['specialization']['arguments']): void =>
    specs.forEach((spec) => {
      if (spec.kind === 'tuple') walk(spec.items);
      else if (spec.kind === 'pointer') groups.push(spec.group);
      else if (spec.kind === 'scalar') groups.push(-1);
    });
  walk(request.specialization.arguments);
  const group = parameter === null ? -1 : (groups[parameter] ?? -1);
  const binding = kernel.bindings.findIndex((one) => one.group === group);
  const declared = new RegExp(`@binding\\(${binding}\\) var<[^>]*> \\w+: array<([^;]*)>;`).exec(
    kernel.wgsl,
  )?.[1];
  if (!declared) return 4;
  const vector = /^vec(\d)<(\w+)>$/.exec(declared);
  const scalar = vector?.[2] ?? declared;
  return Number(vector?.[1] ?? 1) * (scalar === 'f16' ? 2 : 4);
}
