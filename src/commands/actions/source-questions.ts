import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { counted } from '../../core/counted.ts';
import { BridgeError, asBridgeError, configInvalid } from '../../core/errors.ts';
import { MINUTE } from '../../core/instant.ts';
import { isMapping } from '../../core/source/path.ts';
import { formatProblem } from '../../core/source/problems.ts';
import { parseReference } from '../../core/source/reference.ts';
import { commonFields } from '../../core/source/schema.ts';
import type { SourceConfig } from '../../core/source/source.ts';
import { registry } from '../../context-registry.ts';
import { parseListed } from '../../platform/platforms-for.ts';
import { loadedOf } from '../../platform/registry.ts';
import type { KindName, Platform } from '../../platform/contract.ts';
import type { Settings } from '../../settings.ts';
import { draftText, fieldsOf, sampleFields, sampleOptions } from '../../source/draft.ts';
import type { DraftField } from '../../source/draft.ts';
import { previewSource } from '../../source/preview.ts';
import { platformsAt } from '../../source/platforms-at.ts';
import { chosenEntries, searchSensors } from '../../source/sensor-search.ts';
import { table } from '../../terminal/output.ts';
import type { Questions } from '../../terminal/questions.ts';
import { READING_FIELDS, readingCells } from '../../terminal/reading-rows.ts';
import { short, widthOf } from '../../terminal/words.ts';
import { askField, faultIn, needed, numbersIn } from './source-answers.ts';
import { localNow } from './source-files.ts';

interface Making {
  readonly file: string | undefined;
  readonly platform: Platform | undefined;
  readonly egress: Settings['egress'];
  /** Holds the secrets that the operator types for this run. */
  readonly env: Record<string, string | undefined>;
}

const SHOWN = 20;

/** Asks for everything that a source needs, tries it, and writes its file after the last question. */
export async function makeSource(questions: Questions, making: Making): Promise<void> {
  const { tell } = questions;
  tell('Enter takes the answer in brackets; Ctrl-C ends this and leaves no file.');
  const url = await questions.text('Address of the API', {
    fault: faultIn(fieldsOf(registry.kinds['user-credentials'])[0]),
  });
  const platform = making.platform ?? (await choosePlatform(questions, url, making));
  const kind = await chooseKind(questions, platform);
  const { options, declares } = optionsOf(platform);
  const fault = (answer: string): string | undefined =>
    commonFields.name.safeParse(answer).success ? undefined : 'a-z, 0-9 and "-", at most 63 characters';
  const suggested = basename(making.file ?? '', '.yaml');
  const otherwise = fault(suggested) === undefined ? suggested : platform.name;
  const name = await questions.text('Name of the source', { otherwise, fault });
  const project = await questions.text('ML project code its readings go to', { otherwise: name, fault: needed });

  const comments = new Map<string, string>();
  const connection: Record<string, string> = { url };
  for (const field of await connectionFields(platform, kind)) {
    const answer = await askField(questions, field, { name, env: making.env });
    if (answer === '') continue;
    connection[field.key] = answer;
    if (field.secret && parseReference(answer)?.from === 'env')
      comments.set(`connection.${field.key}`, 'Set this variable where the bridge runs.');
  }
  const asked: Record<string, string> = {};
  for (const field of options) {
    asked[field.key] = await askField(questions, field, { name, env: making.env });
    comments.set(`options.${field.key}`, field.description);
  }
  const every = await questions.text('How often it is asked', { otherwise: '1m', fault: needed });

  const source = {
    name,
    project,
    kind,
    platform: platform.name,
    connection,
    ...(options.length > 0 && { options: asked }),
    schedule: { every },
  };
  if (declares) return await writeDraft(questions, source, { platform, comments, making });
  const sensors = await chooseSensors(questions, await configOf(source), platform, making);
  const whole = sensors === undefined ? source : { ...source, sensors };
  await showReadings(questions, await configOf(whole), platform, making);

  comments.set('schedule', 'A start like 7d also fetches the last week.');
  comments.set('sensors', 'Only these are read. Many sensors may stand in a table: sensors: { table: ./tags.csv }');
  const path = await pathFor(questions, making, name);
  await write(
    path,
    draftText(
      whole,
      [`${platform.title}. The fields are described in ${platform.docs}`, `Try it: databridge source check ${path}`],
      comments,
    ),
  );
  tell(`\nwrote ${path}\n  databridge source check ${path}\n  databridge source apply ${path}`);
}

const pathFor = async (questions: Questions, { file }: Making, name: string): Promise<string> =>
  file ?? (await questions.text('File to write', { otherwise: `${name}.yaml`, fault: needed }));

/** Writes the file of a source whose options describe its API: nothing can be tried before they do. */
async function writeDraft(
  questions: Questions,
  source: { readonly name: string; readonly schedule: unknown },
  { platform, comments, making }: Readonly<{ platform: Platform; comments: Map<string, string>; making: Making }>,
): Promise<void> {
  const { tell } = questions;
  tell(`${platform.title} is described by its options, so the file begins with the options of the sample`);
  const sample = await sampleOptions(platform);
  for (const [place, description] of sample.comments) comments.set(place, description);
  const { schedule, ...before } = source;
  const path = await pathFor(questions, making, source.name);
  const heading = [
    `A DRAFT: the options below describe the API of the sample. Change them to those of yours.`,
    `Each has its meaning above it; adapters/platforms/${platform.name}/README.md has the whole table and examples.`,
    `Then try it: databridge source check ${path}`,
  ];
  await write(path, draftText({ ...before, options: sample.options, schedule }, heading, comments));
  tell(`\nwrote ${path}: edit its options, which are those of the sample, then\n  databridge source check ${path}`);
}

async function choosePlatform(questions: Questions, url: string, making: Making): Promise<Platform> {
  questions.tell(`asking ${new URL(url).host} for its platform, without credentials`);
  const given = { now: localNow, signal: questions.signal, ...making.egress };
  const all = await loadedOf(registry.platforms);
  const { found, trouble } = await stoppable(questions, platformsAt(url, all, given));
  for (const { title } of found) questions.tell(`it answers like ${title}`);
  if (trouble !== undefined)
    questions.tell(`${trouble.message}${trouble.remedy === undefined ? '' : `\n  try: ${trouble.remedy}`}`);
  else if (found.length === 0) questions.tell('it cannot be told without credentials');
  const platforms = [...new Set([...found, ...all])];
  const choices = platforms.map(({ name, title }) => ({ value: name, label: `${name.padEnd(16)} ${title}` }));
  const chosen = await questions.choose('Platform', choices);
  return platforms.find(({ name }) => name === chosen) as Platform;
}

async function chooseKind(questions: Questions, platform: Platform): Promise<KindName> {
  const kinds = Object.keys(platform.kinds) as KindName[];
  if (kinds.length === 1) return kinds[0] as KindName;
  const choices = kinds.map((value) => ({
    value,
    label: `${value.padEnd(20)} ${registry.kinds[value].description ?? ''}`,
  }));
  return (await questions.choose('Kind of credentials', choices)) as KindName;
}

/** The options without which a source cannot be; none to ask for where one of them is no text, as for an API that options declare. */
function optionsOf(platform: Platform): { readonly options: readonly DraftField[]; readonly declares: boolean } {
  const fields = fieldsOf(platform.options).filter(({ optional }) => !optional);
  const declares = fields.some(({ isText, choices }) => !isText && choices.length === 0);
  return { options: declares ? [] : fields, declares };
}

async function connectionFields(platform: Platform, kind: KindName): Promise<readonly DraftField[]> {
  const fields = fieldsOf(registry.kinds[kind]).filter(({ key }) => key !== 'url');
  if (kind !== 'custom') return fields;
  const named = await sampleFields(platform);
  return (named.length > 0 ? named : ['apiKey']).map((key) => ({
    key,
    description: `${key}, as the README of ${platform.name} says`,
    secret: true,
    optional: false,
    choices: [],
    example: undefined,
    isText: true,
    fault: () => undefined,
  }));
}

async function configOf(source: object): Promise<SourceConfig> {
  const parsed = await parseListed(source, registry.platforms, { kinds: registry.kinds, now: localNow() });
  if (parsed.ok) return parsed.source;
  const [problem] = parsed.problems;
  throw configInvalid(
    problem === undefined ? 'the answers make no source' : formatProblem(problem),
    'begin again, or with the sample: databridge source new --platform NAME --print',
  );
}

/** The sensors to list; undefined for all. */
async function chooseSensors(
  questions: Questions,
  config: SourceConfig,
  platform: Platform,
  { egress }: Making,
): Promise<readonly object[] | undefined> {
  const { tell, signal } = questions;
  for (;;) {
    const search = await questions.text('Find sensors by a part of their name (Enter: the first ones)');
    const given = { now: localNow, signal, ...egress, search, limit: SHOWN };
    const found = await tried(questions, searchSensors(config, platform, given));
    if (found === undefined) return undefined;
    for (const [place, { id, name }] of found.sensors.entries())
      tell(
        `  ${String(place + 1).padStart(2)}  ${short(name === undefined || name === id ? id : `${id}  ${name}`, 70)}`,
      );
    tell(`${found.product}: ${found.sensors.length} shown${found.complete ? '' : '; there are more'}`);
    const answer = await questions.text('Which? Numbers like 1,3-5, or "shown", "search"', {
      otherwise: 'all sensors',
      fault: (typed) =>
        WORDS.includes(typed) || numbersIn(typed, found.sensors.length) !== undefined
          ? undefined
          : `give numbers from 1 to ${found.sensors.length}, or one of: ${WORDS.join(', ')}`,
    });
    if (answer === 'all sensors') return undefined;
    if (answer === 'search') continue;
    const places = numbersIn(answer, found.sensors.length);
    const entries = chosenEntries(
      places === undefined ? found.sensors : found.sensors.filter((_, place) => places.has(place + 1)),
    );
    if (entries.length > 0) return entries;
    tell('there is none that a file can name');
  }
}

const WORDS = ['all sensors', 'shown', 'search'];

async function showReadings(
  questions: Questions,
  config: SourceConfig,
  platform: Platform,
  { egress }: Making,
): Promise<void> {
  const from = localNow() - config.schedule.settle - 10 * MINUTE;
  const given = { now: localNow, signal: questions.signal, ...egress, maxReadings: 50_000, limit: 5 };
  questions.tell('reading the last ten minutes');
  const preview = await tried(questions, previewSource(config, platform, { ...given, range: { from, to: undefined } }));
  if (preview === undefined) return;
  if (preview.sample.length > 0)
    questions.tell(table(READING_FIELDS, preview.sample.map(readingCells), { width: widthOf(process.stdout) }));
  const refused = [...preview.refused.values()].reduce((sum, count) => sum + count, 0);
  questions.tell(
    `${counted(preview.readings, 'reading')} of ${preview.series} series, ${refused} refused; nothing was saved`,
  );
}

/** The result of work on the platform; undefined where it fails and the operator goes on without it. */
async function tried<T>(questions: Questions, work: Promise<T>): Promise<T | undefined> {
  try {
    return await stoppable(questions, work);
  } catch (error) {
    if (questions.signal.aborted) throw error;
    const { message, remedy } = asBridgeError(error);
    questions.tell(`${message}${remedy === undefined ? '' : `\n  try: ${remedy}`}`);
    const choices = [
      { value: 'end', label: 'end, and write no file' },
      { value: 'on', label: 'go on without it' },
    ];
    if ((await questions.choose('How now?', choices)) === 'on') return undefined;
    throw error;
  }
}

async function stoppable<T>({ signal }: Questions, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw signal.aborted
      ? new BridgeError({ code: 'cancelled' }, 'interrupted: no file was written', { cause: error })
      : error;
  }
}

async function write(path: string, text: string): Promise<void> {
  try {
    // A file in clear may hold a secret, so only its owner may read it.
    await writeFile(path, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const exists = isMapping(error) && error['code'] === 'EEXIST';
    throw configInvalid(
      `${path} ${exists ? 'exists' : 'cannot be written'}`,
      exists ? 'give another name, or move it away' : 'check the directory and its permissions',
    );
  }
}
