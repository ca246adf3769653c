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
  it('takes compile', () => {
    expect(parseCommand(['compile', 'a.py', '--kernel', 'k', '--emit', 'passes'])).toEqual({
      kind: 'compile',
      file: 'a.py',
      kernel: 'k',
      emit: 'passes',
      target: 'baseline',
    });
    expect(parseCommand(['compile', 'a.py', '--target', 'apple-m1'])).toMatchObject({
      target: 'apple-m1',
    });
    expect(parseCommand(['compile', '--target', 'list'])).toEqual({ kind: 'targets' });
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
    [['run', 'a.py', '--target', 'h200'], /on the adapter at hand.*only be compiled/],
    [['compile', 'a.py', '--target', 'voodoo'], /baseline, apple-m1,.*h200.*mali.*not voodoo/],
    [['compile', 'a.py', '--check'], /compile has no option --check/],
    [['run', 'a.py', '--nonsense'], /nonsense/],
  ])('refuses %j', (args, message) => {
    const command = parseCommand(args);
    expect(command.kind).toBe('wrong');
    if (command.kind === 'wrong') expect(command.message).toMatch(message);
  });
});
