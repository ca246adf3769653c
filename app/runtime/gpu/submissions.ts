/**
 * Batches of launches on their way: the one that is open, those that the GPU has, and those that
 * are done and can be used again.
 *
 * Guarantee: batches are submitted in the order they were opened. Whoever waits for `done` was
 * notified of every launch before (`onDone`, `onFailure`). After a loss, `unfinished` are the
 * launches whose end nobody knows.
 */
import { Batch, type LaunchOutcome } from './batch';
import type { EngineLaunch } from '../engine';

/** Batches that may be on their way before a launch waits for the oldest. */
const BATCHES_IN_FLIGHT = 4;
/** Launches of a graph that the GPU begins with while the rest is encoded. */
const BEGUN_EARLY = 16;
/** Milliseconds between a failed mapping and the news that the device is lost. */
const LOSS_PATIENCE = 200;

export type LaunchBatch = Batch<EngineLaunch>;

export class Submissions {
  private batch: LaunchBatch | null = null;
  private readonly idle: LaunchBatch[] = [];
  private batches = 0;
  private rings = 0;
  private encoded: EngineLaunch[] = [];
  /** When a part of the open batch was first submitted. */
  private began: number | null = null;
  private readonly inFlight = new Map<Promise<void>, readonly EngineLaunch[]>();

  constructor(
    private readonly device: GPUDevice,
    /** Outcomes of the launches of a batch; `submitted` and `now` of `performance.now()`. */
    private readonly onDone: (
      outcomes: readonly LaunchOutcome<EngineLaunch>[],
      submitted: number,
      now: number,
    ) => void,
    /** A batch failed, and the device is there. */
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** The open batch, for commands; `id` grows with every batch. */
  open(): LaunchBatch {
    if (!this.batch) {
      const used = this.idle.pop();
      const id = ++this.batches;
      if (used) used.reopen(id);
      this.batch = used ?? new Batch(this.device, ++this.rings, id);
    }
    return this.batch;
  }

  /** The id of the batch that is open, or -1. */
  get openId(): number {
    return this.batch?.id ?? -1;
  }

  /** A batch with room for a launch with so many bytes of words. */
  openFor(uniformBytes: number): LaunchBatch {
    if (this.batch && !this.batch.hasRoom(uniformBytes)) this.flush();
    return this.open();
  }

  /** The launch's commands are in the open batch. */
  added(launch: EngineLaunch): void {
    this.encoded.push(launch);
  }

  /** Lets the GPU begin with the open batch, where it waits for enough launches. */
  begin(): void {
    if (!this.batch || this.batch.unsubmitted < BEGUN_EARLY) return;
    this.began ??= performance.now();
    this.batch.submitPart();
  }

  /** Submits what the open batch has so far. @returns once the GPU is done with it. */
  async part(): Promise<void> {
    this.began ??= performance.now();
    this.open().submitPart();
    // A device that is lost is reported elsewhere.
    await this.device.queue.onSubmittedWorkDone().catch(() => {});
  }

  /** Submits the open batch, if there is one. */
  flush(): void {
    const { batch, encoded } = this;
    if (!batch) return;
    this.batch = null;
    this.encoded = [];
    const submitted = this.began ?? performance.now();
    this.began = null;
    const done = batch.submit().then(
      (outcomes) => {
        this.onDone(outcomes, submitted, performance.now());
        this.idle.push(batch);
        this.inFlight.delete(done);
      },
      async (error: unknown) => {
        // Its launches stay unfinished: the session reports them.
        if (await isLoss(this.device)) return;
        this.onFailure(error);
        this.inFlight.delete(done);
      },
    );
    this.inFlight.set(done, encoded);
  }

  /** A promise where a launch has to wait for one of the batches before it. */
  room(): Promise<void> | undefined {
    return this.inFlight.size < BATCHES_IN_FLIGHT ? undefined : Promise.race(this.inFlight.keys());
  }

  /** Waits for what was submitted. */
  async done(): Promise<void> {
    await Promise.all(this.inFlight.keys());
  }

  unfinished(): readonly EngineLaunch[] {
    return [...[...this.inFlight.values()].flat(), ...this.encoded];
  }

  destroy(): void {
    this.batch?.destroy();
    for (const batch of this.idle) batch.destroy();
  }
}

/**
 * Whether a mapping failed because the device is lost: it is rejected, perhaps before the device
 * says so itself.
 */
export async function isLoss(device: GPUDevice): Promise<boolean> {
  const patience = new Promise<null>((resolve) => setTimeout(resolve, LOSS_PATIENCE, null));
  return (await Promise.race([device.lost, patience])) !== null;
}
