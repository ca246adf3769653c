/**
 * A program of the headless runner as an attacker writes it: what it tries of files, processes,
 * the network and the environment, and what it sends to the process that watches it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ProgramEvent } from '../events';

const COMMAND = join(import.meta.dirname, 'hippocamp.mjs');
const SECRET = 'a-token-of-the-server';

let folder: string;
let host: string;
const arrived: string[] = [];
const server = createServer((request, response) => {
  arrived.push(request.url ?? '');
  response.end();
});
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hippocamp-walls-'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeFileSync(join(folder, 'secret.txt'), SECRET);
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

async function run(text: string, ...more: string[]) {
  return runBy(COMMAND, text, ...more);
}
async function runBy(command: string, text: string, ...more: string[]) {
  const file = join(folder, 'main.py');
  writeFileSync(file, text);
  const args = [command, 'run', file, '--json', '--adapter', 'interpreter', ...more];
  const env = { ...process.env, HOSTED_TOKEN: SECRET };
  const child = spawn(process.execPath, args, { cwd: folder, env });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (data: Buffer) => chunks.push(data));
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  const out = Buffer.concat(chunks).toString();
  const report = JSON.parse(out) as { events: ProgramEvent[]; outcome: string };
  const printed = report.events.map((event) => (event.type === 'print' ? event.text : '')).join('');
  return { code, out, printed, ...report };
}

const ATTEMPTS = `
import os

def attempt(name, way):
    try:
        found = way()
        print("came through:", name, str(found)[:80])
    except BaseException as error:
        print("refused:", name, type(error).__name__)

def read(path):
    with open(path, "rb") as file:
        return file.read(100)
`;

/** Each by itself, in Python's words; none may come through. */
const WAYS: Readonly<Record<string, string>> = {
  'an absolute path': 'read("@FOLDER@/secret.txt")',
  'the folder of the program': 'read("secret.txt")',
  'a path that climbs': 'read("../../../../../../etc/passwd")',
  'a path through /program': 'read("/program/../../etc/passwd")',
  'a link that it makes': '(os.symlink("/etc/passwd", "/tmp/link"), read("/tmp/link"))',
  '/proc/self/environ': 'read("/proc/self/environ")',
  '/proc/1/cmdline': 'read("/proc/1/cmdline")',
  '/dev/tty': 'read("/dev/tty")',
  'a list of /etc': 'os.listdir("/etc")',
  subprocess: '__import__("subprocess").run(["id"])',
  popen: 'os.popen("id").read()',
  fork: 'os.fork()',
  exec: 'os.execv("/bin/sh", ["sh", "-c", "id"])',
  'kill of the parent': 'os.kill(os.getppid(), 9)',
  'a socket': '__import__("socket").create_connection(("127.0.0.1", @PORT@), timeout=1)',
  urllib: '__import__("urllib.request").request.urlopen("http://@HOST@/urllib", timeout=1)',
  open_url: '__import__("pyodide.http").http.open_url("http://@HOST@/open_url")',
  'js.fetch': '__import__("js").fetch("http://@HOST@/fetch")',
  'js.WebSocket': '__import__("js").WebSocket.new("ws://@HOST@/socket")',
  'js.EventSource': '__import__("js").EventSource.new("http://@HOST@/events")',
  'js.process': '__import__("js").process.env.HOSTED_TOKEN',
  'globalThis.process': '__import__("js").globalThis.process.pid',
  'js.require': '__import__("js").require("fs")',
  'js.Worker': '__import__("js").Worker.new("data:text/javascript,0")',
  'js.eval': '__import__("js").eval("process.env")',
  run_js: '__import__("pyodide.code").code.run_js("process.env")',
  'new Function': '__import__("js").Function.new("return process")()',
  'a constructor': '__import__("js").Object.constructor("return process")()',
  'a mount of the root': '__import__("pyodide_js").mountNodeFS("/all", "/")',
  'a mount of the folder': '__import__("pyodide_js").mountNodeFS("/own", "@FOLDER@")',
  'a library': '__import__("pyodide_js")._module.loadDynamicLibrary("/etc/hosts")',
};

it('reaches no file, process, connection or secret of the machine', async () => {
  const filled = (way: string): string =>
    way
      .replaceAll('@FOLDER@', folder)
      .replaceAll('@HOST@', host)
      .replaceAll('@PORT@', host.split(':')[1]!);
  const lines = Object.entries(WAYS).map(
    ([name, way]) => `attempt(${JSON.stringify(name)}, lambda: ${filled(way)})`,
  );
  const { printed, out } = await run(`${ATTEMPTS}\n${lines.join('\n')}\nprint("all tried")\n`);
  expect(printed).toContain('all tried');
  expect(printed.match(/came through: .*/g) ?? []).toEqual([]);
  expect(printed.match(/^refused: /gm)).toHaveLength(lines.length);
  expect(out).not.toContain(SECRET);
  expect(arrived).toEqual([]);
});

/** The C library's own way to a shell: nothing is run, and the program goes on. */
it.each([
  ['os.system', 'import os\nprint(os.waitstatus_to_exitcode(os.system("touch @FOLDER@/pwned")))'],
  [
    '`system` of the C library',
    'import ctypes\nprint(ctypes.CDLL(None).system(b"touch @FOLDER@/pwned") >> 8)',
  ],
])('starts no shell: %s', async (_, text) => {
  const { outcome, code, printed } = await run(text.replace('@FOLDER@', folder));
  expect([outcome, code, printed]).toEqual(['ok', 0, '127\n']);
  expect(() => readFileSync(join(folder, 'pwned'))).toThrow('ENOENT');
});

it('writes nothing beside its caches', async () => {
  // Hippocamp's own files can be read, so they can be mounted.
  const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'hippocamp');
  const kept = join(cache, 'kept.txt');
  writeFileSync(kept, 'as it was');
  const { printed } = await run(`${ATTEMPTS}
import pyodide_js
pyodide_js.mountNodeFS("/ours", "${cache}")

def write(name, mode):
    with open(f"/ours/{name}", mode) as file:
        file.write("x")

attempt("a new file", lambda: write("new.txt", "w"))
attempt("another text", lambda: write("kept.txt", "w"))
attempt("more text", lambda: write("kept.txt", "a"))
attempt("a name", lambda: os.rename("/ours/kept.txt", "/ours/new.txt"))
attempt("a removal", lambda: os.unlink("/ours/kept.txt"))
print("all tried")
`);
  expect(printed).toContain('all tried');
  // Whatever Python is answered, nothing has changed.
  expect(readFileSync(kept, 'utf8')).toBe('as it was');
  expect(() => readFileSync(join(cache, 'new.txt'))).toThrow('ENOENT');
  rmSync(kept);
});

it('carries no module along by a link, and leaves Node to who asks for it', async () => {
  symlinkSync('/etc/hostname', join(folder, 'stolen.py'));
  const linked = await run('import stolen\n');
  expect(linked.printed).toContain('ModuleNotFoundError');
  const open = await run('import js\nprint("own:", js.process.env.HOSTED_TOKEN)\n', '--allow-node');
  expect(open.printed).toContain(`own: ${SECRET}`);
});

/** With Node at hand a program sends the watcher what it likes; the report stays JSON. */
it('reports valid JSON whatever the program sends and prints', async () => {
  const { outcome, printed } = await run(
    `
from pyodide.code import run_js
run_js("""(() => {
  const print = { type: 'print', stream: 'stdout', text: 'x' };
  print.self = print;
  const large = { type: 'print', stream: 'stdout', text: 'y', size: 10n };
  for (const each of [{ type: 'events', events: [print, large, null, 7, [], {}] },
      { type: 'events', events: 5 }, { type: 'odd' }, { type: 'launch' }, 5, 'text', [], null])
    write(each);
  function write(message) {
    process.send(message);
    const bytes = process.getBuiltinModule('v8').serialize(message);
    const header = new Uint8Array(Uint32Array.of(bytes.length).buffer);
    for (const part of [header, bytes]) process.getBuiltinModule('fs').writeSync(4, part);
  }
})()""")
print("\\ud800 a lone surrogate", float("nan"), "\\0\\x1b[31m")
`,
    '--allow-node',
  );
  expect(outcome).toBe('ok');
  // Both that it sent: the channel takes no events.
  expect(printed).toMatch(/^an event of type print has no JSON[^]*an event of type print[^]*nan/);
  expect(printed.match(/has no JSON/g)).toHaveLength(2);
  expect(printed).toContain('a lone surrogate nan');
  const killed = await run(
    'import js\nprint("before", flush=True)\njs.process.kill(js.process.pid, "SIGKILL")\n',
    '--allow-node',
  );
  expect([killed.outcome, killed.code]).toEqual(['error', 1]);
  expect(killed.events.at(-1)).toMatchObject({ type: 'finished', outcome: 'error' });
});

it('reports what cannot be said in text: an exception that throws, and NaN', async () => {
  const { outcome, events } = await run(`
import torch
print(torch.allclose(torch.tensor([float("nan"), float("inf")]), torch.zeros(2)))

class Rude(Exception):
    def __str__(self):
        raise ValueError("in str")
    __repr__ = __str__

raise Rude
`);
  expect(outcome).toBe('error');
  expect(events.some((event) => event.type === 'comparison')).toBe(true);
  expect(events.some((event) => event.type === 'diagnostic')).toBe(true);
});

it('is called by a link to its folder, as npx does', async () => {
  const link = join(folder, 'node_modules');
  symlinkSync(join(import.meta.dirname, '..', '..'), link);
  const { code, printed } = await runBy(join(link, 'app', 'cli', 'hippocamp.mjs'), 'print(6 * 7)');
  expect(printed).toBe('42\n');
  expect(code).toBe(0);
});
