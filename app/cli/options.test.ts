/** The command line's words. */
import { describe, expect, it } from 'vitest';
import { parseCommand } from './options';

describe('parseCommand', () => {
  it('takes run with its options', () => {
    const args =
      'run a.py --json --adapter interpreter --timeout 2.5 --max-memory 2000 --max-bytes 1000 --seed 7 ' +
      '--chart-seconds 5 --tune-seconds 6';
    expect(parseCommand([...args.split(' '), '--check'])).toEqual({
      kind: 'run',
      file: 'a.py',
      json: true,
      adapter: 'interpreter',
      timeout: 2.5,
      maxMemory: 2000,
      maxBytes: 1000,
      chartSeconds: 5,
      tuneSeconds: 6,
      seed: 7,
      allowNode: false,
      check: true,
    });
  });
  it('leaves to the adapter what is not said', () => {
    expect(parseCommand(['run', 'a.py'])).toMatchObject({ maxBytes: null, chartSeconds: null });
  });
  it('takes check with a program or with a result, and run with verify', () => {
    expect(parseCommand(['check', 'a.py', '--against', 'p', '--seed', '3'])).toMatchObject({
      ...{ kind: 'check', file: 'a.py', against: 'p', seed: 3, result: null },
    });
    expect(parseCommand(['check', '--result', 'x', '--against', 'p'])).toMatchObject({
      ...{ file: null, seed: null, result: 'x' },
    });
    for (const wrong of [
      ['check', 'a.py'],
      ['check', 'a.py', '--result', 'x', '--against', 'p'],
      ['check', '--against', 'p'],
      ['check', 'a.py', '--against', 'p', '--allow-node'],
      ['run', 'a.py', '--verify-seed', '3'],
    ])
      expect(parseCommand(wrong).kind, wrong.join(' ')).toBe('wrong');
    expect(parseCommand(['run', 'a.py', '--verify'])).toMatchObject({
      verify: { seed: 0, report: null },
    });
  });
  it('takes bench', () => {
    const args = 'bench a.py --repeats 5 --rep 20 --csv t --against old.json';
    expect(parseCommand(args.split(' '))).toMatchObject({
      ...{ kind: 'bench', file: 'a.py', repeats: 5, rep: 20, warmup: null },
      ...{ csv: 't', against: 'old.json' },
    });
    for (const wrong of ['--repeats 0', '--repeats 1001', '--rep 0', '--check', '--warmup x'])
      expect(parseCommand(['bench', 'a.py', ...wrong.split(' ')]).kind, wrong).toBe('wrong');
  });
  it('names an option that no command has', () => {
    const message = 'there is no option --wat';
    expect(parseCommand(['compile', 'a.py', '--wat'])).toEqual({ kind: 'wrong', message });
  });
  it('takes compile', () => {
    expect(parseCommand(['compile', 'a.py', '--kernel', 'k', '--emit', 'passes'])).toEqual({
      kind: 'compile',
      file: 'a.py',
      kernel: 'k',
      emit: 'passes',
      target: 'baseline',
      json: false,
    });
    expect(parseCommand(['compile', 'a.py', '--target', 'apple-m1'])).toMatchObject({
      target: 'apple-m1',
    });
    expect(parseCommand(['compile', '--target', 'list'])).toEqual({ kind: 'targets' });
  });
  it('takes diff and mcp', () => {
    const json = true;
    expect(parseCommand(['diff', 'a.json', 'b.json', '--json'])).toEqual({
      kind: 'diff',
      before: 'a.json',
      after: 'b.json',
      json,
    });
    expect(parseCommand(['mcp'])).toEqual({ kind: 'mcp', http: null });
    expect(parseCommand(['mcp', '--http', '--port', '0'])).toEqual({
      kind: 'mcp',
      http: { port: 0, origin: null },
    });
  });
  it.each([
    [[], /say what to do/],
    [['walk', 'a.py'], /walk is not a command/],
    [['run'], /needs a Python file/],
    [['run', 'a.py', 'b.py'], /takes one file/],
    [['run', 'a.py', '--adapter', 'cuda'], /--adapter is webgpu or interpreter, not cuda/],
    [['run', 'a.py', '--timeout', '-1'], /./],
    [['run', 'a.py', '--timeout=0'], /positive/],
    [['run', 'a.py', '--emit', 'ir'], /run has no option --emit/],
    [['run', 'a.py', '--tune', '--adapter', 'interpreter'], /the interpreter has none/],
    [['run', 'a.py', '--target', 'h200'], /on the adapter at hand.*only be compiled/],
    [['compile', 'a.py', '--target', 'voodoo'], /baseline, apple-m1,.*h200.*mali.*not voodoo/],
    [['compile', 'a.py', '--check'], /compile has no option --check/],
    [['run', 'a.py', '--nonsense'], /nonsense/],
    [['prove', 'a.py', '--trace', 't'], /prove has no option --trace/],
    [['diff', 'a.json'], /two files/],
    [['mcp', 'a.py'], /takes no file/],
    [['mcp', '--port', '1'], /needs --http/],
    [['mcp', '--http', '--port', '65536'], /at most 65535/],
    [['mcp', '--http', '--allow-origin', 'localhost'], /is an origin/],
  ])('refuses %j', (args, message) => {
    const command = parseCommand(args);
    expect(command.kind).toBe('wrong');
    if (command.kind === 'wrong') expect(command.message).toMatch(message);
  });
});
