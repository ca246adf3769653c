/**
 * No code of the compiler or the app decides by an adapter's name: GPUs and drivers are named in
 * profiles (`compiler/targets/`), in the one place that finds an adapter's profile, and where a
 * name is only shown or is a file's. What a machine does is a fact (`compiler/machine.ts`).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const NAMES =
  /swift ?shader|llvmpipe|lavapipe|basic render|warp adapter|nvidia|geforce|radeon|rdna|adreno|mali\b|\bintel\b|\bapple\b|metal-\d/i;
/** Properties of a target or an adapter's info that hold a name. */
const READS =
  /\b(?:target|adapter|info)\??\.(?:name|vendor|architecture|description|device)\b\s*(?:\)?\.(?:test|match|includes|startsWith|endsWith|toLowerCase)|[=!]==)/;

/** Files that may name adapters, and why. */
const MAY: Readonly<Record<string, string>> = {
  'app/runtime/gpu/profileFor.ts': 'finds the profile of an adapter',
  'app/state/statusText.ts': 'writes a name as a person does',
  'app/cli/dawn.ts': "a driver's file",
  'app/cli/gpuDevices.ts': "drivers' files",
  'app/cli/confine.ts': 'variables that drivers look at',
  'app/profile/difference.ts': 'whether two runs were on one adapter',
  'app/commands.ts': 'words that find a command',
  'app/share/Exports.tsx': 'where an exported program runs',
  'compiler/2-lower/paths.ts': "a module of Triton's",
};

/** Lines of code that name an adapter or compare one's name, without comments. */
function naming(text: string): string[] {
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, (comment) => comment.replace(/[^\n]/g, ''))
    .replace(/(^|\s)\/\/.*$/gm, '');
  return code
    .split('\n')
    .filter((line) => READS.test(line) || literals(line).some((each) => NAMES.test(each)))
    .map((line) => line.trim());
}
/** Texts in quotes, and regular expressions. */
function literals(line: string): string[] {
  return line.match(/'[^']*'|"[^"]*"|`[^`]*`|\/(?![/*])(?:\\.|[^/\\\n])+\/[a-z]*/g) ?? [];
}

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => !/\.test\.tsx?$|\/testing(\/|\.ts$)|^compiler\/targets\//.test(file));
}

it('names adapters in profiles and where one is found', () => {
  const found = [...sources('compiler'), ...sources('app')].flatMap((file) =>
    file in MAY
      ? []
      : naming(readFileSync(join(ROOT, file), 'utf8')).map((line) => `${file}: ${line}`),
  );
  expect(found).toEqual([]);
});

it('has no file that need not name one', () => {
  const idle = Object.keys(MAY).filter(
    (file) => naming(readFileSync(join(ROOT, file), 'utf8')).length === 0,
  );
  expect(idle).toEqual([]);
});

it.each([
  'const slow = /swiftshader|llvmpipe/i.test(name);',
  "if (vendor === 'nvidia') return 32;",
  'return target.name === chosen;',
  "const old = info.architecture.startsWith('rdna');",
])('finds %s', (line) => {
  expect(naming(line)).toEqual([line]);
});

it.each(['// SwiftShader divides lane by lane.', '/** An NVIDIA H200. */', 'say(target.name);'])(
  'lets pass %s',
  (line) => {
    expect(naming(line)).toEqual([]);
  },
);
