/**
 * Which launch wrote the tensor that was compared, and which of its programs each element: asked of
 * the inspect worker, which follows the addresses of the kernel's stores. Where they cannot be
 * followed it says why.
 */
import { useEffect, useState } from 'react';
import { NOBODY, SEVERAL } from '../../../compiler/inspect/constants';
import { programOf } from '../../../compiler/inspect/launch';
import type { Location } from '../../../compiler/ir/location';
import type { TensorPlace } from '../../events';
import { hasFile } from '../../state/document';
import { useInputs } from '../../state/inputs';
import { select } from '../../state/location';
import { useRun } from '../../state/run';
import type { ComparisonEvent, LaunchEvent, RunRecord } from '../../state/record';
import { chooseSpecialization, useView } from '../../state/view';
import { inspectHost } from '../../workers/inspectHost';
import { inputsOf } from './storeOf';

export interface Producer {
  readonly launch: LaunchEvent;
  readonly owners: Int32Array;
  readonly written: number;
  /** For its store. */
  readonly location: Location | null;
  readonly side: 'actual' | 'expected';
  /** The tensor of that side. */
  readonly place: TensorPlace;
  readonly shape: readonly number[];
}
export type ProducerState =
  | { readonly state: 'looking' }
  | { readonly state: 'known'; readonly producer: Producer }
  | { readonly state: 'unknown'; readonly reason: string };

/** Elements up to which it is asked: four bytes each come back. */
const MOST_ELEMENTS = 2 ** 25;
const MOST_LAUNCHES = 3;

async function findProducer(
  record: RunRecord,
  comparison: ComparisonEvent,
): Promise<ProducerState> {
  const producers = record.producers.get(comparison.id);
  if (!producers || producers.actual.length + producers.expected.length === 0)
    return { state: 'unknown', reason: 'no launch of this run was given one of the two tensors' };
  if (comparison.count > MOST_ELEMENTS)
    return { state: 'unknown', reason: 'the tensor is too large to follow each element' };
  let reason = 'no launch stored to it';
  for (const side of ['actual', 'expected'] as const) {
    const place: TensorPlace | null = comparison[side];
    if (!place) continue;
    for (const launch of producers[side].slice(0, MOST_LAUNCHES)) {
      const request = record.specializations.find(({ key }) => key === launch.key)?.request;
      if (!request) continue;
      const { grid, values } = launch;
      const { shape } = comparison;
      const question = { kind: 'writers', request, grid, values, place, shape } as const;
      const found = await inspectHost().ask(question);
      if (found.known && found.written > 0) {
        const { owners, written, location } = found;
        return {
          state: 'known',
          producer: { launch, owners, written, location, side, place, shape },
        };
      }
      if (!found.known) reason = found.reason;
    }
  }
  return { state: 'unknown', reason };
}

export function useProducer(record: RunRecord, comparison: ComparisonEvent): ProducerState {
  const [found, setFound] = useState<ProducerState>({ state: 'looking' });
  const { run } = record;
  useEffect(() => {
    let current = true;
    findProducer(record, comparison).then(
      (state) => {
        if (current) setFound(state);
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        if (current) setFound({ state: 'unknown', reason });
      },
    );
    return () => {
      current = false;
    };
    // The record is published anew while the program runs; what it says of this comparison stays.
    // oxlint-disable-next-line exhaustive-deps
  }, [run, comparison.id]);
  return found;
}

/** `program (3, 0, 0)`, or why there is none. */
export function ownerText(owner: number | undefined, grid: LaunchEvent['grid']): string {
  if (owner === undefined || owner === NOBODY) return 'no program wrote it';
  if (owner === SEVERAL) return 'several programs wrote it';
  return `program (${programOf(grid, owner).join(', ')})`;
}

/** Puts the launch and the program in view everywhere, and shows the store's line. */
export function goToProgram(producer: Producer, owner: number | undefined): void {
  const { launch, location } = producer;
  chooseSpecialization({ kernel: launch.kernel, key: launch.key });
  if (owner !== undefined && owner >= 0) {
    useInputs.setState({
      launch: inputsOf(launch, useRun.getState().launches)?.launch ?? null,
      program: programOf(launch.grid, owner),
    });
  }
  // A launch of a result's program stands at no line of the program in view.
  if (!hasFile(launch.site.file)) return;
  const { file, line } = location ?? launch.site;
  select({ file, line, column: 1, from: 'compare' });
  useView.setState({ half: 'editor' });
}
