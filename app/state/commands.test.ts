import { afterEach, describe, expect, it } from 'vitest';
import {
  availableCommands,
  commandFor,
  keyText,
  matchesKeys,
  registerCommands,
  type Command,
  type KeyPress,
} from './commands';

const press = (key: string, with_: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...with_,
});
const command = (id: string, keys: string[], more: Partial<Command> = {}): Command => ({
  id,
  title: id,
  group: 'Run',
  keys,
  run: () => {},
  ...more,
});

describe('keys', () => {
  it('match with exactly the modifiers that are written', () => {
    expect(matchesKeys('Mod+Enter', press('Enter', { ctrlKey: true }))).toBe(true);
    expect(matchesKeys('Mod+Enter', press('Enter', { metaKey: true }))).toBe(true);
    expect(matchesKeys('Mod+Enter', press('Enter'))).toBe(false);
    expect(matchesKeys('Mod+Enter', press('Enter', { ctrlKey: true, shiftKey: true }))).toBe(false);
    expect(matchesKeys('j', press('j', { altKey: true }))).toBe(false);
    expect(matchesKeys('j', press('J', { shiftKey: true }))).toBe(false);
  });

  it('go by the place of the key where letters and digits change', () => {
    expect(matchesKeys('Alt+2', press('™', { altKey: true, code: 'Digit2' }))).toBe(true);
    expect(matchesKeys('Mod+k', press('л', { ctrlKey: true, code: 'KeyK' }))).toBe(true);
    expect(matchesKeys('j', press('о', { code: 'KeyJ' }))).toBe(false);
    // ? is Shift and / on one keyboard, a key of its own on another.
    expect(matchesKeys('?', press('?', { shiftKey: true }))).toBe(true);
    expect(matchesKeys('?', press('?'))).toBe(true);
  });

  it('are written as the system writes them', () => {
    expect(keyText('Mod+k', true)).toBe('⌘K');
    expect(keyText('Mod+Shift+Enter', false)).toBe('Ctrl Shift Enter');
    expect(keyText('j', false)).toBe('j');
  });
});

describe('the registry', () => {
  let remove: (() => void)[] = [];
  afterEach(() => {
    for (const one of remove) one();
    remove = [];
  });

  it('finds the first available command of a key, and none of those that are only listed', () => {
    let busy = true;
    remove.push(
      registerCommands('a', () => [
        command('listed', ['Escape'], { helpOnly: true }),
        command('stop', ['Escape'], { available: () => busy }),
      ]),
      registerCommands('b', () => [command('other', ['Escape'])]),
    );
    const any = { typing: false, singleKeys: true };
    expect(commandFor(press('Escape'), any)?.id).toBe('stop');
    busy = false;
    expect(commandFor(press('Escape'), any)?.id).toBe('other');
    expect(availableCommands().map((one) => one.id)).toEqual(['listed', 'other']);
  });

  it('leaves single keys to who types, and to who turned them off', () => {
    remove.push(registerCommands('a', () => [command('next', ['j']), command('run', ['Mod+j'])]));
    expect(commandFor(press('j'), { typing: false, singleKeys: true })?.id).toBe('next');
    expect(commandFor(press('j'), { typing: true, singleKeys: true })).toBeNull();
    expect(commandFor(press('j'), { typing: false, singleKeys: false })).toBeNull();
    const held = press('j', { ctrlKey: true });
    expect(commandFor(held, { typing: true, singleKeys: false })?.id).toBe('run');
  });
});
