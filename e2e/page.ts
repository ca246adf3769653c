/**
 * A real Chromium over the production build, on the SwiftShader adapter that Chromium carries.
 * Every test that runs on the GPU asserts the adapter's own description: a page that fell back to
 * the interpreter must not pass for one that used WebGPU.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright';
import { findChromium } from '../scripts/chromium';
import { DIST, staticHost } from './host';

export const GPU_FLAGS = ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'];
/** Loading Python on two busy cores. */
export const READY = 90_000;
/** Any other step: a page that loads its editor beside others takes half a minute there. */
export const STEP = 60_000;
/** A test that bounds times gets two more attempts: its machine may be busy. */
export const TIMED = { retry: 2 };
const FIRST_EXAMPLE = 'vector_add.py';

export interface Site {
  readonly address: string;
  readonly browser: Browser;
  /** Paths of all requests to the host, in order. */
  readonly requested: readonly string[];
  close(): Promise<void>;
}

interface SiteOptions {
  /** With an adapter or without. */
  readonly gpu: boolean;
  /** Whether the host compresses text, which takes the time of the test's own machine. */
  readonly gzip?: boolean;
  /**
   * Whether the browser is for this site alone: where its GPU process is kept busy or ends, no
   * later file of tests finds it so.
   */
  readonly ownBrowser?: boolean;
  /** More arguments of a browser of its own. */
  readonly flags?: readonly string[];
}

/**
 * Browsers that files of tests share, with an adapter and without. One starts with the first file
 * that needs it and ends with the process.
 */
const shared = new Map<boolean, Promise<Browser>>();
const running = new Set<Browser>();

/** Pages that tests have not closed: after one that failed, those that it had. */
export const openPages = (): Page[] =>
  [...running].flatMap((browser) => browser.contexts().flatMap((context) => context.pages()));

async function startBrowser(gpu: boolean, flags: readonly string[] = []): Promise<Browser> {
  const found = findChromium();
  if (!found) throw new Error('No Chromium found: set HIPPOCAMP_CHROMIUM to one.');
  const browser = await chromium.launch({
    executablePath: found.path,
    args: ['--no-sandbox', ...(gpu ? GPU_FLAGS : []), ...flags],
  });
  running.add(browser);
  browser.on('disconnected', () => running.delete(browser));
  // No test but those of the offline page has 40 MB kept beside it; and what a service worker
  // answers, no route of a test sees.
  const open = browser.newContext.bind(browser);
  browser.newContext = (given) => open({ serviceWorkers: 'block', ...given });
  return browser;
}

async function sharedBrowser(gpu: boolean): Promise<Browser> {
  const earlier = await shared.get(gpu)?.catch(() => null);
  if (earlier?.isConnected()) return earlier;
  const started = startBrowser(gpu);
  shared.set(gpu, started);
  return started;
}

/** Serves the build, with the headers that it names for hosts, and has a browser for it. */
export async function openSite(options: SiteOptions): Promise<Site> {
  const { gpu, gzip = false, ownBrowser = false, flags } = options;
  if (!existsSync(join(DIST, 'index.html')))
    throw new Error(`There is no build in ${DIST}: run \`npm run build\` first.`);
  const host = await staticHost({ headers: true, gzip });
  const browser = await (ownBrowser ? startBrowser(gpu, flags) : sharedBrowser(gpu));
  return {
    address: host.address,
    browser,
    requested: host.requested,
    async close() {
      if (ownBrowser) await browser.close();
      // Tests that failed left some.
      else await Promise.all(browser.contexts().map((context) => context.close()));
      await host.close();
    },
  };
}

/**
 * A fresh visitor's page. `text` stands in the editor as an edit kept from an earlier visit, which
 * is how the page itself keeps text. Uncaught errors of the page fail the test that awaits
 * `errors`.
 */
export async function visit(
  site: Site,
  options: BrowserContextOptions & {
    readonly text?: string;
    readonly hints?: boolean;
    /** Before the page is opened. */
    readonly prepare?: (context: BrowserContext) => Promise<void>;
  } = {},
): Promise<{ page: Page; errors: string[] }> {
  const { text, hints = false, prepare, ...contextOptions } = options;
  const context = await site.browser.newContext({
    viewport: { width: 1440, height: 900 },
    ...contextOptions,
  });
  // Tests find lines of the editor by their text, which inline tile shapes interrupt.
  if (!hints)
    await context.addInitScript(() => {
      // A page without an origin has no storage.
      if (self.origin !== 'null' && localStorage.getItem('hippocamp:editor') === null)
        localStorage.setItem('hippocamp:editor', '{"inlayHints":false}');
    });
  if (text !== undefined)
    await context.addInitScript(
      ([file, content]) => {
        if (localStorage.getItem('hippocamp:current') !== null) return;
        localStorage.setItem('hippocamp:current', file);
        localStorage.setItem(`hippocamp:text:${file}`, content);
      },
      [FIRST_EXAMPLE, text] as const,
    );
  context.setDefaultTimeout(STEP);
  await prepare?.(context);
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(site.address);
  return { page, errors };
}

/** Puts code in front of the scripts that match, those of workers too. */
export async function prefixScripts(
  context: BrowserContext,
  pattern: string,
  code: string,
): Promise<void> {
  await context.route(pattern, async (route) => {
    try {
      // The host may close a connection that was idle just as it is used again.
      const response = await route.fetch({ maxRetries: 3 });
      await route.fulfill({ response, body: `${code}\n${await response.text()}` });
    } catch (error) {
      // A worker that starts anew may still ask for its script when the test is over.
      if (!/disposed|has been closed/.test(String(error))) throw error;
    }
  });
}

/**
 * Waits until an expression holds in the page. Not `waitForFunction` of a text: it evaluates the
 * text in the page, whose Content-Security-Policy forbids that.
 */
export async function until(page: Page, expression: string): Promise<void> {
  const end = Date.now() + STEP;
  // A page that is loading anew has nothing to ask.
  while (!(await page.evaluate(expression).catch(() => false))) {
    if (Date.now() > end) throw new Error(`never: ${expression}`);
    await page.waitForTimeout(50);
  }
}

export const status = (page: Page) => page.locator('[role=status][data-phase]');
export const tab = (page: Page, name: string) =>
  page.getByRole('tab', { name: new RegExp(`^${name}`) });
export const output = (page: Page) => page.getByRole('list', { name: 'Output of the program' });

export async function ready(page: Page): Promise<void> {
  await page.locator('[role=status][data-phase=ready]').waitFor({ timeout: READY });
}

/** Starts a run and waits until it has ended; it may be over at once. */
export async function toEnd(page: Page, start: () => Promise<void>): Promise<void> {
  const before = (await status(page).getAttribute('data-ended')) ?? '0';
  await start();
  await page.waitForFunction(
    (last) => {
      const { phase, ended } = document.querySelector<HTMLElement>('[role=status]')?.dataset ?? {};
      return phase === 'ready' && ended !== undefined && Number(ended) > Number(last);
    },
    before,
    { timeout: READY },
  );
}

/** Presses Run and waits until that run has ended. */
export async function runToEnd(page: Page): Promise<void> {
  await toEnd(page, () => page.getByRole('button', { name: 'Run', exact: false }).first().click());
}

/** A program that has run, with a panel in view. */
export async function ranWith(
  site: Site,
  text: string,
  panel: string,
): Promise<{ page: Page; errors: string[] }> {
  const visited = await visit(site, { text });
  const { page } = visited;
  await tab(page, panel).click();
  await ready(page);
  await runToEnd(page);
  await tab(page, panel).click();
  return visited;
}
/** The first table within, its cells apart by single blanks. */
export const tableText = async (page: Page, within: string): Promise<string> =>
  (await page.locator(`${within} table`).first().innerText()).replace(/[ \t]+/g, ' ');

/** Monaco draws the lines in view only; joined, with its no-break spaces undone. */
export async function codeIn(page: Page, within: string): Promise<string> {
  const lines = await page.locator(`${within} .view-line`).allInnerTexts();
  return lines.join('\n').replaceAll('\u00a0', ' ');
}

/** A program with one kernel: `factor` 1 is right, anything else fails its comparison. */
export const doubling = (factor: number): string => `
import torch
import triton
import triton.language as tl


@triton.jit
def double(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    x = tl.load(x_ptr + offsets, mask=mask)
    tl.store(out_ptr + offsets, x * 2.0 * ${factor}, mask=mask)


torch.manual_seed(0)
x = torch.rand(5000, device="cuda")
out = torch.empty_like(x)
double[(triton.cdiv(5000, 256),)](x, out, 5000, BLOCK=256)
print("first:", float(out[0]) == float(x[0]) * 2)
print("close:", torch.allclose(out, x * 2))
`;

/** Text of the first example in this browser: the later of its draft and the stored program. */
export function keptText(page: Page): Promise<string | null> {
  return page.evaluate(async (file) => {
    interface Kept {
      readonly files: Readonly<Record<string, string>>;
      readonly updated: number;
    }
    const id = `example:${file}`;
    const draft = JSON.parse(
      localStorage.getItem(`hippocamp:draft:${id}`) ?? 'null',
    ) as Kept | null;
    // To open a database that is not there would make an empty one.
    const known = await indexedDB.databases();
    const stored = await new Promise<Kept | undefined>((resolve) => {
      if (!known.some(({ name }) => name === 'hippocamp-programs')) return resolve(undefined);
      const opening = indexedDB.open('hippocamp-programs');
      opening.onerror = () => resolve(undefined);
      opening.onsuccess = () => {
        const db = opening.result;
        const reading = db.transaction('programs').objectStore('programs').get(id);
        reading.onsuccess = () => {
          db.close();
          resolve(reading.result as Kept | undefined);
        };
        reading.onerror = () => {
          db.close();
          resolve(undefined);
        };
      };
    });
    const latest = draft && draft.updated >= (stored?.updated ?? 0) ? draft : stored;
    return latest?.files[file] ?? null;
  }, FIRST_EXAMPLE);
}

/** Replaces the program by pasting: the editor indents what is typed. */
export async function replaceProgram(page: Page, text: string): Promise<void> {
  await page.locator('.editor textarea, .editor .native-edit-context').first().focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', pasted);
    const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
    document.activeElement!.dispatchEvent(event);
  }, text);
}

/** Makes the first line of the program this one. */
export async function replaceFirstLine(page: Page, text: string): Promise<void> {
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.insertText(text);
}

/** Takes JSPI from the worker of programs. */
export const withoutJspi = (context: BrowserContext): Promise<void> =>
  prefixScripts(
    context,
    '**/assets/programWorker-*.js',
    'delete WebAssembly.Suspending; delete WebAssembly.promising;',
  );
