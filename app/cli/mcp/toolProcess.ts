/**
 * The process of one tool call. It takes one call, sends its steps and its answer, ends. The server
 * ends it where the call is cancelled, takes too long or too much memory; the program's process
 * ends with it (`../orphan.ts`).
 */
import { dieWithParent } from '../orphan';
import { ToolError } from './errors';
import { EXECUTORS } from './execute';
import { TOOL_PROCESS, type FromTool, type ToTool } from './jobs';

/** Milliseconds between two steps that are sent: a loop of launches must not fill the channel. */
const STEP = 100;

export async function toolProcess(root: string): Promise<number> {
  if (!process.send) {
    process.stderr.write(`hippocamp: ${TOOL_PROCESS} is for hippocamp mcp to start\n`);
    return 2;
  }
  const { tool, input } = await new Promise<ToTool>((resolve) => {
    process.once('message', (message) => resolve(message as ToTool));
  });
  process.on('disconnect', () => process.exit(1));
  dieWithParent();
  const send = (message: FromTool): Promise<void> =>
    new Promise((resolve) => process.send?.(message, () => resolve()));
  let last = -Infinity;
  const progress = (text: string): void => {
    const now = performance.now();
    if (now - last < STEP) return;
    last = now;
    void send({ type: 'progress', text: text.slice(0, 500) });
  };
  try {
    const answer = await EXECUTORS[tool](input, { root, progress });
    await send({ type: 'answer', answer });
  } catch (error) {
    const { code, message, subject } = ToolError.of(error);
    await send({ type: 'error', code, message, subject });
  }
  process.exit(0);
}
