import { beforeEach, describe, expect, it } from 'vitest';
import { GUESSED, type Diagnostic } from '../../compiler/diagnostics';
import type { CompileResult } from '../../compiler/program';
import { useCompilation } from './compilation';
import { show } from './document';
import { currentProblems, problemsOf } from './problems';
import { emptyRecord } from './record';
import { useRun } from './run';
import type { SpecializationOption } from './specializations';

const at = (line: number, message: string, column = 5, ...notes: string[]): Diagnostic => ({
  code: 'HC0202',
  severity: 'error',
  message,
  location: { file: 'a.py', line, column, endLine: line, endColumn: column + 4 },
  notes: notes.map((text) => ({ message: text })),
});
const says = (problems: readonly Diagnostic[]): string[] => problems.map(({ message }) => message);

describe('the list of problems', () => {
  it('has a mistake once, in the words of who knows best', () => {
    const real = [at(9, '[64, 32] and [64, 32]')];
    const guessed = [at(9, '[64, 64] and [64, 128]'), at(3, 'another')];
    expect(says(problemsOf([real, guessed]))).toEqual(['another', '[64, 32] and [64, 32]']);
  });
  it('keeps two mistakes of one line, and two that one source says of one place', () => {
    expect(says(problemsOf([[at(9, 'left')], [at(9, 'right', 20)]]))).toEqual(['left', 'right']);
    expect(says(problemsOf([[at(9, 'x'), at(9, 'y')], [at(9, 'x')]]))).toEqual(['x', 'y']);
    // Python reports the line alone.
    expect(problemsOf([[at(9, 'x', 1)], [at(9, 'x')]])).toHaveLength(1);
  });
});

describe('the problems of the program in view', () => {
  const open = (id: string): void =>
    show({ id, name: id, entry: 'a.py', files: { 'a.py': id }, origin: { kind: 'own' } }, null);
  const compiled = (key: string | null, diagnostics: readonly Diagnostic[]): void =>
    useCompilation.setState({
      inView: { kernel: 'k', key } as SpecializationOption,
      result: {
        kind: diagnostics.length > 0 ? 'failed' : 'compiled',
        diagnostics,
      } as unknown as Exclude<CompileResult, { kind: 'regroup' }>,
    });
  beforeEach(() => open('one'));

  it('are those of the specialization that ran, too', () => {
    useCompilation.setState({ diagnostics: [] });
    compiled('real', [at(9, 'shapes')]);
    expect(says(currentProblems())).toEqual(['shapes']);
    // The check of the text decides what is sure of a guess.
    compiled(null, [at(9, 'shapes')]);
    expect(currentProblems()).toEqual([]);
  });
  it('are not those of a guess where the real one compiles', () => {
    useCompilation.setState({ diagnostics: [at(3, 'types', 5, GUESSED), at(4, 'sure')] });
    compiled('real', []);
    expect(says(currentProblems())).toEqual(['sure']);
  });
  it('are the last run’s as long as the text is what ran, and never another program’s', () => {
    const ran = (text: string): void =>
      useRun.setState({ record: { ...emptyRecord(1, 0, text), diagnostics: [at(7, 'ran')] } });
    useCompilation.setState({ diagnostics: [], inView: null, result: null });
    ran('one');
    expect(says(currentProblems())).toEqual(['ran']);
    open('two');
    expect(currentProblems()).toEqual([]);
    open('one');
    expect(says(currentProblems())).toEqual(['ran']);
    ran('another text');
    expect(currentProblems()).toEqual([]);
  });
});
