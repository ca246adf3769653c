/** The bill of materials against CycloneDX's rules and the lock file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shippedPackages } from './notices';
import { sbom, sbomText } from './sbom';

const ROOT = join(import.meta.dirname, '..');

it('lists every package that the page may bundle, with version, licence and digest', () => {
  const { bomFormat, specVersion, metadata, components } = sbom(ROOT);
  expect([bomFormat, specVersion]).toEqual(['CycloneDX', '1.6']);
  expect(metadata.component.name).toBe('hippocamp');
  const listed = new Set(components.map(({ name, version }) => `${name}@${version}`));
  for (const { name, version } of shippedPackages(ROOT))
    expect(listed).toContain(`${name}@${version}`);
  for (const each of components) {
    expect(each.licenses, each.name).toHaveLength(1);
    if (each.name !== 'cpython')
      expect(each.hashes?.[0]?.content, each.name).toMatch(/^[0-9a-f]{128}$/);
    expect(each.purl, each.name).toMatch(/^pkg:(npm|generic)\/(%40[\w.-]+\/)?[\w.-]+@[\w.+-]+$/);
  }
  expect(components.find(({ name }) => name === 'cpython')?.version).toMatch(/^3\.14\./);
});

it('connects them: every reference is one, and each package is needed by something', () => {
  const { components, metadata, dependencies } = sbom(ROOT);
  const refs = [metadata.component, ...components].map((each) => each['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  const reached = new Set([metadata.component['bom-ref']]);
  const edges = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  for (const ref of reached)
    for (const next of edges.get(ref) ?? []) {
      expect(refs).toContain(next);
      reached.add(next);
    }
  expect(refs.filter((ref) => !reached.has(ref))).toEqual([]);
});

it('depends on no time and no place', () => {
  const text = sbomText(ROOT);
  expect(text).toBe(sbomText(ROOT));
  expect(text).not.toContain(ROOT);
  expect(text).not.toMatch(/timestamp|serialNumber/);
  expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(sbom(ROOT))));
  expect(readFileSync(join(ROOT, 'package.json'), 'utf8')).toContain(
    sbom(ROOT).metadata.component.version,
  );
});
