import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { configInvalid } from '../../core/errors.ts';
import { isMapping } from '../../core/source/path.ts';
import { formatProblem } from '../../core/source/problems.ts';
import { parseReference } from '../../core/source/reference.ts';
import { commonFields } from '../../core/source/schema.ts';
import type { SourceConfig } from '../../core/source/source.ts';
import { registry } from '../../context-registry.ts';
import { parseListed } from '../../platform/platforms-for.ts';
import { loadedOf } from '../../platform/registry.ts';
import type { KindName, Platform } from '../../platform/contract.ts';
import { draftText, fieldsOf, sampleFields, sampleOptions } from '../../source/draft.ts';
import type { DraftField } from '../../source/draft.ts';
import { platformsAt } from '../../source/platforms-at.ts';
import type { Questions } from '../../terminal/questions.ts';
import { askField, faultIn, needed } from './source-answers.ts';
import type { Answer } from './source-answers.ts';
import { localNow } from './source-files.ts';
import { chooseSensors, showReadings, stoppable, tryCredentials } from './source-tries.ts';
import type { Making } from './source-tries.ts';

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
  const comments = new Map<string, string>();
  const fields = await connectionFields(platform, kind);
  let connection = await askConnection(questions, fields, { name, url, comments, making });
  const asked = new Map<string, Answer>();
  for (const field of options) {
    asked.set(field.key, await askField(questions, field, { name, env: making.env }));
    comments.set(`options.${field.key}`, field.description);
  }
  const sourceWith = (which: keyof Answer, project: string, every: string) => ({
    name,
    project,
    kind,
    platform: platform.name,
    connection: textsOf(connection, which),
    ...(options.length > 0 && { options: textsOf(asked, which) }),
    schedule: { every },
  });
  if (!declares) {
    // Before anything else is asked, because a wrong password makes all other answers worth nothing.
    while (
      (await tryCredentials(questions, await configOf(sourceWith('used', name, '1m')), platform, making)) === 'again'
    )
      connection = await askConnection(questions, fields, { name, url, comments, making });
  }
  const project = await askProject(questions, name, making);
  const every = await questions.text('How often it is asked', { otherwise: '1m', fault: needed });
  const written = sourceWith('written', project, every);
  if (declares) return await writeDraft(questions, written, { platform, comments, making });
  const source = sourceWith('used', project, every);
  const sensors = await chooseSensors(questions, await configOf(source), platform, making);
  const also = sensors === undefined ? {} : { sensors };
  await showReadings(questions, await configOf({ ...source, ...also }), platform, making);
  const whole = { ...written, ...also };

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

const textsOf = (answers: ReadonlyMap<string, Answer>, which: keyof Answer): Record<string, string> =>
  Object.fromEntries([...answers].map(([key, answer]) => [key, answer[which]]));

/** The address and the credentials. */
async function askConnection(
  questions: Questions,
  fields: readonly DraftField[],
  {
    name,
    url,
    comments,
    making,
  }: Readonly<{ name: string; url: string; comments: Map<string, string>; making: Making }>,
): Promise<ReadonlyMap<string, Answer>> {
  const connection = new Map<string, Answer>([['url', { written: url, used: url }]]);
  for (const field of fields) {
    const answer = await askField(questions, field, { name, env: making.env });
    comments.delete(`connection.${field.key}`);
    if (answer.written === '') continue;
    connection.set(field.key, answer);
    if (field.secret && parseReference(answer.written)?.from === 'env')
      comments.set(`connection.${field.key}`, 'Set this variable where the bridge runs.');
  }
  return connection;
}

/** The project, one that exists by default where the bridge is at hand. */
async function askProject(questions: Questions, name: string, { projects }: Making): Promise<string> {
  const known = await projects();
  const [first] = known;
  const shown = known.slice(0, PROJECTS_SHOWN).join(', ');
  const hint =
    first === undefined
      ? ''
      : ` (there ${known.length === 1 ? 'is' : 'are'} ${shown}${known.length > PROJECTS_SHOWN ? ', …' : ''})`;
  const project = await questions.text(`ML project code its readings go to${hint}`, {
    otherwise: first === undefined || known.includes(name) ? name : first,
    fault: needed,
  });
  if (first !== undefined && !known.includes(project))
    questions.tell(`  there is no project ${project} yet: databridge project create ${project}`);
  return project;
}

const PROJECTS_SHOWN = 5;

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
