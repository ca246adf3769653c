/** For tests: wheels of our own, in a wheel's form. */
import { strToU8, zipSync } from 'fflate';

/** A wheel with these files and the metadata that each has. */
export function wheelOf(
  name: string,
  version: string,
  files: Readonly<Record<string, string>>,
): Uint8Array<ArrayBuffer> {
  const info = `${name}-${version}.dist-info`;
  const all: Record<string, string> = {
    ...files,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`,
    [`${info}/WHEEL`]: 'Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
  };
  const record = Object.keys(all).map((path) => `${path},,\n`);
  all[`${info}/RECORD`] = `${record.join('')}${info}/RECORD,,\n`;
  const entries = Object.entries(all).map(([path, text]) => [path, strToU8(text)] as const);
  return new Uint8Array(zipSync(Object.fromEntries(entries)));
}
