/**
 * Place in the visitor's own files that something comes from: for code of our library, the call of
 * it.
 */
import type { Location } from '../ir/location';

export function ownPlace(location: Location, files: Readonly<Record<string, string>>): Location {
  let at = location;
  while (!(at.file in files) && at.inlinedAt) at = at.inlinedAt;
  return at;
}
