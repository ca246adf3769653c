/**
 * The help sheet (?): every shortcut there is, from the registry of commands, and where to read on.
 */
import { DialogFrame } from '../DialogFrame';
import { allCommands, COMMAND_GROUPS } from '../state/commands';
import { Keys } from './Keys';
import './palette.css';

export default function Help(): React.ReactNode {
  const commands = allCommands().filter((command) => (command.keys?.length ?? 0) > 0);
  return (
    <DialogFrame title="Keys" className="help" describedBy="help-says">
      <p id="help-says" className="muted">
        Every command, also those without keys, is in the palette. In the editor, Tab indents once
        something was typed or the cursor moved there; Ctrl M lets it move on. Keys without Ctrl or
        Alt work wherever nothing is typed, and the settings turn them off.
      </p>
      <div className="help-groups">
        {COMMAND_GROUPS.map((group) => {
          const members = commands.filter((command) => command.group === group);
          if (members.length === 0) return null;
          return (
            <section key={group} aria-label={group}>
              <h3>{group}</h3>
              <dl>
                {members.map((command) => (
                  <div key={command.id}>
                    <dt>{command.title}</dt>
                    <dd>
                      {command.keys?.map((keys) => (
                        <Keys key={keys} keys={keys} />
                      ))}
                    </dd>
                  </div>
                ))}
              </dl>
            </section>
          );
        })}
      </div>
      <p className="muted">
        <a
          className="link"
          href={`${import.meta.env.BASE_URL}third-party-notices.txt`}
          target="_blank"
          rel="noreferrer"
        >
          Licences of the packages in this page
        </a>
      </p>
    </DialogFrame>
  );
}
