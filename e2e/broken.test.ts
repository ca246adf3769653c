/** Programs that break Python itself: each says so in a sentence, and the next Run works. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, output, prefixScripts, ready, runToEnd, visit, type Site } from './page';

let site: Site;
beforeAll(async () => {
  site = await openSite({ gpu: true });
});
afterAll(() => site.close());

/** By name: the program's lines, and the sentence; null where the program itself ends well. */
const BREAKS: Readonly<Record<string, readonly [text: string, said: RegExp | null]>> = {
  recursion: ['sys.setrecursionlimit(10**9)\n    recurse()', /ran out of stack/],
  repr: ['repr(nested(200_000))', /ran out of stack/],
  json: ['json.loads("[" * 200_000 + "]" * 200_000)', /ran out of stack/],
  pickle: ['sys.setrecursionlimit(10**6); pickle.dumps(nested(200_000))', /ran out of stack/],
  del: ['chain = linked(500_000)\n    del chain', /ran out of stack/],
  expression: ['eval("+".join(["\'a\'"] * 5_000))', /ran out of stack/],
  deepcopy: ['global kept\n    kept = copied(20_000)', null],
  exit: ['os._exit(3)', /ended Python itself/],
  abort: ['os.abort()', /ended Python itself/],
  memory: ['ctypes.string_at(2**32 - 16, 8)', /memory that is not its own/],
  write: ['ctypes.memset(2**32 - 4096, 1, 4096)', /memory that is not its own/],
  null: ['ctypes.CFUNCTYPE(None)(12345678)()', /memory that is not its own/],
};
const names = Object.keys(BREAKS);
const cases = names.map((name) => `def break_${name}():\n    ${BREAKS[name]![0]}\n`).join('\n');
const PROGRAM = `CASE = ""
import copy, ctypes, json, os, pickle, sys

def recurse():
    recurse()

def nested(depth):
    made = []
    for _ in range(depth):
        made = [made]
    return made

def linked(length):
    class Node:
        def __init__(self, after):
            self.after = after
    made = None
    for _ in range(length):
        made = Node(made)
    return made

def copied(depth):
    sys.setrecursionlimit(10**6)
    return copy.deepcopy(nested(depth))

${cases}
print("well", CASE)
if CASE:
    globals()["break_" + CASE]()
`;

it('says what happened, and runs the next program', async () => {
  const { page } = await visit(site, { text: PROGRAM });
  await ready(page);
  for (const name of names) {
    await page.locator('.editor .view-line').first().click();
    await page.keyboard.press('ControlOrMeta+Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.insertText(`CASE = "${name}"`);
    await runToEnd(page);
    const text = await output(page).innerText();
    // Python was well when it began, after whatever came before.
    expect.soft(text, name).toContain(`well ${name}`);
    const said = BREAKS[name]![1];
    if (said) expect.soft(text, name).toMatch(said);
  }
  await page.locator('.editor .view-line').first().click();
  await page.keyboard.press('ControlOrMeta+Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.insertText('CASE = ""');
  await runToEnd(page);
  expect(await output(page).innerText()).toMatch(/^well\s*$/m);
  await page.context().close();
});

it('does so where Python cannot be suspended', async () => {
  const { page } = await visit(site, { text: PROGRAM.replace('CASE = ""', 'CASE = "exit"') });
  await prefixScripts(
    page.context(),
    '**/assets/programWorker-*.js',
    'delete WebAssembly.Suspending; delete WebAssembly.promising;',
  );
  await page.reload();
  await ready(page);
  for (let run = 0; run < 2; run++) {
    await runToEnd(page);
    expect(await output(page).innerText()).toMatch(/well exit[^]*ended Python itself/);
  }
  await page.context().unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
});
