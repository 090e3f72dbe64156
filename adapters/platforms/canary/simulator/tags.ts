import type { TruthSpec } from '../../../../src/simulator/truth.ts';

/** A tag and the key of the truth behind it. */
export interface Tag {
  readonly name: string;
  readonly device: string;
  readonly key: string;
}

export const tagsOfTruth = ({ devices }: TruthSpec): Tag[] =>
  devices.flatMap(({ id, keys }) => keys.map(({ name }) => ({ name: `${id}.${name}`, device: id, key: name })));

const isBelow = (path: string, parent: string): boolean =>
  parent === '' || path === parent || path.startsWith(`${parent}.`);

/** The nodes one step below a path, by name: a node is a part of the path of a tag, not the tag itself. */
export function childrenOf(tags: readonly Tag[], path: string): Record<string, object> {
  const steps = path === '' ? 0 : path.split('.').length;
  const below = tags.filter(({ device }) => isBelow(device, path) && device !== path);
  const names = [
    ...new Set(
      below.map(({ device }) =>
        device
          .split('.')
          .slice(0, steps + 1)
          .join('.'),
      ),
    ),
  ];
  return Object.fromEntries(
    names.map((fullPath) => {
      const hasNodes = tags.some(({ device }) => isBelow(device, fullPath) && device !== fullPath);
      const hasTags = tags.some(({ device }) => device === fullPath);
      return [fullPath.split('.').at(-1) ?? '', { fullPath, hasNodes, hasTags }];
    }),
  );
}

/** Full names of the tags of a path, with `deep` also of all paths below; every word of the search must be in a name. */
export function tagsBelow(
  tags: readonly Tag[],
  path: string,
  { deep, search }: { readonly deep: boolean; readonly search: string },
): string[] {
  const words = search.toLowerCase().split(' ');
  return tags
    .filter(({ device }) => (deep ? isBelow(device, path) : device === path))
    .map(({ name }) => name)
    .filter((name) => words.every((word) => name.toLowerCase().includes(word)));
}
