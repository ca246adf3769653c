/**
 * Vitest's reporter for `scripts/test.ts`: counts results and keeps the list of what runs, in a
 * file that is whole at any moment. So a group of tests that does not end is reported with the
 * tests that ran, and a worker that does not exit after its last test takes no result with it.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { Reporter, TestCase, TestModule, TestSpecification } from 'vitest/node';

/** The variable that names the file: vitest gives reporters no options on the command line. */
export const COUNT_FILE = 'HIPPOCAMP_TEST_COUNT';

export interface TestCount {
  passed: number;
  failed: number;
  skipped: number;
  /** Test files that have not ended. */
  open: number;
  running: readonly string[];
  /** Seconds by test file, with its imports and set-up. */
  seconds: Readonly<Record<string, number>>;
}

export default class CountReporter implements Reporter {
  private readonly count = { passed: 0, failed: 0, skipped: 0, open: 0 };
  private readonly running = new Set<string>();
  private readonly seconds: Record<string, number> = {};

  onTestRunStart(files: readonly TestSpecification[]): void {
    this.count.open = files.length;
    this.write();
  }
  // Not when it starts: a test that never yields does not even report that.
  onTestModuleQueued(module: TestModule): void {
    this.running.add(name(module));
    this.write();
  }
  onTestModuleEnd(module: TestModule): void {
    this.running.delete(name(module));
    this.count.open--;
    const { duration, collectDuration, setupDuration } = module.diagnostic();
    this.seconds[name(module)] = (duration + collectDuration + setupDuration) / 1000;
    // A file that failed to load has no tests of its own, so it counts as one.
    const tests = [...module.children.allTests()].length;
    if (module.state() === 'failed' && tests === 0) this.count.failed++;
    this.write();
  }
  onTestCaseReady(test: TestCase): void {
    this.running.add(`${name(test.module)} > ${test.fullName}`);
    this.write();
  }
  onTestCaseResult(test: TestCase): void {
    this.running.delete(`${name(test.module)} > ${test.fullName}`);
    const { state } = test.result();
    if (state !== 'pending') this.count[state]++;
  }

  private write(): void {
    const file = process.env[COUNT_FILE];
    if (!file) return;
    const count: TestCount = {
      ...this.count,
      running: [...this.running],
      seconds: this.seconds,
    };
    writeFileSync(`${file}.new`, JSON.stringify(count));
    renameSync(`${file}.new`, file);
  }
}

function name({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}
