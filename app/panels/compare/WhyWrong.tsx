/**
 * Why an element is wrong: the first operation at which it departs from a float64 run of its
 * program, with a way to the debugger there. Found when somebody asks: the program is interpreted
 * three times.
 */
import { useState } from 'react';
import type { DepartureReport } from '../../../compiler/inspect/departure';
import { ownDepth, stackOf } from '../../../compiler/inspect/frames';
import { unravel } from '../../inspection/elements';
import { inspectHost } from '../../workers/inspectHost';
import type { StoreGoal } from '../debugger/state';
import { Site } from '../common/Site';
import { agreementText, departureText } from './departureText';
import { debugElement, storeOf } from './storeOf';
import type { Producer } from './useProducer';

/** The element's two values. */
export interface Pair {
  readonly actual: number;
  readonly expected: number;
}
type Found =
  | { readonly state: 'idle' }
  | { readonly state: 'waiting' }
  | { readonly state: 'failed'; readonly message: string }
  | { readonly state: 'known'; readonly report: DepartureReport };

export function WhyWrong(props: {
  readonly producer: Producer;
  readonly flat: number;
  readonly values: Pair | null;
}): React.ReactNode {
  const { producer, flat, values } = props;
  const [found, setFound] = useState<Found>({ state: 'idle' });
  const store = storeOf(producer, flat);
  if (!store) return null;
  const element = `[${unravel(flat, producer.shape).join(', ')}]`;
  const ask = async (): Promise<void> => {
    setFound({ state: 'waiting' });
    const { launch, program, address } = store;
    const error = values ? Math.abs(values.actual - values.expected) : null;
    try {
      const question = { kind: 'departure', program, address, error } as const;
      const answer = await inspectHost().askOf(launch, question);
      setFound(
        'refused' in answer
          ? { state: 'failed', message: answer.refused }
          : { state: 'known', report: answer },
      );
    } catch (fault) {
      const message = fault instanceof Error ? fault.message : String(fault);
      setFound({ state: 'failed', message });
    }
  };
  return (
    <p className="why-wrong" role="status">
      {found.state === 'idle' ? (
        <button
          type="button"
          className="link"
          title="Interpret the program of this element again with every float in double precision"
          onClick={() => void ask()}
        >
          Compare {element} with a float64 run
        </button>
      ) : found.state === 'waiting' ? (
        `Comparing ${element} with a float64 run…`
      ) : found.state === 'failed' ? (
        <span className="sign fail">! {found.message}</span>
      ) : (
        <Answer report={found.report} store={store} values={values} element={element} />
      )}
    </p>
  );
}

function Answer(props: {
  readonly report: DepartureReport;
  readonly store: StoreGoal;
  readonly values: Pair | null;
  readonly element: string;
}): React.ReactNode {
  const { report, store, values, element } = props;
  const { departure } = report;
  if (!departure) return agreementText(report, values);
  const stack = stackOf(departure);
  const site = stack[ownDepth(stack)] ?? departure.location;
  return (
    <>
      {element} departs from a float64 run at <Site site={site} />, {departureText(departure)}{' '}
      <button
        type="button"
        className="link"
        onClick={() => debugElement({ ...store, count: departure.count })}
      >
        Debug this operation
      </button>
    </>
  );
}
