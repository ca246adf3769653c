/**
 * Report of one run: its events, and what its answers to Python carry along (warnings, prints that
 * Python captures). A run has its own, so that nothing of the run before is left in it.
 *
 * Guarantee: a specialization, a warning of a line and an access out of range are reported once in
 * a run, however many launches have them.
 */
import type { Diagnostic } from '../../compiler/diagnostics';
import type { CompileRequest } from '../../compiler/program';
import type {
  Calibration,
  CallSite,
  DevicePrint,
  ProgramEvent,
  Timing,
  TraceTrack,
} from '../events';
import type { LaunchResponse, LaunchValue } from '../workers/bridge';
import type { CompiledUnit } from './compileCache';
import { achieved } from './cost';
import { devicePrintText } from './devicePrint';
import type { EngineEvents, EngineLaunch } from './engine';
import { diagnostic, formatBytes, siteLocation } from './errors';
import { specializationKey } from './key';
import { ProfileTimes } from './profileTimes';
import { Trace } from './trace';

type Warnings = NonNullable<(LaunchResponse & { ok: true })['warnings']>;

/** Milliseconds: compilations that were known already take no time worth reporting. */
const SHORTEST_COMPILE = 0.3;

/** The id of launches that a search makes: the program did not, and nothing is reported of them. */
export const UNREPORTED = 0;

export class RunReport implements EngineEvents {
  readonly profile = new ProfileTimes();
  readonly trace: Trace | null;
  private readonly reported = new Set<string>();
  /** Warnings of compilations, not yet passed to Python. */
  private warnings: Warnings[number][] = [];
  /** Prints of kernels, where the program captures them. */
  private captured: string[] | null = null;
  /** Prints of compilations are dropped. */
  private muted = false;

  constructor(
    readonly send: (event: ProgramEvent) => void,
    /** Somebody looks at where the time goes. */
    traces: boolean,
    /** Facts of the adapter, once they are known. */
    private readonly roofs: () => Calibration | null,
  ) {
    this.trace = traces ? new Trace(send) : null;
  }

  /** Whether this is the first time. */
  once(key: string): boolean {
    if (this.reported.has(key)) return false;
    this.reported.add(key);
    return true;
  }

  /** Runs, and is a span of the trace where there is one. */
  traced<T>(track: TraceTrack, name: string, run: () => T): T {
    return this.trace ? this.trace.over(track, name, run) : run();
  }

  /** @param start of `performance.now()`. */
  compiled({ key, request, milliseconds, diagnostics }: CompiledUnit, start: number): void {
    const end = performance.now();
    if (this.once(key)) {
      for (const { severity, message, location } of diagnostics)
        if (severity === 'warning')
          this.warnings.push({ message, file: location.file, line: location.line });
      this.send({ type: 'compile', key, request, milliseconds, diagnostics });
    }
    const { functions, entry } = request.program;
    if (end - start > SHORTEST_COMPILE)
      this.trace?.span('compile', functions[entry]?.name ?? 'kernel', start, end);
  }

  /** Names a specialization, compiled or not. @returns its key. */
  described(made: CompiledUnit | CompileRequest): string {
    if ('key' in made) return made.key;
    const key = specializationKey(made);
    if (this.once(`described ${key}`)) this.send({ type: 'specialization', key, request: made });
    return key;
  }

  /** Warnings of compilations since the last call. */
  takeWarnings(): Warnings {
    return this.warnings.splice(0);
  }

  launched(
    { id, unit, grid, site, labels, cost }: EngineLaunch,
    key: string,
    values: readonly LaunchValue[],
    device: (ProgramEvent & { type: 'launch' })['device'],
    benchmark: boolean,
  ): void {
    this.send({
      type: 'launch',
      id,
      kernel: unit.name,
      grid,
      key,
      site,
      arguments: labels,
      values,
      device,
      benchmark,
      ...(cost ? { cost } : {}),
    });
    if (!benchmark) this.profile.launched(id);
  }

  /** A warning at a line of the program. */
  warn(code: string, site: CallSite, message: string): void {
    if (this.once(`${code} ${site.file}:${site.line} ${message}`))
      this.emit(diagnostic(code, 'warning', message, siteLocation(site)));
  }

  private emit(found: Diagnostic): void {
    this.send({ type: 'diagnostic', diagnostic: found });
  }

  /** `tl.static_print`. */
  readonly print = (line: string): void => {
    if (this.muted) return;
    if (this.captured) this.captured.push(`${line}\n`);
    else this.send({ type: 'print', stream: 'stdout', text: `${line}\n` });
  };

  /** From now on what compilations print is dropped, or no longer. */
  mute(on: boolean): void {
    this.muted = on;
  }

  /** From now on prints are kept, or sent again. @returns what was kept. */
  capture(on: boolean): string {
    const text = this.captured?.join('') ?? '';
    this.captured = on ? [] : null;
    return text;
  }

  // ── of the engine ─────────────────────────────────────────────────────────────────────────────

  onTime({ id, cost, grid: [x, y, z] }: EngineLaunch, timing: Timing): void {
    if (id === UNREPORTED) return;
    this.profile.add(id, timing);
    const rates = cost && achieved(cost, timing, this.roofs(), x * y * z);
    this.send({ type: 'launch-time', id, timing, ...(rates ? { achieved: rates } : {}) });
  }

  onPrint(
    { id, unit, silent }: EngineLaunch,
    prints: readonly DevicePrint[],
    dropped: number,
  ): void {
    if (silent) return;
    if (this.captured) this.captured.push(devicePrintText(prints, dropped));
    else this.send({ type: 'device-print', launch: id, kernel: unit.name, prints, dropped });
  }

  onDiagnostic(found: Diagnostic, launch: EngineLaunch): void {
    if (launch.id === UNREPORTED) return;
    const { file, line, column } = found.location;
    const { site } = launch;
    if (this.once(`${found.code} ${file}:${line}:${column} ${site.file}:${site.line}`))
      this.emit(found);
  }

  onPass(
    { id, unit }: EngineLaunch,
    together: number,
    begin: number,
    end: number,
    arrived: number,
  ): void {
    if (id === UNREPORTED) return;
    const name = together > 1 ? `${unit.name} × ${together}` : unit.name;
    this.trace?.pass(name, id, begin, end, arrived);
  }

  onUpload(bytes: number, start: number, end: number): void {
    this.trace?.span('upload', formatBytes(bytes), start, end);
  }
}
