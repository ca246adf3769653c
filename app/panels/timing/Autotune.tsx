/** Each tuning of the run: every configuration with its time, and which was chosen. */
import type { TunedConfiguration } from '../../events';
import type { AutotuneEvent } from '../../state/record';
import { formatMicroseconds, formatNumber, plural } from '../common/format';
import { Site } from '../common/Site';
import { namesOf } from './configurations';

const STATES: Record<TunedConfiguration['state'], string> = {
  waiting: 'waiting',
  measured: '',
  dropped: 'dropped: clearly slower',
  failed: 'failed',
  skipped: 'not measured: the time was spent',
};

export function Autotune({ tuning }: { readonly tuning: AutotuneEvent }): React.ReactNode {
  const { configurations, best, kernel, fromCache, done, seconds } = tuning;
  const names = namesOf(configurations);
  const order = configurations
    .map((configuration, index) => ({ configuration, index }))
    .sort((a, b) => timeOf(a.configuration) - timeOf(b.configuration) || a.index - b.index);
  const fastest = best === null ? undefined : configurations[best]?.timing?.median;
  const below = configurations.some(
    ({ timing }) => timing !== null && timing.median < timing.quantum,
  );
  return (
    <section className="section" aria-label={`Autotuning of ${kernel}`}>
      <div className="section-head">
        <h3>
          Autotuning of <span className="mono">{kernel}</span>
        </h3>
        <span className="muted">
          {fromCache
            ? 'from an earlier run on this adapter'
            : `${plural(configurations.length, 'configuration')}${done ? ` in ${formatNumber(seconds, 3)} s` : ', measuring'}`}
        </span>
        <Site site={tuning.site} />
      </div>
      <p className="muted mono tuning-key">key {tuning.key}</p>
      {names.common === '' ? null : (
        <p className="muted mono tuning-key">all with {names.common}</p>
      )}
      <div className="scroll-x">
        <table className="data tunings">
          <thead>
            <tr>
              <th scope="col">
                <span className="hidden-visually">Chosen</span>
              </th>
              <th scope="col">Configuration</th>
              <th scope="col" className="number">
                Median
              </th>
              <th scope="col" className="number">
                Spread
              </th>
              <th scope="col" className="number">
                To best
              </th>
              <th scope="col" />
            </tr>
          </thead>
          <tbody>
            {order.map(({ configuration, index }) => (
              <Row
                key={index}
                configuration={configuration}
                name={names.own[index]!}
                chosen={index === best}
                fastest={fastest}
              />
            ))}
          </tbody>
        </table>
      </div>
      {below ? (
        <p className="muted">
          Some times are below the clock’s resolution: between those the choice says little.
        </p>
      ) : null}
    </section>
  );
}

function timeOf({ timing }: TunedConfiguration): number {
  return timing?.median ?? Infinity;
}

function Row(props: {
  readonly configuration: TunedConfiguration;
  readonly name: string;
  readonly chosen: boolean;
  readonly fastest: number | undefined;
}): React.ReactNode {
  const { configuration, name, chosen, fastest } = props;
  const { text, timing, state, error } = configuration;
  const isUnder = timing !== null && timing.median < timing.quantum;
  const ratio = timing && fastest ? timing.median / fastest : null;
  return (
    <tr data-chosen={chosen}>
      <td>
        {chosen ? (
          <span className="sign pass">
            <span aria-hidden="true">✓</span>
            <span className="hidden-visually">chosen</span>
          </span>
        ) : null}
      </td>
      <td className="mono" title={text}>
        {chosen ? <b>{name}</b> : name}
      </td>
      <td className="number">
        {timing === null
          ? '–'
          : isUnder
            ? `below ${formatMicroseconds(timing.quantum)}`
            : formatMicroseconds(timing.median)}
      </td>
      <td className="number muted">
        {timing && !isUnder && timing.high > timing.low
          ? `${formatMicroseconds(timing.low)} – ${formatMicroseconds(timing.high)} (${timing.samples})`
          : ''}
      </td>
      <td className="number muted">
        {ratio === null || isUnder ? '' : `× ${formatNumber(ratio, 3)}`}
      </td>
      <td className={state === 'failed' ? 'sign fail' : 'muted'}>
        {STATES[state]}
        {error === null ? '' : `: ${error}`}
      </td>
    </tr>
  );
}
