/**
 * The schedule of the kernel in view: each decision as the compiler recorded it, why, and the next
 * best. Decisions of a dot or a loop name its line.
 */
import type { ScheduleDecision } from '../../../compiler/schedule';
import { Site } from '../common/Site';
import './schedule.css';

export default function Schedule({
  decisions,
}: {
  readonly decisions: readonly ScheduleDecision[];
}): React.ReactNode {
  return (
    <section className="schedule" aria-label="Schedule">
      <table className="data">
        <thead>
          <tr>
            <th scope="col">Schedule</th>
            <th scope="col">Chosen</th>
            <th scope="col">Why</th>
            <th scope="col">Next best</th>
            <th scope="col" className="number">
              Line
            </th>
          </tr>
        </thead>
        <tbody>
          {decisions.map(({ field, chosen, why, next, location }, i) => (
            <tr key={i}>
              <th scope="row">{field}</th>
              <td>{chosen}</td>
              <td className="muted">{why}</td>
              <td className="muted">{next ?? '–'}</td>
              <td className="number">{location ? <Site site={location} short /> : null}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
