/** `hippocamp mcp`: serves until its input ends, or a signal ends it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { McpCommand } from '../options';
import { listen } from './http';
import { createServer } from './server';
import { StdioTransport } from './stdio';

/** @returns the exit code: 2 where the port cannot be had. */
export async function mcpCommand({ http }: McpCommand, root: string): Promise<number> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const open = () => createServer(root, manifest.version);
  const ended = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
    if (!http) process.stdin.once('end', resolve);
  });
  if (!http) {
    await open().connect(new StdioTransport(process.stdin, process.stdout));
    await ended;
  } else {
    try {
      const { url } = await listen(http, open);
      process.stderr.write(`hippocamp: the Model Context Protocol at ${url}\n`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`hippocamp: cannot listen: ${reason}\n`);
      return 2;
    }
    await ended;
  }
  // The processes of calls end with this one.
  process.exit(0);
}
