/** For tests and `npm run mutants`: verdicts of `prove` on texts, on the interpreter. */
import { printIr } from '../../../compiler/ir/printer';
import type { LaunchInputs } from '../../../compiler/inspect/launch';
import type { Module } from '../../../compiler/1-parse/syntax';
import type { Parser } from '../../../compiler/1-parse/parser';
import { createCompiler, type Compiler } from '../../../compiler/pipeline';
import { PROOF_PASS } from '../../../compiler/proof/index';
import { nodeParser } from '../../cli/nodeParser';
import { createNodeRunner } from '../../cli/programProcess';
import type { ProgramEvent } from '../../events';
import type { Runner } from '../../runtime/runner';
import type { Mutant } from '../mutants';
import { reportOf, runForProof } from '../proof';
import { countVerdicts, exitCode, type ProofReport } from '../report';

/**
 * Milliseconds of one run, of the processor's time: a loop that lost its end is stopped, a busy
 * machine decides nothing.
 */
const LIMIT = 20_000;
const FILE = 'main.py';
/** No check of this run could tell it: other sizes or strides may. */
export const SAME = 'the same results, in the ring too';
export const ENDLESS = 'a loop does not end';
const MASKED = 'no result depends on what the masked lanes hold, in the ring too';

export interface Judged {
  /**
   * `killed`: the report fails. `undecided`: a finding that holds of the program is no longer
   * decided. `equivalent`: the same IR, or another number in lanes of which no result depends.
   * `stillborn`: it does not compile.
   */
  readonly verdict: 'killed' | 'undecided' | 'survived' | 'equivalent' | 'stillborn';
  /** The first finding that fails, or the error; for the others, why. */
  readonly reason: string;
}

/** Proof of a program as it is. */
export interface Baseline {
  readonly report: ProofReport;
  readonly ir: string;
  readonly results: string;
  readonly milliseconds: number;
}

interface Proved {
  readonly report: ProofReport;
  readonly ir: string;
  /** Digests of what was compared in the ring. */
  readonly results: string;
  /** A diagnostic of the compiler's, in the ordinary run. */
  readonly compileError: string | null;
  readonly stopped: boolean;
}

export class Judge {
  private launches: LaunchInputs[] = [];
  private deadline = Infinity;
  private used = process.cpuUsage();

  private constructor(
    private readonly compiler: Compiler,
    private readonly parser: Parser,
  ) {}
  private runner!: Runner;

  static async create(root: string): Promise<Judge> {
    const parser = await nodeParser(root);
    const judge = new Judge(createCompiler(parser), parser);
    judge.runner = await createNodeRunner(
      root,
      () => {},
      () => judge.isOver(),
      (inputs) => void judge.launches.push(inputs),
    );
    // The imports of torch and triton are no part of the first program's time.
    judge.runner.prepare();
    return judge;
  }
  dispose(): void {
    this.runner.dispose();
  }

  /** The clock is asked first, because it costs less. */
  private isOver(): boolean {
    if (performance.now() <= this.deadline) return false;
    const { user, system } = process.cpuUsage(this.used);
    return (user + system) / 1000 > LIMIT;
  }

  parse(text: string): Module {
    return this.parser.parse(FILE, text);
  }

  /** @throws Error where the report of the program itself fails: no mutant of it says anything. */
  async baseline(text: string): Promise<Baseline> {
    const start = performance.now();
    const { report, ir, results } = await this.prove(text);
    if (exitCode(report) === 1) throw new Error(`the program itself fails: ${whyFailed(report)}`);
    return { report, ir, results, milliseconds: performance.now() - start };
  }

  /** The report of a program as it is. */
  async report(text: string): Promise<ProofReport> {
    return (await this.prove(text)).report;
  }

  async judge({ program, probes }: Mutant, of: Baseline): Promise<Judged> {
    const { report, ir, results, compileError, stopped } = await this.prove(program);
    if (compileError !== null) return { verdict: 'stillborn', reason: compileError };
    if (stopped) return { verdict: 'killed', reason: ENDLESS };
    if (ir === of.ir) return { verdict: 'equivalent', reason: 'the same IR' };
    if (exitCode(report) === 1) return { verdict: 'killed', reason: whyFailed(report) };
    const [now, before] = [report, of.report].map(({ sections }) => countVerdicts(sections));
    if (now!.inapplicable > before!.inapplicable || now!.holds < before!.holds)
      return { verdict: 'undecided', reason: whyOpen(report) };
    const same = results === of.results;
    if (same && (await this.depends(probes, of)) === false)
      return { verdict: 'equivalent', reason: MASKED };
    return { verdict: 'survived', reason: same ? SAME : 'other results' };
  }

  /** Do results depend on what the probes change? Null without probes. */
  private async depends(probes: readonly string[], of: Baseline): Promise<boolean | null> {
    if (probes.length === 0) return null;
    for (const probe of probes) {
      const { report, results, compileError, stopped } = await this.prove(probe);
      if (compileError !== null || stopped || exitCode(report) === 1) return true;
      if (results !== of.results) return true;
    }
    return false;
  }

  private async prove(text: string): Promise<Proved> {
    const all: ProgramEvent[] = [];
    const results: string[] = [];
    let stopped = false;
    const runs = await runForProof(FILE, 'interpreter', async ({ options, adapter }) => {
      const events: ProgramEvent[] = [];
      this.launches = [];
      this.deadline = performance.now() + LIMIT;
      this.used = process.cpuUsage();
      const settings = { adapter, maxBytes: null, check: false, seed: 0, ...options };
      await this.runner.run({ [FILE]: text }, FILE, settings, (event) => events.push(event));
      // As between two runs of the page: what a run changed beyond its own settings ends the judge.
      const left = this.runner.tidy();
      if (left.length > 0) throw new Error(`a run left ${left.join(', ')} behind`);
      stopped ||= this.isOver();
      if (!options.ring) all.push(...events);
      else
        for (const event of events)
          if (event.type === 'comparison') results.push(...(event.ring?.digests ?? []));
      return { events, launches: this.launches, interrupted: stopped };
    });
    const report = 'version' in runs ? runs : reportOf(runs, this.compiler, () => {});
    return {
      report,
      ir: this.irOf(all),
      results: results.join(),
      compileError: compileErrorOf(all),
      stopped,
    };
  }

  /** The IR of all kernels that a run compiled, as the proofs see it. */
  private irOf(events: readonly ProgramEvent[]): string {
    const texts = new Set<string>();
    for (const event of events)
      if (event.type === 'compile')
        this.compiler.optimize(event.request, {}, (record, func) => {
          if (record.name === PROOF_PASS) texts.add(printIr(func));
        });
    return [...texts].join('\n');
  }
}

function compileErrorOf(events: readonly ProgramEvent[]): string | null {
  for (const event of events) {
    const found = event.type === 'compile' ? event.diagnostics : [];
    const error = found.find(({ severity }) => severity === 'error');
    if (error) return error.message;
    // A kernel that does not compile; the runtime's own faults begin with HC80.
    if (event.type !== 'diagnostic' || event.diagnostic.severity !== 'error') continue;
    if (/^HC0[1-5]/.test(event.diagnostic.code)) return event.diagnostic.message;
  }
  return null;
}

function whyFailed({ sections, errors }: ProofReport): string {
  const finding = sections.flatMap((section) =>
    section.findings
      .filter(({ verdict }) => verdict === 'fails')
      .map(({ message }) => `${section.check}: ${message}`),
  )[0];
  return finding ?? `error: ${errors[0]?.message ?? ''}`;
}
function whyOpen({ sections }: ProofReport): string {
  const open = sections
    .flatMap(({ findings }) => findings)
    .filter(({ verdict }) => verdict === 'inapplicable');
  return open.map(({ message, notes = [] }) => [message, ...notes].join('; ')).join(' | ');
}
