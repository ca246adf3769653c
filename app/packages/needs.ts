/**
 * Packages that a program needs: of its imports, and of the dependencies that it declares
 * (`# /// script`, PEP 723). Pure.
 */
import type { ProgramFiles } from '../events';
import { topModules } from '../open/imports';
import { isLibrary, isProvided } from '../open/provided';
import type { Lock, LockPackage } from './lock';
import { normalized, type Wheel } from './wheel';

export interface Needs {
  /** Those of the index that are not shipped here, with what they depend on. */
  readonly packages: readonly LockPackage[];
  /** Shipped here, in the part that programs with kernels use; the index has the whole. */
  readonly whole: readonly LockPackage[];
  /** Declared or imported, and neither here nor in the index. */
  readonly unknown: readonly string[];
}

/** Names of PEP 723's dependencies. */
export function declaredDependencies(text: string): string[] {
  const block = /^# \/\/\/ script[ \t]*\r?\n((?:^#(?:| .*)\r?\n)+?)^# \/\/\/[ \t]*$/m.exec(
    text,
  )?.[1];
  if (block === undefined) return [];
  const toml = block
    .split('\n')
    .map((line) => line.replace(/^# ?/, ''))
    .join('\n');
  const list = /^dependencies\s*=\s*\[((?:[^\]"']|"[^"\n]*"|'[^'\n]*')*)\]/m.exec(toml)?.[1] ?? '';
  const items = list
    .split('\n')
    .map((line) => line.replace(/^\s*#.*$/, ''))
    .join('\n')
    .matchAll(/"([^"\n]*)"|'([^'\n]*)'/g);
  return [...items].flatMap(([, double, single]) => {
    const name = /^\s*([A-Za-z0-9][\w.-]*)/.exec(double ?? single ?? '')?.[1];
    return name === undefined ? [] : [normalized(name)];
  });
}

/** Modules that a program imports from elsewhere than its own files and Python's library. */
export function importedModules(files: ProgramFiles): Set<string> {
  const own = new Set(Object.keys(files).map((name) => name.split('/')[0]!.replace(/\.py$/, '')));
  const texts = Object.entries(files).filter(([name]) => name.endsWith('.py'));
  const found = texts.flatMap(([, text]) => [...topModules(text)]);
  return new Set(found.filter((name) => !own.has(name) && !isLibrary(name)));
}

/** Names of what is shipped, as packages are named. */
const SHIPPED_AS: Readonly<Record<string, string>> = {
  'hippocamp-testing': 'hippocamp_testing',
  'typing-extensions': 'typing_extensions',
  'triton-viz': 'triton_viz',
};
const isShipped = (name: string): boolean => isProvided(SHIPPED_AS[name] ?? name);
/** Ours: the real ones do not run in a browser. */
const OURS = new Set(['torch', 'triton', 'helion', 'triton-viz', 'tritonparse']);

/** @param entry the file whose `# /// script` block counts. */
export function needsOf(files: ProgramFiles, entry: string, lock: Lock): Needs {
  const found = new Map<string, LockPackage>();
  const whole = new Map<string, LockPackage>();
  const unknown = new Set<string>();
  const add = (name: string): void => {
    const one = lock.packages.get(normalized(name));
    if (!one || found.has(one.name)) return;
    found.set(one.name, one);
    one.depends.forEach(add);
  };
  const want = (name: string, one: LockPackage | undefined): void => {
    if (OURS.has(name)) return;
    if (isShipped(name)) {
      if (one) whole.set(one.name, one);
    } else if (one) add(one.name);
    else unknown.add(name);
  };
  for (const name of declaredDependencies(files[entry] ?? '')) want(name, lock.packages.get(name));
  for (const module of importedModules(files)) {
    const one = lock.byImport.get(module);
    want(one?.name ?? normalized(module), one);
  }
  return {
    packages: [...found.values()],
    whole: [...whole.values()].filter(({ name }) => !found.has(name)),
    unknown: [...unknown],
  };
}

/** Packages with what they depend on. */
export function closure(first: readonly LockPackage[], lock: Lock): LockPackage[] {
  const found = new Set<LockPackage>();
  const add = (one: LockPackage | undefined): void => {
    if (!one || found.has(one)) return;
    found.add(one);
    for (const name of one.depends) add(lock.packages.get(normalized(name)));
  };
  first.forEach(add);
  return [...found];
}

/**
 * Those of the wheels at hand that a program imports or declares, with what they depend on. Of two
 * of one package the last: files of both would be a package that nobody made.
 */
export function wheelsOf<T extends Wheel>(
  files: ProgramFiles,
  entry: string,
  all: readonly T[],
  lock: Lock,
): readonly T[] {
  const wheels = [...new Map(all.map((each) => [each.name, each])).values()];
  const modules = importedModules(files);
  const declared = declaredDependencies(files[entry] ?? '');
  const wanted = wheels.filter(
    ({ name, imports }) => declared.includes(name) || imports.some((each) => modules.has(each)),
  );
  const listed = wanted.flatMap(({ name }) => lock.packages.get(name) ?? []);
  const needed = new Set(closure(listed, lock).map(({ name }) => name));
  return wheels.filter((each) => wanted.includes(each) || needed.has(each.name));
}
