import { counted } from '../../core/counted.ts';
import { BridgeError, asBridgeError } from '../../core/errors.ts';
import { MINUTE } from '../../core/instant.ts';
import type { SourceConfig } from '../../core/source/source.ts';
import type { Platform } from '../../platform/contract.ts';
import type { Settings } from '../../settings.ts';
import { previewSource } from '../../source/preview.ts';
import { chosenEntries, searchSensors } from '../../source/sensor-search.ts';
import { table } from '../../terminal/output.ts';
import type { Questions } from '../../terminal/questions.ts';
import { READING_FIELDS, readingCells } from '../../terminal/reading-rows.ts';
import { short, widthOf } from '../../terminal/words.ts';
import { numbersIn } from './source-answers.ts';
import { localNow } from './source-files.ts';

/** What `source new` works with. */
export interface Making {
  readonly file: string | undefined;
  readonly platform: Platform | undefined;
  readonly egress: Settings['egress'];
  /** The codes of the projects of the bridge, where one is at hand. */
  readonly projects: () => Promise<readonly string[]>;
  /** Holds the secrets that the operator types for this run. */
  readonly env: Record<string, string | undefined>;
}

const SHOWN = 20;

/** Asks the platform for its product and a sensor. `again`: the operator wants to give the credentials once more. */
export async function tryCredentials(
  questions: Questions,
  config: SourceConfig,
  platform: Platform,
  { egress }: Making,
): Promise<'again' | 'on'> {
  questions.tell('trying the credentials');
  const given = { now: localNow, signal: questions.signal, ...egress, search: '', limit: 1 };
  const again = [{ value: 'again', label: 'give the credentials once more' }];
  const found = await tried(questions, searchSensors(config, platform, given), again);
  if (found === 'again') return 'again';
  if (found !== undefined) questions.tell(`${found.product} takes them`);
  return 'on';
}

/** The sensors to list; undefined for all. */
export async function chooseSensors(
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
    if (found === undefined || found === 'again') return undefined;
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

/** The newest readings as they would be stored. */
export async function showReadings(
  questions: Questions,
  config: SourceConfig,
  platform: Platform,
  { egress }: Making,
): Promise<void> {
  const from = localNow() - config.schedule.settle - 10 * MINUTE;
  const given = { now: localNow, signal: questions.signal, ...egress, maxReadings: 50_000, limit: 5 };
  questions.tell('reading the last ten minutes');
  const preview = await tried(questions, previewSource(config, platform, { ...given, range: { from, to: undefined } }));
  if (preview === undefined || preview === 'again') return;
  if (preview.sample.length > 0)
    questions.tell(table(READING_FIELDS, preview.sample.map(readingCells), { width: widthOf(process.stdout) }));
  const refused = [...preview.refused.values()].reduce((sum, count) => sum + count, 0);
  questions.tell(
    `${counted(preview.readings, 'reading')} of ${preview.series} series, ${refused} refused; nothing was saved`,
  );
}

/** The result of work on the platform; undefined where it fails and the operator goes on without it, `again` where it is chosen and offered. */
async function tried<T>(
  questions: Questions,
  work: Promise<T>,
  again: readonly { readonly value: string; readonly label: string }[] = [],
): Promise<T | 'again' | undefined> {
  try {
    return await stoppable(questions, work);
  } catch (error) {
    if (questions.signal.aborted) throw error;
    const { message, remedy } = asBridgeError(error);
    questions.tell(`${message}${remedy === undefined ? '' : `\n  try: ${remedy}`}`);
    const choices = [
      ...again,
      { value: 'end', label: 'end, and write no file' },
      { value: 'on', label: 'go on without it' },
    ];
    const choice = await questions.choose('How now?', choices);
    if (choice === 'again') return 'again';
    if (choice === 'on') return undefined;
    throw error;
  }
}

/** The result of work that Ctrl-C ends. */
export async function stoppable<T>({ signal }: Questions, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw signal.aborted
      ? new BridgeError({ code: 'cancelled' }, 'interrupted: no file was written', { cause: error })
      : error;
  }
}
