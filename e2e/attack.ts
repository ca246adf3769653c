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

/** A program that says `text` wherever a program can say something. */
export const saying = (text: string): string => `"""${text}"""
import sys
import warnings
import torch
import triton
import triton.language as tl

SAID = ${JSON.stringify(text)}


@triton.autotune(configs=[triton.Config({"BLOCK": 64, "SAY": SAID}), triton.Config({"BLOCK": 128, "SAY": SAID})], key=["n"])
@triton.jit
def kernel(x_ptr, out_ptr, n, SAY: tl.constexpr, BLOCK: tl.constexpr):
    """${text}"""
    # ${text}
    tl.static_print(SAY)
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + offsets, mask=offsets < n)  # ${text}
    tl.store(out_ptr + offsets, x * 2, mask=offsets < n)


@triton.jit
def printing(x_ptr):
    tl.device_print("${text.replaceAll('"', "'")}", tl.load(x_ptr))


x = torch.arange(256, device="cuda", dtype=torch.float32)
out = torch.empty_like(x)
kernel[lambda meta: (triton.cdiv(256, meta["BLOCK"]),)](x, out, 256)
printing[(1,)](x)
print(SAID)
print(SAID, file=sys.stderr)
warnings.warn(SAID)
globals()[SAID] = out
torch.allclose(globals()[SAID], x * 2)


@triton.testing.perf_report(triton.testing.Benchmark(
    x_names=[SAID], x_vals=[1, 2], line_arg="provider", line_vals=["a"], line_names=[SAID],
    plot_name=SAID, ylabel=SAID, xlabel=SAID, args={}))
def bench(provider, **sizes):
    return triton.testing.do_bench(lambda: out.copy_(x), warmup=1, rep=1)


bench.run(print_data=True)
raise ValueError(SAID)
`;
