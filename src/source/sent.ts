import { isDeepStrictEqual } from 'node:util';
import { sealedPaths, unseal } from '../access/sealed-config.ts';
import type { Sealing } from '../access/sealing.ts';
import type { Instant } from '../core/instant.ts';
import { configInvalid } from '../core/errors.ts';
import { formatPath, isMapping, parsePath, valueAt } from '../core/source/path.ts';
import type { Path } from '../core/source/path.ts';
import { parseReference } from '../core/source/reference.ts';
import { DEFAULT_ORGANISATION } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import type { Database } from '../database/database.ts';
import type { Platform } from '../platform/contract.ts';
import { platformsFor } from '../platform/platforms-for.ts';
import { loadedOf } from '../platform/registry.ts';
import type { Registry } from '../platform/registry.ts';
import { configOf } from './configs.ts';
import type { FileProblem } from './configs.ts';
import { withDocuments } from './document-apart.ts';
import type { ReadSource } from './document.ts';
import { HIDDEN } from './shown-config.ts';

/** Where a source arrives that was sent over the network. */
export interface SentPlace {
  readonly database: Database;
  readonly sealing: Sealing;
  readonly registry: Registry;
}

/** A source that was sent, its platform, and the registry that holds it, also where it is that of an adapter. */
export interface SentSource {
  readonly config: SourceConfig;
  readonly platform: Platform;
  readonly registry: Registry;
}

/** The file name in the problems of a source that was sent. */
const BODY = 'body';

/** The fields that decide to which place the secrets of a source are sent, and the code that sends them. */
const PLACE = ['kind', 'platform', 'adapter', 'connection', 'tls', 'options'] as const;

/**
 * Reads one source in YAML or JSON that an operator sent from another computer. A secret that reads `(secret)`, as configurations are
 * shown, stays the stored one while the place is the same. References to secrets of this computer, and adapters, are taken from an
 * operator with `trusted` only, because they hand secrets and code of this computer to the address that the source names; others may
 * send those that the stored source has, with the place unchanged.
 */
export async function sentSource(
  place: SentPlace,
  text: string,
  { now, trusted }: { readonly now: Instant; readonly trusted: boolean },
): Promise<SentSource | { readonly problems: readonly FileProblem[] }> {
  return await withDocuments(BODY, text, async (apart) => {
    const read = await sourceIn(place, apart.documents, { now, trusted });
    if (!('problems' in read)) return read;
    const { document, problems } = read;
    if (document === undefined) return { problems };
    const places = await apart.placesOf(
      document,
      problems.map(({ path }) => path),
    );
    return { problems: problems.map((problem, index) => ({ ...problem, ...places[index] })) };
  });
}

/** The source of a text, or its problems; `document`: the one whose places they have to get yet. */
async function sourceIn(
  place: SentPlace,
  documents: readonly ReadSource[],
  { now, trusted }: { readonly now: Instant; readonly trusted: boolean },
): Promise<SentSource | { readonly problems: readonly FileProblem[]; readonly document?: number }> {
  const problems = documents.flatMap((one) => (one.ok ? [] : [problemOf(one)]));
  const [read, second] = documents;
  if (problems.length > 0 || read === undefined || !read.ok) return { problems };
  if (second !== undefined) {
    const start = { file: BODY, line: 1, column: 1 };
    return {
      problems: [problemOf({ ...start, message: 'holds several sources', remedy: 'send one source at a time' })],
    };
  }
  const { document } = read;
  const kept = await withStoredSecrets(place, read.input);
  const refused = [...kept.problems, ...(trusted ? [] : untrusted(kept)), ...tableIn(kept.input)];
  if (refused.length > 0) {
    const start = { file: BODY, line: 1, column: 1 };
    return { document, problems: refused.map((problem) => ({ ...start, ...problem })) };
  }
  const parsed = await configOf({ ...read, input: kept.input }, place.registry, now);
  if ('problems' in parsed) return { document, problems: parsed.problems };
  const config = parsed.source;
  const [platform] = await loadedOf(await platformsFor(place.registry, config), [config.platform]);
  const registry = { ...place.registry, platforms: [...place.registry.platforms, platform as Platform] };
  return { config, platform: platform as Platform, registry: config.adapter === undefined ? place.registry : registry };
}

type Problem = Pick<FileProblem, 'path' | 'message' | 'remedy'>;

const problemOf = ({ file, line, column, message, remedy }: Omit<FileProblem, 'path'>): FileProblem => ({
  file,
  line,
  column,
  path: '',
  message,
  remedy,
});

interface Kept {
  readonly input: unknown;
  /** The stored configuration, with its secrets; undefined for a new source. */
  readonly stored: unknown;
  readonly isSamePlace: boolean;
  readonly problems: readonly Problem[];
}

async function withStoredSecrets({ database, sealing }: SentPlace, input: unknown): Promise<Kept> {
  const { name, organisation = DEFAULT_ORGANISATION } = isMapping(input) ? input : {};
  // The schema of a source judges both later.
  const isFindable = typeof name === 'string' && typeof organisation === 'string';
  const row = isFindable
    ? await database.row<{ config: unknown }>('select config from source where name = $1 and organisation_id = $2', [
        name,
        organisation,
      ])
    : undefined;
  if (row === undefined || !isMapping(input)) return { input, stored: undefined, isSamePlace: false, problems: [] };
  const stored = await unseal(row.config, sealing);
  const kept: unknown = structuredClone(input);
  const shown: string[] = [];
  for (const secret of sealedPaths(row.config)) {
    const path = parsePath(secret) ?? [];
    if (valueAt(kept, path) !== HIDDEN) continue;
    shown.push(secret);
    setAt(kept, path, valueAt(stored, path));
  }
  const isSamePlace = PLACE.every((field) => isDeepStrictEqual(valueAt(kept, [field]), valueAt(stored, [field])));
  const problems = shown.map((path) => ({
    path,
    message: `is ${HIDDEN}, and ${PLACE.join(', ')} are not all as they were`,
    remedy: 'send the secret itself, because a stored one is never sent to another place',
  }));
  return { input: kept, stored, isSamePlace, problems: isSamePlace ? [] : problems };
}

function setAt(value: unknown, path: Path, found: unknown): void {
  const holder = valueAt(value, path.slice(0, -1)) as Record<PropertyKey, unknown>;
  holder[path.at(-1) as PropertyKey] = found;
}

/**
 * Throws `config-invalid` where a configuration of before has references to secrets of this computer, or an adapter, for another place
 * than the source has now: an operator who may not send such a configuration may not take it back either.
 */
export async function assertSamePlace(place: SentPlace, { raw }: Pick<SourceConfig, 'raw'>): Promise<void> {
  const [problem] = untrusted(await withStoredSecrets(place, raw));
  if (problem !== undefined)
    throw configInvalid(`${problem.path} ${problem.message}`, 'let an admin restore the source');
}

/** The references and the adapter that need an operator who is trusted with the secrets of this computer. */
function untrusted({ input, isSamePlace }: Kept): readonly Problem[] {
  if (isSamePlace) return [];
  const found: Problem[] = referencesIn(input).map((path) => ({
    path: formatPath(path),
    message: 'refers to a secret of the computer of the bridge, which needs the role admin',
    remedy: 'send the secret itself, which is stored sealed, or let an admin apply the source',
  }));
  if (!isMapping(input) || input['adapter'] === undefined) return found;
  const remedy = 'let an admin apply the source';
  return [
    ...found,
    { path: 'adapter', message: 'names code that the bridge loads, which needs the role admin', remedy },
  ];
}

/** The paths of all texts that are references. */
function referencesIn(input: unknown): readonly Path[] {
  const found: Path[] = [];
  const look = (value: unknown, path: Path): void => {
    if (typeof value === 'string') {
      if (parseReference(value) !== undefined) found.push(path);
    } else if (Array.isArray(value)) for (const [index, item] of value.entries()) look(item, [...path, index]);
    else if (isMapping(value)) for (const [key, item] of Object.entries(value)) look(item, [...path, key]);
  };
  look(input, []);
  return found;
}

function tableIn(input: unknown): readonly Problem[] {
  const table = valueAt(input, ['sensors', 'table']);
  if (table === undefined) return [];
  const message = 'names a file, and only the source itself was sent';
  return [{ path: 'sensors.table', message, remedy: 'send the sensors as a list' }];
}
