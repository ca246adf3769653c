/**
 * The server of the Model Context Protocol, over whatever transport: it lists the tools, checks
 * arguments, and answers each call with structured content that fits the tool's schema. A call that
 * cannot be answered is a result with `isError` and a `ToolErrorOutput`. Cancellations end the
 * call's process; steps are sent as progress where the client gave a token.
 */
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js';
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  type CallToolResult,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js';
import type { z } from 'zod';
import { hasPython } from '../pythonSnapshot';
import { ToolError } from './errors';
import { explain, listExamples, readExample } from './examples';
import type { Answer } from './execute';
import type * as inputs from './inputs';
import { runJob, type JobTool } from './jobs';
import { INSTRUCTIONS, inputSchema, outputSchema, toolName, TOOLS, type ToolName } from './tools';

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

export function createServer(root: string, version: string): Server {
  const server = new Server(
    { name: 'hippocamp', version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.entries(TOOLS).map(([name, tool]) => ({
      name,
      title: tool.title,
      description: tool.description,
      inputSchema: inputSchema(tool),
      outputSchema: outputSchema(tool),
      // Programs run in a sandbox of their own, and nothing is written.
      annotations: { readOnlyHint: true, openWorldHint: false },
    })),
  }));
  server.setRequestHandler(
    CallToolRequestSchema,
    async ({ params }, extra): Promise<CallToolResult> => {
      try {
        const { text, structured } = await call(params.name, params.arguments ?? {}, root, extra);
        return { content: [{ type: 'text', text }], structuredContent: { ...structured } };
      } catch (error) {
        // Nobody waits for the answer to a cancelled call.
        const { output } = ToolError.of(error);
        const text = `${output.error.code}: ${output.error.message}`;
        return { isError: true, content: [{ type: 'text', text }], structuredContent: output };
      }
    },
  );
  return server;
}

async function call(given: string, input: unknown, root: string, extra: Extra): Promise<Answer> {
  const name = toolName(given);
  if (!name) {
    const names = Object.keys(TOOLS).join(', ');
    const shown = given.slice(0, 100);
    throw new ToolError('not-found', `there is no tool ${shown}; there are ${names}`, shown);
  }
  const checked = checkedInput(name, input);
  switch (name) {
    case 'explain': {
      const found = explain(root, (checked as z.infer<typeof inputs.explainInput>).code);
      return { text: found.text, structured: found };
    }
    case 'list_examples': {
      const found = listExamples(root, (checked as z.infer<typeof inputs.listInput>).query);
      const lines = found.examples.map((each) => `${each.name}: ${each.title}. ${each.summary}`);
      return { text: lines.join('\n'), structured: found };
    }
    case 'read_example': {
      const found = readExample(root, (checked as z.infer<typeof inputs.readInput>).name);
      const text = found.lesson === null ? found.source : `${found.lesson}\n\n${found.source}`;
      return { text, structured: found };
    }
    default:
      return job(name, checked as z.infer<typeof inputs.runInput>, root, extra);
  }
}

async function job(
  tool: JobTool,
  input: { readonly timeout_seconds: number; readonly max_memory_bytes: number },
  root: string,
  { signal, _meta, sendNotification }: Extra,
): Promise<Answer> {
  if (tool !== 'compile' && !hasPython(root))
    throw new ToolError(
      'not-installed',
      `${tool} needs the package pyodide, which is not installed: npm install pyodide`,
      'pyodide',
    );
  const token = _meta?.progressToken;
  let steps = 0;
  const progress = (message: string): void => {
    if (token === undefined || signal.aborted) return;
    const params = { progressToken: token, progress: ++steps, message };
    // A client that is gone gets no steps.
    void sendNotification({ method: 'notifications/progress', params }).catch(() => {});
  };
  return runJob(
    { tool, input },
    {
      signal,
      progress,
      timeoutSeconds: input.timeout_seconds,
      maxMemory: input.max_memory_bytes,
    },
  );
}

/** @throws ToolError `bad-arguments`, with the argument's path. */
function checkedInput(name: ToolName, input: unknown): unknown {
  const read = TOOLS[name].input.safeParse(input);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  const path = [...(issue?.path ?? []), ...(unknown === undefined ? [] : [unknown])]
    .map((part) => String(part).slice(0, 100))
    .join('.');
  const known = Object.keys((TOOLS[name].input as z.ZodObject).shape).join(', ');
  const message =
    unknown === undefined
      ? `${path || 'the arguments'}: ${issue?.message ?? 'wrong'}`
      : `${name} has no argument ${path}; it has ${known}`;
  throw new ToolError('bad-arguments', message.slice(0, 1000), path || null);
}
