/** Profiles are whole, named once, and each field states where it comes from. */
import { expect, it } from 'vitest';
import { GPU_FACTS } from '../machine';
import { BASELINE_TARGET } from '../target';
import { findProfile, PROFILE_IDS, PROFILES } from './index';
import { DEFAULT_SOURCE, given, profile, type Profile } from './profile';

/** The page that lists a profile's fields by their sources. */
function section({ id, target, sources }: Profile): string {
  const values = new Map<string, unknown>([
    ...Object.entries(target),
    ...Object.entries(target.machine ?? {}).map(([name, x]) => [`machine.${name}`, x] as const),
  ]);
  const bySource = new Map<string, [string, string][]>();
  for (const entry of [...sources].sort(
    ([, a], [, b]) => Number(isDefault(a)) - Number(isDefault(b)),
  ))
    bySource.set(entry[1], [...(bySource.get(entry[1]) ?? []), entry]);
  const item = ([field]: readonly [string, string]): string =>
    `\`${field}\` ${textOf(values.get(field))}`;
  const lines = [...bySource].map(([source, own]) => `- ${source}: ${own.map(item).join(', ')}`);
  return `## ${target.name} (\`${id}\`)\n\n${lines.join('\n')}\n`;
}
const isDefault = (source: string): boolean => source === DEFAULT_SOURCE;
function textOf(value: unknown): string {
  if (!Array.isArray(value)) return String(value);
  const all = value as (typeof BASELINE_TARGET)['subgroupMatrices'];
  const each = all.map((m) => `${m.component}→${m.result} ${m.M}×${m.N}×${m.K}`);
  return each.join('; ') || 'none';
}
const INTRODUCTION = `# Targets

Profiles of GPUs (\`compiler/targets/\`), as \`hippocamp compile --target\` and the page's “Compile as if for” take
them: each field of the target and each fact of its machine (\`compiler/machine.ts\`), under its source. Where a page runs on
such a GPU, the limits and features that its device reports and what probes find stand in place of the profile's.
`;

it('is written down in docs/targets.md', async () => {
  const page = [INTRODUCTION, ...PROFILES.map(section)].join('\n');
  await expect(page).toMatchFileSnapshot('../../docs/targets.md');
});

it('names each once', () => {
  expect(new Set(PROFILE_IDS).size).toBe(PROFILES.length);
  expect(new Set(PROFILES.map(({ target }) => target.name)).size).toBe(PROFILES.length);
  for (const id of PROFILE_IDS) expect(id).toMatch(/^[a-z0-9-]+$/);
  expect(findProfile('no-such-gpu')).toBeUndefined();
});

it.each(PROFILES)('$id states a source of each field', ({ target, sources }) => {
  const { name: _, machine, ...fields } = target;
  const named = [
    ...Object.keys(fields),
    ...Object.keys(machine ?? {}).map((fact) => `machine.${fact}`),
  ];
  expect([...sources.keys()].sort()).toEqual(named.sort());
  expect(Object.keys(machine ?? {}).sort()).toEqual(Object.keys(GPU_FACTS).sort());
  for (const source of sources.values()) expect(source).not.toBe('');
});

it.each(PROFILES)('$id is no less than WebGPU promises', ({ target }) => {
  expect(target.maxWorkgroupBytes).toBeGreaterThanOrEqual(BASELINE_TARGET.maxWorkgroupBytes);
  expect(target.maxInvocations).toBeGreaterThanOrEqual(BASELINE_TARGET.maxInvocations);
  expect(target.maxStorageBuffers).toBeGreaterThanOrEqual(BASELINE_TARGET.maxStorageBuffers);
  expect(target.maxStorageBindingBytes).toBeGreaterThanOrEqual(
    BASELINE_TARGET.maxStorageBindingBytes,
  );
});

it('counts later fields before earlier ones, with their source', () => {
  const { target, sources } = profile(
    'x',
    'X',
    given('first', { f16: true, maxInvocations: 512 }),
    given('second', { f16: false }, { banks: 16 }),
  );
  expect(target).toMatchObject({ name: 'X', f16: false, maxInvocations: 512 });
  expect(target.machine).toEqual({ ...GPU_FACTS, banks: 16 });
  expect(sources.get('f16')).toBe('second');
  expect(sources.get('maxInvocations')).toBe('first');
  expect(sources.get('machine.banks')).toBe('second');
  expect(sources.get('maxStorageBuffers')).toBe(DEFAULT_SOURCE);
});
