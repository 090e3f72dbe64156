import { stringify } from 'yaml';
import { BridgeError } from '../../core/errors.ts';
import { reasonFirst } from '../../core/fault-words.ts';
import { SECOND } from '../../core/instant.ts';
import type { RefusalReason } from '../../core/reading.ts';
import { titleOf } from '../../core/source/source-name.ts';
import type { SourceName } from '../../core/source/source-name.ts';
import { allRefusedInWords } from '../../source/all-refused.ts';
import { isPattern, ofOneOrganisation, onlyOne } from '../../source/find-source.ts';
import type { ExpectedRevision } from '../../source/revision.ts';
import type { SourceChange } from '../../source/state-change.ts';
import { confirm } from '../../terminal/confirm.ts';
import { EXIT, printExactly, printJson, printLine, printTable } from '../../terminal/output.ts';
import type { Cell } from '../../terminal/output.ts';
import { roughly, short } from '../../terminal/words.ts';
import { bridgeAt } from './bridge-elsewhere.ts';
import type { ApiDocument, BridgeElsewhere } from './bridge-elsewhere.ts';
import type { ListSourcesOptions } from './source-list.ts';
import { printAllChanged, printChanged } from './source.ts';
import type { ChangeOptions, Ended } from './source.ts';

/** The path of a source below `/api/v1`. */
export const apiPathOf = ({ organisation, name }: SourceName): string =>
  `/sources/${encodeURIComponent(organisation)}/${encodeURIComponent(name)}`;

const named = ({ name, organisation }: ApiDocument): SourceName => ({
  name: String(name),
  organisation: String(organisation),
});

/** The sources that a name or pattern means, as `findSources` finds them in a database. */
async function sourcesNamed(
  bridge: BridgeElsewhere,
  name: string,
  organisation: string | undefined,
): Promise<readonly SourceName[]> {
  // The longest part without a wildcard narrows the list.
  const [text = ''] = name.split(/[*?]+/).toSorted((one, other) => other.length - one.length);
  const all = (await bridge.list('/sources', { text, organisation }, Infinity)).map(named);
  if (!isPattern(name))
    return [
      onlyOne(
        all.filter((one) => one.name === name),
        { name, organisation },
      ),
    ];
  const parts = name
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  const pattern = new RegExp(`^${parts}$`);
  return ofOneOrganisation(
    all.filter((one) => pattern.test(one.name)),
    name,
    organisation,
  );
}

/** The source of a name. Throws `config-invalid` for an unknown one, and for one that stands in several organisations. */
export async function sourceNamed(
  bridge: BridgeElsewhere,
  name: string,
  organisation: string | undefined,
): Promise<SourceName> {
  return (await sourcesNamed(bridge, name, organisation))[0] as SourceName;
}

/** The revision that a source has now, so that a change of it is refused where another operator changes it meanwhile; null: there is none. */
export async function revisionAt(
  bridge: BridgeElsewhere,
  { name, organisation }: SourceName,
): Promise<ExpectedRevision> {
  const listed = await bridge.list('/sources', { text: name, organisation }, Infinity);
  if (listed.every((one) => one['name'] !== name)) return null;
  return String((await bridge.send('GET', apiPathOf({ name, organisation })))['revisionTag']);
}

const FAULT_LENGTH = 60;

/** Its fault, or that every point of it was refused. */
function whyOf(line: Readonly<Record<string, unknown>>): string {
  const fault = line['fault'] as { readonly message: string } | null;
  // A bridge of an earlier version does not say it.
  const allRefused = line['allRefused'] as { readonly reason: RefusalReason } | null | undefined;
  return fault?.message ?? (allRefused ? allRefusedInWords(allRefused.reason) : '');
}

/** The age of the newest reading; a bridge of an earlier version does not say it. */
function newestOf(line: Readonly<Record<string, unknown>>): Cell {
  const age = line['newestAgeSeconds'] as number | null | undefined;
  return age === undefined ? null : age === null ? 'never' : roughly(age * SECOND);
}

/** `source list` of a bridge elsewhere. */
export const listElsewhere =
  (url: string) =>
  async ({ behind, limit = Infinity, json, ...query }: ListSourcesOptions): Promise<void> => {
    const bridge = await bridgeAt(url);
    const { condition, platform, sort } = query;
    const lines = await bridge.list(
      '/sources',
      {
        state: condition,
        platform,
        sort,
        behind: behind ? 'true' : undefined,
      },
      limit,
    );
    if (json) printJson(lines);
    else if (lines.length === 0) printLine('no sources');
    else {
      printTable(
        ['name', 'project', 'platform', 'condition', 'every', 'streams', 'lag', 'newest', '24h', 'last fault'],
        lines.map((line): Cell[] => [
          titleOf(named(line)),
          line['project'] as string,
          line['platform'] as string,
          line['condition'] as string,
          line['every'] as string,
          line['streams'] as number,
          line['lagSeconds'] === null ? null : roughly((line['lagSeconds'] as number) * SECOND),
          newestOf(line),
          line['readings24h'] as number,
          short(reasonFirst(whyOf(line)), FAULT_LENGTH),
        ]),
      );
    }
  };

/** `source show` of a bridge elsewhere. */
export const showElsewhere =
  (url: string) =>
  async (name: string, { organisation, json }: { organisation?: string; json?: boolean }): Promise<void> => {
    const bridge = await bridgeAt(url);
    const path = apiPathOf(await sourceNamed(bridge, name, organisation));
    const { nextStreams, nextWindows: _, configLeftOut, ...shown } = await bridge.send('GET', path);
    const streams = [...(shown['streams'] as ApiDocument[])];
    for (let next = nextStreams; typeof next === 'string';) {
      const page = await bridge.send('GET', `${path}/streams?limit=100&cursor=${next}`);
      streams.push(...(page['items'] as ApiDocument[]));
      next = page['next'];
    }
    Object.assign(shown, { streams, ...(configLeftOut === true && { configLeftOut }) });
    if (json) printJson(shown);
    else printExactly(stringify(shown).trimEnd());
  };

/** `source pause`, `source resume`, `source poll` and `source remove` of a bridge elsewhere. */
export const changeElsewhere =
  (url: string, change: SourceChange) =>
  async (names: readonly string[], { organisation, yes, json = false }: ChangeOptions): Promise<void> => {
    const bridge = await bridgeAt(url);
    const found = new Map<string, SourceName>();
    for (const name of names) {
      for (const source of await sourcesNamed(bridge, name, organisation)) found.set(titleOf(source), source);
    }
    // The removal that is confirmed is that of the sources as they are now.
    const revisions = new Map<SourceName, ExpectedRevision>();
    if (change === 'remove') {
      for (const source of found.values()) revisions.set(source, await revisionAt(bridge, source));
    }
    const titles = [...found.keys()].join(', ');
    if (change === 'remove' && yes !== true && !(await confirm(`Remove ${titles} of ${url}, with the coverage?`))) {
      printLine('nothing was removed');
      process.exitCode = EXIT.failed;
      return;
    }
    const one = async (source: SourceName): Promise<Ended> => {
      const document = await (change === 'remove'
        ? bridge.send('DELETE', apiPathOf(source), undefined, revisions.get(source))
        : bridge.send('POST', `${apiPathOf(source)}/${change}`));
      return { source, waits: document['outboxFull'] === true };
    };
    const [name = ''] = names;
    const [only] = found.values();
    if (names.length === 1 && !isPattern(name) && only !== undefined) {
      printChanged(change, await one(only), json);
      return;
    }
    const changed: Ended[] = [];
    for (const source of found.values()) {
      try {
        changed.push(await one(source));
      } catch (error) {
        if (!(error instanceof BridgeError) || error.code !== 'config-invalid') throw error;
        changed.push({ source, waits: false, error });
      }
    }
    printAllChanged(change, changed, json);
  };
