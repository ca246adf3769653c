/**
 * Shared parts of the attack tests: another origin that records whatever arrives, a host that sends
 * no headers, and programs that are opened by their links.
 */
import { createServer } from 'node:http';
import type { Page } from 'playwright';
import { encode } from '../app/share/codec';
import { close, listen, staticHost, type Host } from './host';
import { output, runToEnd, tab } from './page';

/** Another origin, which lets everybody in. */
export async function away(): Promise<{
  readonly host: string;
  readonly arrived: readonly string[];
  close(): Promise<void>;
}> {
  const arrived: string[] = [];
  const server = createServer((request, response) => {
    arrived.push((request.url ?? '').slice(1));
    response.setHeader('Access-Control-Allow-Origin', '*');
    response.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    response.setHeader('Content-Type', 'text/javascript');
    response.end('0');
  });
  server.on('upgrade', (request, socket) => {
    arrived.push((request.url ?? '').slice(1));
    socket.destroy();
  });
  const host = await listen(server);
  return { host, arrived, close: () => close(server) };
}

/**
 * The build on a host that sends no header of ours, or those of the build's file `_headers`.
 * @param under path at which the build lies, with slashes around it.
 */
export const plainHost = (
  options: { readonly headers?: boolean; readonly folder?: string; readonly under?: string } = {},
): Promise<Host> => staticHost({ headers: false, ...options });

/** The link of a program, as somebody sends it. */
export function linkTo(address: string, name: string, text: string): string {
  return `${address}#/s/${encode({ name, entry: 'main.py', files: { 'main.py': text } })}`;
}

/** Prints of the run, also where a comparison has the page's attention. */
export async function printed(page: Page): Promise<string> {
  await tab(page, 'Output').click();
  return output(page).innerText();
}

/** Opens a program by its link in the page as it is, and runs it. @returns what it printed. */
export async function runLink(page: Page, name: string, text: string): Promise<string> {
  const { hash } = new URL(linkTo('http://localhost/', name, text));
  await page.evaluate((to) => void (location.hash = to), hash);
  await page.getByRole('button', { name: `Program: ${name}` }).waitFor();
  await runToEnd(page);
  return printed(page);
}
