/**
 * Runs a program on a Jupyter server of the visitor's, under real Triton, and yields what it did as
 * the same events that a run in the browser gives (`app/events.ts`). Nothing is sent anywhere
 * before the visitor names a server. The protocol is Jupyter's own, by Jupyter's own client; the
 * recording is `recorder.py`, which goes along with the program.
 */
import type { Kernel, ServerConnection } from '@jupyterlab/services';
import type { ProgramEvent, ProgramFiles } from '../events';
import recorder from './recorder.py?raw';

const EVENT_MIME = 'application/vnd.hippocamp.event+json';

export interface JupyterServer {
  /** `http://localhost:8888/`, with the token in the query or apart. */
  readonly url: string;
  readonly token: string;
}

/**
 * A page's address as Jupyter prints it, taken apart. Throws a TypeError for what is no address.
 */
export function parseServer(text: string, token = ''): JupyterServer {
  const url = new URL(/^[a-z]+:\/\//i.test(text.trim()) ? text.trim() : `http://${text.trim()}`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new TypeError(`A Jupyter server has an http address, not ${url.protocol}//`);
  const own = url.searchParams.get('token');
  url.search = '';
  url.hash = '';
  // `http://host:8888/lab` and `/tree` are pages of the server.
  url.pathname = url.pathname.replace(/\/(lab|tree|notebooks)(\/.*)?$/, '/');
  if (!url.pathname.endsWith('/')) url.pathname += '/';
  return { url: url.href, token: token.trim() || (own ?? '') };
}

/** How to start a compatible server. `origin`: the page's. */
export function startCommand(origin: string): string {
  return `jupyter server --ServerApp.allow_origin='${origin}' --ServerApp.open_browser=False`;
}

export class JupyterError extends Error {
  override readonly name = 'JupyterError';
}

export interface JupyterRun {
  /** Settles when the program has ended, or the connection is lost (a JupyterError). */
  readonly done: Promise<void>;
  stop(): Promise<void>;
}

/** A running Python on the server. One program at a time. */
export class JupyterPython {
  private constructor(private readonly kernel: Kernel.IKernelConnection) {}

  /** `kernelName`: as the server names it; its default where it is null. */
  static async connect(server: JupyterServer, kernelName: string | null = null) {
    const services = await import('@jupyterlab/services');
    const settings = services.ServerConnection.makeSettings({
      baseUrl: server.url,
      wsUrl: server.url.replace(/^http/, 'ws'),
      token: server.token,
      // A browser cannot set a header on a WebSocket.
      appendToken: true,
      init: { mode: 'cors', credentials: 'omit', cache: 'no-store' },
    } satisfies Partial<ServerConnection.ISettings>);
    await explained(server, async () => {
      const status = `${server.url}api/status`;
      const response = await services.ServerConnection.makeRequest(status, {}, settings);
      if (!response.ok) throw new JupyterError(refusal(server, response.status));
    });
    const model = await services.KernelAPI.startNew(
      kernelName ? { name: kernelName } : {},
      settings,
    );
    return new JupyterPython(new services.KernelConnection({ model, serverSettings: settings }));
  }

  run(
    files: ProgramFiles,
    main: string,
    seed: number,
    onEvent: (event: ProgramEvent) => void,
  ): JupyterRun {
    const call = [files, main, seed, EVENT_MIME].map((value) => pythonLiteral(value)).join(', ');
    const future = this.kernel.requestExecute({
      code: `${recorder}\n_hippocamp_run(${call})\n`,
      store_history: false,
      silent: false,
      stop_on_error: true,
    });
    let finished = false;
    future.onIOPub = (message) => {
      const content = message.content as {
        data?: Record<string, unknown>;
        name?: string;
        text?: string;
        ename?: string;
        evalue?: string;
      };
      const type = message.header.msg_type;
      if (type === 'display_data' && content.data?.[EVENT_MIME]) {
        const event = content.data[EVENT_MIME] as ProgramEvent;
        finished ||= event.type === 'finished';
        onEvent(event);
      } else if (type === 'stream') {
        // Written past Python's own streams: by a child process, or while the program loads.
        const stream = content.name === 'stderr' ? 'stderr' : 'stdout';
        onEvent({ type: 'print', stream, text: content.text ?? '' });
      }
    };
    const done = new Promise<void>((resolve, reject) => {
      const lost = (_: unknown, status: Kernel.Status) => {
        if (status !== 'dead' && status !== 'autorestarting' && status !== 'restarting') return;
        reject(new JupyterError('Python on the server ended: its process is gone.'));
      };
      this.kernel.statusChanged.connect(lost);
      future.done.then((reply) => {
        this.kernel.statusChanged.disconnect(lost);
        if (finished) return resolve();
        const said = reply.content.status === 'error' ? `: ${reply.content.evalue}` : '';
        reject(new JupyterError(`The program was not recorded to its end${said}.`));
      }, reject);
    });
    return { done, stop: () => this.kernel.interrupt() };
  }

  async close(): Promise<void> {
    try {
      await this.kernel.shutdown();
    } finally {
      this.kernel.dispose();
    }
  }
}

/** JSON inside a Python string: whatever the text holds, it stays data. */
function pythonLiteral(value: unknown): string {
  return `__import__('json').loads(${JSON.stringify(JSON.stringify(value))})`;
}

async function explained<T>(server: JupyterServer, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof JupyterError) throw error;
    throw new JupyterError(
      `No Jupyter server answers this page at ${server.url}. Either none runs there, or it does not ` +
        'allow this page: it has to be started with --ServerApp.allow_origin set to the page’s address.',
      { cause: error },
    );
  }
}

function refusal(server: JupyterServer, status: number): string {
  if (status === 401 || status === 403)
    return `The Jupyter server at ${server.url} refuses the token. It prints the right one when it starts.`;
  return `The Jupyter server at ${server.url} answers ${status}.`;
}
