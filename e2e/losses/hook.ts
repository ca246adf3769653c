/**
 * Stands before the script of each worker that opens the GPU: loses its device, by
 * `GPUDevice.destroy`, at a call of WebGPU that the test names by its method and number. Its names
 * are symbols: no program looks for them.
 *
 * Guarantee: the device is there until that call, and gone right before, right behind, or some
 * milliseconds after it.
 */
import type { BrowserContext, Page, Worker } from 'playwright';

export type When = 'before' | 'behind' | 'later';

export interface Loss {
  /** A method of WebGPU. */
  readonly method: string;
  /** The call of it, counted from when the loss was planned; the first is 1. */
  readonly call: number;
  readonly when: When;
  /** Milliseconds, where it comes later. */
  readonly milliseconds: number;
}

/** Result of a planned loss. */
export interface Outcome {
  /** Calls of each method since it was planned. */
  readonly calls: Readonly<Record<string, number>>;
  /** Whether the device was lost: not where there were fewer calls. */
  readonly lost: boolean;
}

/** @param planned a loss that the worker begins with; null for none. */
const code = (planned: Loss | null): string => `
  {
    const plan = { planned: ${JSON.stringify(planned)}, calls: {}, lost: false };
    self[Symbol.for('losses:plan')] = plan;
    let device = null;
    const request = GPUAdapter.prototype.requestDevice;
    const step = (name, call) => {
      const { planned } = plan;
      const made = (plan.calls[name] = (plan.calls[name] ?? 0) + 1);
      if (!planned || plan.lost || planned.method !== name || made < planned.call) return call();
      plan.lost = true;
      const lost = device;
      const lose = () => lost?.destroy();
      if (planned.when === 'before') lose();
      if (planned.when === 'later') setTimeout(lose, planned.milliseconds);
      const result = call();
      if (planned.when === 'behind') lose();
      return result;
    };
    GPUAdapter.prototype.requestDevice = async function (...options) {
      device = await request.apply(this, options);
      return step('requestDevice', () => device);
    };
    const kinds = {
      GPUDevice: ['createBuffer', 'createShaderModule', 'createComputePipelineAsync',
        'createBindGroup', 'createCommandEncoder', 'createQuerySet', 'pushErrorScope',
        'popErrorScope'],
      GPUQueue: ['writeBuffer', 'submit', 'onSubmittedWorkDone'],
      GPUBuffer: ['mapAsync', 'getMappedRange', 'unmap', 'destroy'],
      GPUCommandEncoder: ['beginComputePass', 'copyBufferToBuffer', 'clearBuffer', 'finish'],
      GPUComputePassEncoder: ['dispatchWorkgroups', 'end'],
    };
    for (const [kind, names] of Object.entries(kinds))
      for (const name of names) {
        const { prototype } = self[kind];
        const method = prototype[name];
        prototype[name] = function (...values) {
          return step(name, () => method.apply(this, values));
        };
      }
  }`;

const sum = ({ calls }: Outcome): number =>
  Object.values(calls).reduce((all, each) => all + each, 0);

/** Scripts and names of the workers. */
const WORKERS = /programWorker|engineWorker/;

/** The losses of a page; `prepare` comes before it is opened. */
export class Losses {
  /** The loss that the next worker begins with. */
  next: Loss | null = null;

  async prepare(context: BrowserContext): Promise<void> {
    await context.route(WORKERS, async (route) => {
      const planned = this.next;
      try {
        const response = await route.fetch({ maxRetries: 3 });
        await route.fulfill({ response, body: `${code(planned)}\n${await response.text()}` });
      } catch (error) {
        // A worker that starts anew may still ask for its script when the test is over.
        if (!/disposed|has been closed/.test(String(error))) throw error;
      }
    });
  }

  private workers(page: Page): Worker[] {
    return page.workers().filter((worker) => WORKERS.test(worker.url()));
  }

  /** Plans a loss in every worker that lives, or none. */
  async plan(page: Page, loss: Loss | null): Promise<void> {
    for (const worker of this.workers(page))
      await worker
        .evaluate((planned) => {
          const scope = self as unknown as Record<symbol, object>;
          Object.assign(scope[Symbol.for('losses:plan')]!, { planned, calls: {}, lost: false });
        }, loss)
        .catch(() => {});
  }

  /** The outcome in the worker that lost its device, or in that with the most calls. */
  async outcome(page: Page): Promise<Outcome> {
    let most: Outcome = { calls: {}, lost: false };
    for (const worker of this.workers(page)) {
      const found = await worker
        .evaluate(() => {
          const scope = self as unknown as Record<symbol, Outcome>;
          const { calls, lost } = scope[Symbol.for('losses:plan')]!;
          return { calls, lost };
        })
        .catch(() => null);
      if (found?.lost) return found;
      if (found && sum(found) > sum(most)) most = found;
    }
    return most;
  }
}
