/** Runs the benchmark's page in a Chromium that Playwright drives, over a server of a few files. */
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { PageRequest } from './page';
import type { Row } from './report';
import { threadTimes } from './threadTimes';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};

export interface BrowserRun {
  /** The repository's folder. */
  readonly root: string;
  readonly chromium: string;
  /** The page's script, bundled. */
  readonly script: string;
  readonly software: boolean;
  readonly request: PageRequest;
  readonly record: (row: Row) => void;
  readonly say: (text: string) => void;
}

/** @throws where a result is wrong, or the page breaks. */
export async function runInBrowser(run: BrowserRun): Promise<void> {
  const { root, script, request } = run;
  const folders: Readonly<Record<string, string>> = {
    '/ort/': join(root, 'node_modules', 'onnxruntime-web', 'dist'),
  };
  const server = createServer((asked, answer) => {
    const path = new URL(asked.url ?? '/', 'http://localhost').pathname;
    // Isolation gives the page finer clocks, and ONNX Runtime its memory.
    answer.setHeader('Cross-Origin-Opener-Policy', 'same-origin');
    answer.setHeader('Cross-Origin-Embedder-Policy', 'require-corp');
    if (path === '/') {
      answer.setHeader('Content-Type', 'text/html');
      answer.end(
        '<!doctype html><meta charset="utf-8"><script type="module" src="/page.js"></script>',
      );
      return;
    }
    const folder = Object.keys(folders).find((each) => path.startsWith(each));
    const name = folder ? path.slice(folder.length) : '';
    const file = path === '/page.js' ? script : folder ? join(folders[folder]!, name) : '';
    if (!/^[\w.-]*$/.test(name) || !existsSync(file) || !statSync(file).isFile()) {
      answer.statusCode = 404;
      answer.end();
      return;
    }
    answer.setHeader('Content-Type', TYPES[extname(file)] ?? 'application/octet-stream');
    createReadStream(file).pipe(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { chromium } = await import('playwright');
  const browser = await chromium.launch({
    executablePath: run.chromium,
    args: [
      '--no-sandbox',
      '--enable-unsafe-webgpu',
      ...(run.software ? ['--use-webgpu-adapter=swiftshader'] : ['--enable-features=Vulkan']),
    ],
  });
  try {
    const page = await browser.newPage();
    page.on('pageerror', (error) => run.say(`page: ${error.message}`));
    await page.exposeFunction('benchRow', (row: string) => run.record(JSON.parse(row) as Row));
    await page.exposeFunction('benchSay', (text: string) => run.say(text));
    const computing: number[] = [];
    const seconds = threadTimes();
    await page.exposeFunction('benchBusy', () => seconds(computing));
    await page.goto(`http://localhost:${(server.address() as AddressInfo).port}/`);
    await page.waitForFunction(() => typeof window.runBench === 'function');
    const session = await browser.newBrowserCDPSession();
    const { processInfo } = await session.send('SystemInfo.getProcessInfo');
    for (const { type, id } of processInfo)
      if (type === 'GPU' || type === 'renderer') computing.push(id);
    const failure = await page.evaluate((asked) => window.runBench(asked), request);
    if (failure !== '') throw new Error(failure);
  } finally {
    await browser.close();
    server.close();
  }
}
