/**
 * Second step of `npm run build`: Brotli and gzip forms of what compresses, beside each file, for
 * hosts that send such files as they lie (nginx, Caddy; docs/hosting.md). Hosts that compress by
 * themselves do it faster and worse at each request, or not at all for WebAssembly.
 *
 *   npm run build              Brotli's level 9
 *   npm run build -- --best    its level 11: a tenth smaller, at ten times the time
 */
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { filesIn } from './serviceWorker.ts';

/** Fonts, the standard library's archive and Python's memory are compressed already. */
const COMPRESSES = /\.(?:m?js|css|html|json|svg|txt|py|wasm|ttf)$/;
/** A smaller file travels in one packet anyway. */
const SMALLEST = 1024;
/** A form that saves less than this share is not worth its place. */
const SAVES = 0.05;

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

/** The forms of a file that are worth having, by the ending of their names. */
async function formsOf(content: Buffer, quality: number): Promise<Record<string, Buffer>> {
  if (content.length < SMALLEST) return {};
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  };
  const forms = { br: await brotli(content, { params }), gz: await zip(content, { level: 9 }) };
  const worth = Object.entries(forms).filter(
    ([, form]) => form.length < content.length * (1 - SAVES),
  );
  return Object.fromEntries(worth);
}

export interface Sizes {
  readonly files: number;
  readonly bytes: number;
  readonly brotli: number;
  readonly gzip: number;
}

/**
 * Writes the forms of a folder's files beside them.
 * @param quality of Brotli, up to 11.
 * @returns bytes of those files that have both.
 */
export async function precompress(folder: string, quality: number): Promise<Sizes> {
  const waiting = filesIn(folder).filter(
    (path) => COMPRESSES.test(path) && !path.startsWith('.vite/'),
  );
  const sizes = { files: 0, bytes: 0, brotli: 0, gzip: 0 };
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const file = join(folder, path);
      const content = await readFile(file);
      const forms = await formsOf(content, quality);
      for (const [ending, form] of Object.entries(forms))
        await writeFile(`${file}.${ending}`, form);
      if (!forms['br'] || !forms['gz']) continue;
      sizes.files++;
      sizes.bytes += content.length;
      sizes.brotli += forms['br'].length;
      sizes.gzip += forms['gz'].length;
    }
  };
  // zlib works in threads of its own, four at most.
  await Promise.all(Array.from({ length: Math.min(4, availableParallelism()) }, work));
  return sizes;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { best: { type: 'boolean', default: false } } });
  const folder = join(import.meta.dirname, '..', 'dist');
  const { files, bytes, brotli: br, gzip: gz } = await precompress(folder, values.best ? 11 : 9);
  const mega = (count: number): string => (count / 1e6).toFixed(1);
  console.log(
    `${files} files precompressed: ${mega(bytes)} MB are ${mega(br)} MB as Brotli, ${mega(gz)} MB as gzip`,
  );
}
