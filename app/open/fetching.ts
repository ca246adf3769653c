/**
 * The only way to other hosts for what a visitor opens. A request goes to hosts that the visitor
 * granted by the click that named them, without cookies, without the page's address, and follows no
 * redirect; an answer is read up to a limit. Each failure is a sentence. Needs no page: the
 * headless runner opens addresses by it, too.
 */
import { joined } from '../deflated';
import { OpenFault } from './fault';

export interface Fetching {
  /** Granted hosts, with their ports. */
  readonly hosts: readonly string[];
  readonly signal: AbortSignal;
  /** Says what is being fetched. */
  readonly report: (text: string) => void;
}

/** Milliseconds without an answer, or more of one, until a host is given up. */
const PATIENCE = 30_000;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;

/** The file's name, as people see it. */
function lastPart(url: URL): string {
  const last = url.pathname.split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/**
 * @param most bytes of the answer.
 * @returns its bytes; null where the host has no such file.
 * @throws OpenFault
 */
export async function fetchBytes(
  address: string,
  most: number,
  { hosts, signal, report }: Fetching,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const url = new URL(address);
  if (!hosts.includes(url.host))
    throw new OpenFault(`${url.host} was not among the hosts that you allowed.`);
  report(lastPart(url));
  const patience = new AbortController();
  const late = patience.signal;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A large package of a slow line takes minutes, and comes all the while.
  const alive = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => patience.abort(), PATIENCE);
  };
  alive();
  try {
    const response = await fetch(url, {
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      redirect: 'manual',
      signal: AbortSignal.any([signal, late]),
    });
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400))
      throw new OpenFault(
        `${url.host} points to another address, which is not followed: the file or the repository has moved, or a login is needed. Open the address in a tab, and take the one that it leads to.`,
      );
    if (response.status === 404) return null;
    if (!response.ok) throw refusal(url.host, response);
    return await readUpTo(response, most, url, alive);
  } catch (error) {
    if (error instanceof OpenFault) throw error;
    if (signal.aborted) throw new OpenFault('Stopped.', 'wait');
    if (late.aborted) throw new OpenFault(`${url.host} did not answer in 30 seconds.`, 'wait');
    throw new OpenFault(
      `${url.host} could not be reached: there is no network, or the host does not let other pages read its files (CORS).`,
    );
  } finally {
    clearTimeout(timer);
  }
}

function refusal(host: string, { status, headers }: Response): OpenFault {
  const spent = headers.get('x-ratelimit-remaining') === '0';
  if (status === 429 || (status === 403 && (spent || host === 'api.github.com')))
    return new OpenFault(
      `${host} answers no more for now: it limits how much may be asked without an account (HTTP ${status}). A single file is fetched without that limit.`,
      'wait',
    );
  if (status === 401 || status === 403)
    return new OpenFault(
      `${host} refused it (HTTP ${status}): it is private, or opens only after a login, which this page does not have.`,
    );
  return new OpenFault(`${host} answered with HTTP ${status}.`, status >= 500 ? 'wait' : 'paste');
}

async function readUpTo(
  response: Response,
  most: number,
  url: URL,
  alive: () => void,
): Promise<Uint8Array<ArrayBuffer>> {
  const name = lastPart(url);
  const tooLong = (bytes: string): OpenFault =>
    new OpenFault(
      `${name} has ${bytes}; at most ${megabytes(most)} are read.${
        name.endsWith('.ipynb')
          ? ' Most of a large notebook is outputs: clear them (in Jupyter: Edit → Clear Outputs of All Cells), and save it.'
          : ''
      }`,
      'file',
    );
  // Bytes on the wire, where the host compresses: not more than there are unpacked.
  const announced = Number(response.headers.get('content-length') ?? 0);
  if (announced > most) {
    await response.body?.cancel();
    throw tooLong(megabytes(announced));
  }
  if (!response.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    alive();
    length += value.length;
    if (length > most) {
      await reader.cancel();
      throw tooLong(`more than ${megabytes(most)}`);
    }
    chunks.push(value);
  }
  return joined(chunks);
}
