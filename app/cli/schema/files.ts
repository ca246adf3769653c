/**
 * The JSON Schema files of the package, by name: `run.v1.json` for `run --json`, `tool-run.v1.json`
 * for the structured content of MCP's tool `run`. The version is that of the `version` field: a
 * field may be added in a version; one that changes its meaning, or goes, raises it.
 */
import { z } from 'zod';
import { toolErrorOutput } from '../mcp/errors';
import { TOOLS } from '../mcp/tools';
import {
  benchOutput,
  compileOutput,
  judgeReport,
  proofReport,
  runDifference,
  runOutput,
} from './outputs';

export const SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  run: runOutput,
  prove: proofReport,
  check: judgeReport,
  bench: benchOutput,
  compile: compileOutput,
  diff: runDifference,
  ...Object.fromEntries(
    Object.entries(TOOLS).map(([name, { output }]) => [
      `tool-${name.replaceAll('_', '-')}`,
      output,
    ]),
  ),
  'tool-error': toolErrorOutput,
};
const VERSION = 1;

/** Texts of the files. */
export function schemaFiles(): Map<string, string> {
  return new Map(
    Object.entries(SCHEMAS).map(([name, schema]) => {
      const file = `${name}.v${VERSION}.json`;
      const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
      const whole = { $schema, $id: `hippocamp/schemas/${file}`, ...rest };
      return [file, `${JSON.stringify(whole, null, 2)}\n`];
    }),
  );
}
