/** The wheels that go with a run: those kept that the program imports or declares. */
import type { ProgramFiles } from '../events';
import type { RunWheel } from '../workers/protocol';
import { wheelsOf } from './needs';
import { bytesOf, loadKept, usePackages } from './store';

export async function wheelsFor(files: ProgramFiles, entry: string): Promise<readonly RunWheel[]> {
  const lock = await loadKept();
  const { kept } = usePackages.getState();
  const chosen = wheelsOf(files, entry, kept, lock);
  const wheels: RunWheel[] = [];
  for (const { fileName, name } of chosen) {
    const bytes = await bytesOf(
      fileName,
      lock.packages.get(name)?.fileName === fileName ? lock.packages.get(name)!.sha256 : null,
    );
    if (bytes) wheels.push({ fileName, bytes });
  }
  return wheels;
}
