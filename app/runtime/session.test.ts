/** The bridge to Python: what its methods answer before, in and after a run. */
import { expect, it } from 'vitest';
import type { ProgramEvent, RunOptions } from '../events';
import type { LaunchResponse } from '../workers/bridge';
import { RuntimeFault } from './errors';
import type { Engine } from './engine';
import { InterpreterEngine } from './interpreterEngine';
import { Session } from './session';
import { ADD_SPECS, addKernel, fakeCompiler, launch } from './testing';
import { BASELINE_TARGET } from '../../compiler/target';

const OPTIONS: RunOptions = { adapter: 'webgpu', maxBytes: 1024, check: false, seed: 0 };

async function open(engine: Partial<Engine> = {}) {
  const released: number[] = [];
  const session = new Session({
    compiler: fakeCompiler({ add: addKernel }),
    openEngine: () =>
      Promise.resolve({
        info: { kind: 'webgpu', name: 'none', vendor: '', architecture: '', reason: null },
        target: BASELINE_TARGET,
        bindingLimit: 7,
        lost: null,
        prepare: () => {},
        launch: () => {},
        synchronize: () => {},
        release: ({ id }) => released.push(id),
        ...engine,
      } as Partial<Engine> as Engine),
  });
  const events: ProgramEvent[] = [];
  const begin = (): Promise<Engine> => session.begin(OPTIONS, (event) => events.push(event));
  return { session, events, released, begin };
}
async function add(session: Session): Promise<LaunchResponse> {
  const ids = [0, 1, 2].map(() => session.storage_create(64));
  return launch(session, 'add', ADD_SPECS, [...ids, '16'], [1, 1, 1]);
}

it('refuses to launch before a run, and keeps what is reported then from everybody', async () => {
  const { session, events, begin } = await open();
  session.emit('{"type":"print","stream":"stdout","text":"early"}');
  expect(() => session.environment()).toThrow('no program is running');
  expect(JSON.parse(await session.launch('{}'))).toMatchObject({ ok: false, kind: 'RuntimeError' });
  await begin();
  expect(events).toEqual([]);
});

it('answers at once where the engine does, since Python may have no way to wait', async () => {
  const session = new Session({
    compiler: fakeCompiler({ add: addKernel }),
    openEngine: (_, events) => Promise.resolve(new InterpreterEngine(null, events)),
  });
  await session.begin(OPTIONS, () => {});
  session.bench_mark(true);
  session.bench_begin();
  expect(session.bench_end(100, false, 0)).toBe('{"clock":"cpu"}');
  expect(session.synchronize()).toBe('');
  expect(session.tuned('0'.repeat(64))).toBe('');
});

it('gives the memory of a run back, and starts the next from nothing', async () => {
  const { session, events, released, begin } = await open();
  await begin();
  session.bench_mark(true);
  session.capture_prints(true);
  session.profile_slot(1);
  expect((await add(session)).ok).toBe(true);
  await session.end();
  expect(released).toEqual([1, 2, 3]);
  expect(() => session.storage_read(1)).toThrow('storage 1 was released');
  events.length = 0;
  await begin();
  expect((await add(session)).ok).toBe(true);
  expect(events.map(({ type }) => type)).toEqual(['compile', 'launch']);
  expect(events[1]).toMatchObject({ id: 1, benchmark: false });
  expect(session.profile_times()).toBe('[]');
  expect(session.capture_prints(false)).toBe('');
});

it('takes no launch of the run before for one of this run', async () => {
  const { session, begin } = await open();
  const prepared = async (): Promise<number> => {
    await begin();
    const answer = await add(session);
    return (answer.ok && answer.prepared) || 0;
  };
  const before = await prepared();
  await session.end();
  const now = await prepared();
  const ids = [0, 1, 2].map(() => session.storage_create(64));
  expect(session.relaunch(before, ...ids)).toBe('anew');
  expect(session.relaunch(now, ...ids)).toBe('');
});

it.each([
  ['MemoryError', 'OutOfMemoryError'],
  ['ValueError', 'RuntimeError'],
  ['IndexError', 'IndexError'],
] as const)(
  'answers a launch that fails with %s by the kind that Python raises',
  async (name, kind) => {
    const fault = new RuntimeFault(name, 'no');
    for (const failing of [
      (): void => {
        throw fault;
      },
      () => Promise.reject(fault),
    ]) {
      const { session, begin } = await open({ launch: failing });
      await begin();
      expect(await add(session)).toMatchObject({ ok: false, kind, message: 'no' });
    }
  },
);

it('lets pass what is no fault of the program', async () => {
  const { session, begin } = await open({
    launch: () => {
      throw new TypeError('a bug');
    },
  });
  await begin();
  await expect(add(session)).rejects.toThrow('a bug');
});

it('registers a program once', async () => {
  const { session } = await open();
  const text = '{"files":{},"functions":{},"entry":"k"}';
  expect(session.program_register(text)).toBe(0);
  expect(session.program_register(`${text} `)).toBe(1);
  expect(session.program_register(text)).toBe(0);
});

it('has no key of a schedule for Python, neither to read nor to write', async () => {
  const kept = new Map<string, string>();
  const store = {
    get: (key: string) => Promise.resolve(kept.get(key) ?? ''),
    set: (key: string, text: string) => void kept.set(key, text),
  };
  const session = new Session({
    compiler: fakeCompiler({ add: addKernel }),
    openEngine: () => Promise.reject(new Error('no engine')),
    tunings: store,
  });
  const [own, schedule] = ['0'.repeat(64), `schedule-${'0'.repeat(64)}`];
  const text = JSON.stringify({ times: {}, choices: null });
  session.remember_tuned(schedule, text);
  session.remember_tuned(own, text);
  expect([...kept.keys()]).toEqual([own]);
  kept.set(schedule, text);
  expect([session.tuned(schedule), await session.tuned(own)]).toEqual(['', text]);
});

/** An engine whose device can be lost, and one in its place. */
async function losable(first: Partial<Engine>) {
  const lost = { why: null as string | null };
  const made = {
    ...first,
    get lost() {
      return lost.why;
    },
    unfinished: () => [],
    isLost: () => Promise.resolve(lost.why !== null),
  };
  let opened = 0;
  const session = new Session({
    compiler: fakeCompiler({ add: addKernel }),
    openEngine: () => {
      const common: Partial<Engine> = {
        info: { kind: 'webgpu', name: 'none', vendor: '', architecture: '', reason: null },
        target: BASELINE_TARGET,
        bindingLimit: 7,
        prepare: () => {},
        launch: () => {},
        synchronize: () => {},
        read: () => {},
        release: () => {},
        benchBegin: () => {},
        benchEnd: () => null,
      };
      const own = opened++ === 0 ? made : { lost: null, unfinished: () => [] };
      return Promise.resolve(
        Object.defineProperties(common, Object.getOwnPropertyDescriptors(own)) as Engine,
      );
    },
  });
  await session.begin(OPTIONS, () => {});
  const lose = (): void => void (lost.why = 'a reset');
  return { session, lose, opened: () => opened };
}
const aborted = (lose: () => void) => () => {
  lose();
  return Promise.reject(new DOMException('the map was aborted', 'AbortError'));
};

it('reports whatever fails because the device is gone as its loss', async () => {
  let lose = (): void => {};
  const fails = aborted(() => lose());
  for (const [failing, act] of [
    [{ launch: fails }, (session: Session) => add(session)],
    [{ prepare: fails }, (session: Session) => add(session)],
    [{ synchronize: fails }, (session: Session) => session.synchronize()],
    [{ benchEnd: fails }, (session: Session) => session.bench_end(1, false, 0)],
    [{ read: fails }, (session: Session) => session.storage_read(session.storage_create(64))],
    [{ synchronize: fails }, (session: Session) => session.end()],
  ] as const) {
    const { session, lose: loses, opened } = await losable(failing as Partial<Engine>);
    lose = loses;
    const said = await Promise.resolve(act(session)).then(
      (answer) => JSON.stringify(answer),
      (error: unknown) => String(error),
    );
    expect(said).toContain('The GPU device was lost while no launch ran: a reset.');
    expect(said).not.toContain('aborted');
    expect(opened()).toBe(2);
  }
});

it('goes on where a device is lost, and nothing with it', async () => {
  const { session, lose, opened } = await losable({});
  lose();
  expect((await add(session)).ok).toBe(true);
  expect(opened()).toBe(2);
  const ids = [0, 1, 2].map(() => session.storage_create(64));
  expect(await session.synchronize()).toBe('');
  expect(await session.storage_read(ids[0]!)).toHaveLength(64);
  await session.end();
});
