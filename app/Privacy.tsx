/**
 * The privacy page: what this browser keeps and where, what leaves it, and how to remove it.
 * `e2e/privacy.test.ts` holds it against what a session stores and requests.
 */
import { DialogFrame } from './DialogFrame';

/** Places where the page keeps something, in the words of a browser's own tools. */
const KEPT: readonly (readonly [place: string, what: string])[] = [
  [
    'IndexedDB hippocamp-programs',
    'Your programs: their files, names and panels, and earlier versions of each.',
  ],
  [
    'IndexedDB hippocamp-tunings',
    'Times that autotuning and calibration measured on your GPU, by a hash of the kernel.',
  ],
  [
    'Local storage, names from hippocamp:',
    'Settings, the layout of the page, progress in lessons, and drafts of programs until they are in the database.',
  ],
  ['Session storage, names from hippocamp:', 'Which program this tab shows, until you close it.'],
  [
    'Cache storage, names from hippocamp:',
    'The files of this site, so that it opens without a network, and the service worker that answers with them. Settings remove both.',
  ],
  [
    'Cache storage hippocamp:packages',
    'Packages that you fetched or dropped. The dialog Packages, in Settings, lists and removes them.',
  ],
  ['The browser’s cache', 'The files of this site.'],
];

export default function Privacy(): React.ReactNode {
  return (
    <DialogFrame title="Privacy" describedBy="privacy-says">
      <div className="privacy-text">
        <p id="privacy-says">
          Programs are compiled and run in this browser. No program, tensor, result or setting is
          sent anywhere. There are no cookies, accounts or statistics, and nothing is loaded from
          another site unless you press a button that names it.
        </p>
        <h3>What this browser keeps</h3>
        <dl>
          {KEPT.map(([place, what]) => (
            <div key={place}>
              <dt>{place}</dt>
              <dd>{what}</dd>
            </div>
          ))}
        </dl>
        <p className="muted">
          Nothing else is kept. To remove all of it, clear this site’s data in the browser’s
          settings; Programs can export yours before. A page inside another page keeps nothing.
        </p>
        <h3>What leaves this browser, if you choose it</h3>
        <p>
          A link holds the whole program behind its #, a part that browsers do not send to servers:
          whoever has the link has the program. A Jupyter server that you connect gets the programs
          that you run there; its token stays in the memory of this page and is gone when you close
          it. A site from which you open a program or fetch a package, by a button that names it,
          sees your IP address and what you fetch.
        </p>
        <h3>Programs of others</h3>
        <p>
          Opening a link runs nothing. A program that you run has no network, and reaches neither
          your other programs nor anything else that this browser keeps.
        </p>
      </div>
    </DialogFrame>
  );
}
