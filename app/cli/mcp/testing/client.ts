/** Tests talk to `hippocamp mcp` with the protocol's own client library. */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

export const COMMAND = join(import.meta.dirname, '..', '..', 'hippocamp.mjs');

/** Milliseconds that a call may take on a busy machine. */
export const PATIENCE = 110_000;

/** @param cwd the folder below which the server reads programs. */
export async function connect(cwd: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [COMMAND, 'mcp'], cwd }),
    // In the repository the command is bundled at its first start.
    { timeout: PATIENCE },
  );
  return client;
}

export interface Called {
  readonly text: string;
  readonly structured: Record<string, unknown>;
  readonly isError: boolean;
}

/** The client checks the structured content against the tool's schema. */
export async function call(
  client: Client,
  name: string,
  input: Record<string, unknown>,
  options: Parameters<Client['callTool']>[2] = {},
): Promise<Called> {
  const answer = (await client.callTool({ name, arguments: input }, undefined, {
    timeout: PATIENCE,
    ...options,
  })) as CallToolResult;
  const [first] = answer.content;
  return {
    text: first?.type === 'text' ? first.text : '',
    structured: answer.structuredContent ?? {},
    isError: answer.isError === true,
  };
}
