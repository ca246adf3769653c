/**
 * `npm run schemas`: writes the JSON Schema files of `docs/schemas` from `app/cli/schema`, which
 * the package publishes. A test fails where they are not what the code makes.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.ts';

const OUT = join(import.meta.dirname, '..', 'docs', 'schemas');
const made = await bundle('app/cli/schema/files.ts', 'schemas');
const { schemaFiles } = (await import(
  pathToFileURL(made).href
)) as typeof import('../app/cli/schema/files');
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
for (const [name, text] of schemaFiles()) writeFileSync(join(OUT, name), text);
