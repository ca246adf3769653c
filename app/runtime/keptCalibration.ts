/**
 * Best rates of an adapter (`calibration.ts`), measured once and kept from run to run.
 *
 * Guarantee: what is kept was measured by this text on an adapter that offered the same.
 */
import type { Calibration } from '../events';
import { calibration as calibrationShape } from '../shapes/events';
import { CALIBRATION_VERSION } from './gpu/calibration';
import type { Engine } from './engine';
import { digest } from './key';
import { keptAs } from './keptTexts';
import { computesOnCpu } from './limits';

/** Texts by key, kept beyond the page or the process. */
export interface TuningStore {
  /** '' where there is none, or it cannot be read. */
  get(key: string): Promise<string>;
  /** '' deletes it. */
  set(key: string, text: string): void;
}

export class KeptCalibration {
  private known: { readonly of: Engine; readonly calibration: Calibration | null } | null = null;

  constructor(private readonly store: TuningStore | undefined) {}

  /** For this engine, once it was found. */
  of(engine: Engine | null): Calibration | null {
    return this.known && this.known.of === engine ? this.known.calibration : null;
  }

  private isKnown(engine: Engine): boolean {
    return this.known?.of === engine;
  }

  /** @param measures where nothing is kept of an earlier run. @returns whether there is news. */
  async find(engine: Engine, measures: boolean): Promise<boolean> {
    if (this.isKnown(engine) || engine.info.kind === 'interpreter') return false;
    const key = keyOf(engine);
    const kept = await keptAs(this.store, key, calibrationShape);
    if (kept) {
      this.known = { of: engine, calibration: { ...kept, fromCache: true } };
      return true;
    }
    if (!measures || this.isKnown(engine)) return false;
    // Who asks meanwhile does not measure it again.
    this.known = { of: engine, calibration: null };
    const calibration = await engine.calibrate();
    this.known = { of: engine, calibration };
    // A CPU's roofs are those of a moment: it has other work.
    if (calibration && !computesOnCpu(engine.info))
      this.store?.set(key, JSON.stringify(calibration));
    return calibration !== null;
  }
}

function keyOf({ info, target }: Engine): string {
  const { name, vendor, architecture } = info;
  // A browser that offers more, or a toggle, raises the roof of halves.
  const { f16, subgroupMatrices } = target;
  const facts = [CALIBRATION_VERSION, name, vendor, architecture, f16, subgroupMatrices];
  return `calibration-${digest(JSON.stringify(facts))}`;
}
