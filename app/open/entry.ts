/** Which file of a program runs, where nobody said so. */
import type { ProgramFiles } from '../events';

/**
 * The file that runs: `main.py`, else the only one, else the first with a kernel launch, else the
 * first. The reference and the checks of a problem are none, where there is another.
 */
export function entryOf(files: ProgramFiles): string {
  const names = Object.keys(files).sort();
  const python = names.filter((name) => name.endsWith('.py') && !name.includes('/'));
  const own = python.filter((name) => !['reference.py', 'checks.py'].includes(name));
  const top = own.length > 0 ? own : python;
  return (
    top.find((name) => name === 'main.py') ??
    top.find((name) => /^if __name__ == ['"]__main__['"]/m.test(files[name] ?? '')) ??
    top.find((name) => /\w\[[^\]\n]+\]\s*\(/.test(files[name] ?? '')) ??
    top[0] ??
    names[0] ??
    'main.py'
  );
}
