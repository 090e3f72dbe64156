import type { Refusal } from '../client/api.ts';
import type { Flaw, Place } from '../parts/yaml-editor.ts';

/** The flaws of a text as the bridge names them, each at its place: that of most comes with them, of the others the field alone. */
export const flawsOf = (refusal: Refusal | undefined, yaml: string): Flaw[] =>
  (refusal?.problem.errors ?? []).map(({ pointer, detail, line, column = 1 }) => {
    const path = pointer
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    const place = line === undefined ? placeOf(yaml, path) : { line, column };
    return { ...place, text: `${path.join('.')}: ${detail}`.replace(/^: /, '') };
  });

/** Where a field stands in a text of one key a line, or the nearest field around it that does. */
function placeOf(yaml: string, path: readonly string[]): Place {
  let place: Place = { line: 0, column: 0 };
  let inside: number | undefined;
  let found = 0;
  for (const [index, text] of (path.length === 0 ? '' : yaml).split('\n').entries()) {
    const [, space, key] = /^( *)["']?([\w-]+)["']?\s*:/.exec(text) ?? [];
    if (space === undefined) continue;
    // The field around it ends here.
    if (space.length < place.column) break;
    inside ??= space.length;
    if (space.length !== inside || key !== path[found]) continue;
    place = { line: index + 1, column: space.length + 1 };
    inside = undefined;
    found += 1;
    if (found === path.length) break;
  }
  return place;
}
