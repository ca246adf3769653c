/**
 * Says plainly when Node cannot do what is asked, before anything else fails obscurely. Plain
 * JavaScript that any Node since 10 can parse: it must run where nothing else does.
 *
 * `install`: the Node that runs npm. `run`: the Node that runs our scripts; in an npm script that
 * is the development dependency `node`, which comes first on the PATH whatever the machine has.
 */
const INSTALL = [20, 19];
/** Synchronous readback in Python needs WebAssembly JSPI, which Node has unflagged since 25. */
const RUN = [25, 0];

const purpose = process.argv[2] === 'install' ? 'install' : 'run';
const least = purpose === 'install' ? INSTALL : RUN;
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < least[0] || (major === least[0] && minor < least[1])) {
  const remedy =
    purpose === 'install'
      ? 'Install a current Node from https://nodejs.org, then run `npm install` again.'
      : 'The dependency `node` brings a newer one, but its install script did not run. Run\n' +
        '  npm rebuild node\n' +
        'and try again, or install a current Node from https://nodejs.org.';
  console.error(
    `\nHippocamp needs Node ${least.join('.')} or newer to ${purpose}; this is Node ` +
      `${process.versions.node} (${process.execPath}).\n${remedy}\n`,
  );
  process.exit(1);
}
