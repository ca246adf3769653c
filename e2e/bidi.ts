/**
 * Firefox by WebDriver BiDi, which it speaks by itself: a socket, and the few commands that a look
 * at the page takes. https://w3c.github.io/webdriver-bidi/
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The Firefox of HIPPOCAMP_FIREFOX, or the system's; null where there is none. */
export function findFirefox(): string | null {
  const named = process.env['HIPPOCAMP_FIREFOX'];
  const names = [...(named ? [named] : []), 'firefox', 'firefox-esr'];
  return names.find((name) => spawnSync(name, ['--version']).status === 0) ?? null;
}

export interface Firefox {
  readonly version: string;
  /** Errors that pages logged. */
  readonly errors: readonly string[];
  goto(address: string): Promise<void>;
  /** The value of an expression of the page's: a string, a number, a boolean, or undefined. */
  evaluate(expression: string): Promise<unknown>;
  /** Waits until the expression holds. */
  until(expression: string, milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

interface Message {
  readonly id?: number;
  readonly type?: string;
  readonly method?: string;
  readonly message?: string;
  readonly params?: { readonly level?: string; readonly text?: string };
  readonly result?: unknown;
}

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((done) => setTimeout(done, milliseconds));

export async function openFirefox(program: string, port = 9460): Promise<Firefox> {
  const profile = mkdtempSync(join(tmpdir(), 'hippocamp-firefox-'));
  writeFileSync(join(profile, 'user.js'), 'user_pref("app.update.enabled", false);\n');
  const args = ['--headless', '--no-remote', '--profile', profile];
  const child = spawn(program, [...args, '--remote-debugging-port', String(port)], {
    stdio: 'ignore',
    env: { ...process.env, HOME: profile },
  });
  const socket = await connect(`ws://127.0.0.1:${port}/session`).catch((error: unknown) => {
    child.kill();
    throw error;
  });
  const errors: string[] = [];
  const waiting = new Map<number, (message: Message) => void>();
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (message.id !== undefined) waiting.get(message.id)?.(message);
    else if (message.method === 'log.entryAdded' && message.params?.level === 'error')
      errors.push(message.params.text ?? '');
  };
  let count = 0;
  const send = async <T>(method: string, params: object): Promise<T> => {
    const id = ++count;
    const answer = await new Promise<Message>((resolve) => {
      waiting.set(id, resolve);
      socket.send(JSON.stringify({ id, method, params }));
    });
    waiting.delete(id);
    if (answer.type === 'error') throw new Error(`${method}: ${answer.message ?? 'failed'}`);
    return answer.result as T;
  };
  const { capabilities } = await send<{ capabilities: { browserVersion: string } }>('session.new', {
    capabilities: {},
  });
  await send('session.subscribe', { events: ['log.entryAdded'] });
  const { contexts } = await send<{ contexts: { context: string }[] }>(
    'browsingContext.getTree',
    {},
  );
  const context = contexts[0]!.context;
  await send('browsingContext.setViewport', { context, viewport: { width: 1440, height: 900 } });
  const evaluate = async (expression: string): Promise<unknown> => {
    const { result, exceptionDetails } = await send<{
      result?: { value?: unknown };
      exceptionDetails?: { text: string };
    }>('script.evaluate', { expression, target: { context }, awaitPromise: true });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return result?.value;
  };
  return {
    version: capabilities.browserVersion,
    errors,
    evaluate,
    goto: async (url) => {
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    until: async (expression, milliseconds) => {
      for (const end = Date.now() + milliseconds; Date.now() < end; await sleep(200))
        if ((await evaluate(`Boolean(${expression})`)) === true) return;
      throw new Error(`never in ${milliseconds} ms: ${expression}`);
    },
    close: async () => {
      socket.close();
      const gone = new Promise((done) => child.once('exit', done));
      child.kill();
      await gone;
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

/** It listens some seconds after it was started. */
async function connect(address: string): Promise<WebSocket> {
  for (let tries = 0; tries < 60; tries++) {
    const socket = new WebSocket(address);
    const opened = await new Promise<boolean>((done) => {
      socket.onopen = () => done(true);
      socket.onerror = () => done(false);
    });
    if (opened) return socket;
    await sleep(500);
  }
  throw new Error(`nobody listens at ${address}`);
}
