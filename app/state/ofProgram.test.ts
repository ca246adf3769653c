/**
 * State of one program is not seen from another, and every store that is not so is the page's own.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { goOnAs, show } from './document';
import { programInView, storeOfProgram } from './ofProgram';

const open = (id: string): void =>
  show({ id, name: id, entry: 'main.py', files: { 'main.py': '' }, origin: { kind: 'own' } }, null);

describe('a store of a program', () => {
  beforeEach(() => open('a'));
  const initial: { readonly count: number; readonly text: string } = { count: 0, text: '' };

  it('gives another program its own beginning, and the first one its state again', () => {
    const store = storeOfProgram(initial);
    store.setState({ count: 3 });
    open('b');
    expect(store.getState()).toEqual(initial);
    open('a');
    expect(store.getState()).toEqual({ count: 3, text: '' });
  });

  it('takes what comes late for the program that it belongs to', () => {
    const store = storeOfProgram(initial);
    const late = store.of(programInView());
    late.setState({ count: 1 });
    open('b');
    late.setState({ count: 2 });
    expect(store.getState().count).toBe(0);
    open('a');
    expect(store.getState().count).toBe(2);
  });

  it('forgets a program when another is written, and what comes for it then', () => {
    const store = storeOfProgram(initial);
    const late = store.of(programInView());
    late.setState({ count: 1 });
    open('b');
    store.setState({ count: 5 });
    late.setState({ count: 2 });
    expect(store.getState().count).toBe(5);
    open('a');
    expect(store.getState()).toEqual(initial);
  });

  it('keeps as many as its limit', () => {
    const store = storeOfProgram(initial, 2);
    for (const [count, id] of ['a', 'b', 'c'].entries()) {
      open(id);
      store.setState({ count: count + 1 });
    }
    const counts = ['a', 'b', 'c'].map((id) => {
      open(id);
      return store.getState().count;
    });
    expect(counts).toEqual([0, 2, 3]);
  });

  it('reports what is in view: writes there, and another program', () => {
    const store = storeOfProgram(initial);
    const heard = vi.fn();
    const end = store.subscribe(heard);
    store.setState({ count: 1 });
    const late = store.of(programInView());
    open('b');
    late.setState({ count: 2 });
    expect(heard.mock.calls.map(([state, old]) => [state.count, old.count])).toEqual([
      [1, 0],
      [0, 1],
    ]);
    end();
  });

  it('goes along with a copy that goes on from the program, which begins anew', () => {
    const store = storeOfProgram(initial);
    store.setState({ count: 7 });
    goOnAs('copy', 'a (copy)');
    expect(store.getState().count).toBe(7);
    open('a');
    expect(store.getState().count).toBe(0);
    open('copy');
    expect(store.getState().count).toBe(7);
  });
});

/** The page's own state, and why it is no program's. */
const PAGE: Readonly<Record<string, string>> = {
  'app/offline/page.ts': 'what is kept for visits without a network',
  'app/open/traceState.ts': 'the trace that was dropped last',
  'app/packages/store.ts': 'the packages that are kept',
  'app/programs/kept.ts': 'whether the database answers',
  'app/programs/notices.ts': 'one line about what was done last',
  'app/programs/programs.ts': 'the list of programs',
  'app/tutorials/progress.ts': 'by lesson',
  'app/panels/debugger/state.ts': 'expressions to watch in any program',
  'app/panels/timing/pinned.ts': 'by program, also after a reload',
  'app/panels/passes/state.ts': 'the pass in view; passes are the same for every program',
  'app/state/view.ts': 'panels, halves, dialogs',
  'app/state/settings.ts': 'settings, theme',
  'app/state/editorSettings.ts': 'settings',
  'app/state/proof.ts': 'which program is being proved: one at a time',
  'app/state/trials.ts': 'which program is being tried: one at a time',
  'app/state/route.ts': 'the address',
  'app/state/asIf.ts': 'the GPU to compile as if for, a setting',
  'app/state/compiler.ts': 'the download of the compiler',
  'app/state/session.ts': 'the worker, and which program it runs',
  'app/state/undoStack.ts': 'ways back, each to its own program',
  'app/state/document.ts': 'the program in view itself',
  'app/state/realTriton.ts': 'the connection',
};

it('leaves no other store that outlives its program', () => {
  const ROOT = join(import.meta.dirname, '..', '..');
  const files = readdirSync(join(ROOT, 'app'), { recursive: true, encoding: 'utf8' })
    .map((file) => `app/${file}`)
    .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));
  const makes = files.filter(
    (file) =>
      file !== 'app/state/ofProgram.ts' &&
      /import \{[^}]*\b(create|createStore)\b[^}]*\} from 'zustand/.test(
        readFileSync(join(ROOT, file), 'utf8'),
      ),
  );
  expect(makes.toSorted()).toEqual(Object.keys(PAGE).toSorted());
});
