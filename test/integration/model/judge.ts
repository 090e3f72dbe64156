import type { QueryResultRow } from 'pg';
import { coverageOf, subtract } from '../../../src/core/coverage.ts';
import type { Coverage } from '../../../src/core/coverage.ts';
import { MINUTE, SECOND, formatInstant } from '../../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../../src/core/instant.ts';
import type { Lease } from '../../../src/core/pace.ts';
import { formatWindow } from '../../../src/core/window.ts';
import { NEIGHBOUR, NEIGHBOUR_PACE } from './neighbour.ts';
import type { Answer } from './plant.ts';
import { BURST, EVERY, LOOKED_AT, LOOKED_BACK, NAME } from './scene.ts';
import type { Applied, Run } from './scene.ts';
import { doubtsNow, silencesWereDoubted } from './silences.ts';

/** The model: it knows the answers of the plant, the order of the commits and the truth, and nothing of the bridge's rules. */
export async function judge(run: Run): Promise<void> {
  // In one view of the database, because a statement of a killed worker may still come to its end.
  await run.database.transaction(async (client) => {
    await client.query('set transaction isolation level repeatable read read only');
    const rows: View['rows'] = async (text, values) => (await client.query(text, values)).rows;
    const view: View = { ...run, source: NAME, rows };
    const stored = await storedReadings(view);
    compare(stored, await answersInOrder(view));
    const streams = await sensorsNow(view);
    nothingCoveredUnread(run, streams);
    silencesWereDoubted(run, streams, await doubtsNow(rows));
    everythingTrueIsStored(run, streams, stored);
    paceWasKept(run, await slotsOf(view));
    if (run.neighbour === undefined) return;
    const beside: View = { ...run, plant: run.neighbour, applied: [], source: NEIGHBOUR, rows };
    compare(await storedReadings(beside), await answersInOrder(beside));
    nothingCoveredUnread(beside, await sensorsNow(beside));
    paceWasKept(beside, await slotsOf(beside));
  });
  silenceWasKept(run);
  accountWasSpared(run);
}

/** A history, and the database as it was at one instant. */
interface View extends Run {
  /** The name of the source that is judged. */
  readonly source: string;
  rows<R extends QueryResultRow>(text: string, values: unknown[]): Promise<R[]>;
}

type Readings = ReadonlyMap<string, number>;

const keyOf = (series: string, at: Instant): string => `${series} at ${formatInstant(at)}`;

async function storedReadings({ source, rows: read }: View): Promise<Readings> {
  const rows = await read<{ series: string; at: Instant; value: number }>(
    'select sensor_id as series, instant_of(at) as at, value from reading join series on series.id = series where owner = $1',
    [source],
  );
  return new Map(rows.map(({ series, at, value }) => [keyOf(series, at), value]));
}

/** The readings that follow from the answers, in the order in which they were committed: the last answer counts. */
async function answersInOrder(run: View): Promise<Readings> {
  const { plant, applied } = run;
  const commits = await run.rows<{ sensors: string[]; from: Instant; to: Instant; asked: Instant; note: number }>(
    `select sensors, instant_of(from_at) as from, instant_of(to_at) as to, instant_of(asked_at) as asked, note
     from committed where source = $1 order by id`,
    [run.source],
  );
  const notes = new Map(applied.map((one) => [one.note, one]));
  const readings = new Map<string, number>();
  for (const { sensors, from, to, asked, note } of commits) {
    const answer = plant.answers.find(
      ({ window, begun, sensors: read }) =>
        window.from === from && window.to === to && begun === asked && sensors.every((sensor) => read.includes(sensor)),
    );
    if (answer === undefined) {
      throw new Error(
        `${sensors.join()} ${formatWindow({ from, to })} was committed, but no answer was read to its end`,
      );
    }
    if (answer.note !== note) {
      const read = `${sensors.join()} ${formatWindow({ from, to })} was read under configuration ${answer.note}`;
      throw new Error(`${read} and committed while ${note} was in force`);
    }
    for (const [key, value] of readingsOf(answer, notes.get(answer.note))) readings.set(key, value);
  }
  return readings;
}

function* readingsOf(answer: Answer, config: Applied | undefined): Generator<[key: string, value: number]> {
  for (const [sensor, points] of answer.points) {
    const name = config?.renamed ? `${sensor}-renamed` : sensor;
    for (const { at, value } of points) yield [keyOf(name, at), value * (config?.scale ?? 1)];
  }
}

function compare(stored: Readings, told: Readings): void {
  for (const [key, value] of told) {
    if (!stored.has(key)) throw new Error(`${key} was answered and committed, but is not stored`);
    if (stored.get(key) !== value)
      throw new Error(`${key} is stored as ${stored.get(key)}; the last answer said ${value}`);
  }
  for (const [key] of stored) if (!told.has(key)) throw new Error(`${key} is stored, but no committed answer held it`);
}

/** A sensor, and what its stream covers. */
interface StoredSensor {
  readonly sensor: string;
  readonly covered: [Instant, Instant][];
}

async function sensorsNow({ source, rows }: View): Promise<StoredSensor[]> {
  const found = await rows<StoredSensor & Record<string, unknown>>(
    `select sensor, instants_of(covered) as covered from stream join source on source.id = source_id
       cross join jsonb_array_elements_text(selection -> 'sensors') as sensor
     where retired_at is null and source.name = $1`,
    [source],
  );
  const twice = found.find(({ sensor }, place) => found.findIndex((one) => one.sensor === sensor) < place);
  if (twice) throw new Error(`two streams read ${twice.sensor}`);
  return found;
}

const coverageFrom = (covered: readonly [Instant, Instant][]): Coverage =>
  coverageOf(covered.map(([from, to]) => ({ from, to })));

/** Every covered instant was asked of the plant, by this registration of the source, and answered to the end. */
function nothingCoveredUnread(run: Run, streams: readonly StoredSensor[]): void {
  const fresh = run.applied.findLast((one) => one.fresh)?.note ?? 0;
  for (const { sensor, covered } of streams) {
    const read = run.plant.answers.filter(({ note, sensors }) => note >= fresh && sensors.includes(sensor));
    const [unread] = subtract(coverageFrom(covered), coverageOf(read.map(({ window }) => window)));
    if (unread)
      throw new Error(`${sensor} ${formatWindow(unread)} is covered, but no answer for it was read to its end`);
  }
}

/** Every point of covered time is stored, late ones and revised values included, and nothing that the plant never had. */
function everythingTrueIsStored(run: Run, streams: readonly StoredSensor[], stored: Readings): void {
  const { plant, applied, history } = run;
  const last = applied.at(-1);
  for (const { sensor, covered } of streams) {
    if (run.broken.has(sensor)) continue;
    const name = last?.renamed ? `${sensor}-renamed` : sensor;
    // An earlier configuration may have read the time under another name; the operator reads it again or lives with that.
    const unnamed = applied.some((one) => one.renamed !== last?.renamed) && !history.readAgain;
    const names = unnamed ? [sensor, `${sensor}-renamed`] : [name];
    const unscaled = applied.some((one) => one.scale !== last?.scale) && !history.readAgain;
    for (const { from, to } of coverageFrom(covered)) {
      // The newest points may still be late.
      for (const { at, value } of plant.truth(sensor, {
        from,
        to: Math.min(to, run.time.now() - LOOKED_BACK - EVERY),
      })) {
        const found = names.map((one) => stored.get(keyOf(one, at))).find((one) => one !== undefined);
        const wanted = value * (last?.scale ?? 1);
        if (found === undefined && isLeftBehind(run, at)) continue;
        if (found === undefined) throw new Error(`${keyOf(name, at)} is true and covered, but not stored`);
        if (!unscaled && !unnamed && found !== wanted) {
          throw new Error(
            `${keyOf(name, at)} is stored as ${found}; the truth under the last configuration is ${wanted}`,
          );
        }
      }
    }
  }
}

/** A gateway kept the point until looks for it reached no further back, because its series got another name meanwhile. */
const isLeftBehind = ({ plant, applied }: Run, at: Instant): boolean =>
  applied.some(
    (config, place) =>
      config.renamed !== applied[place - 1]?.renamed &&
      at < config.at &&
      plant.cuts.some(
        ({ window, until }) => window.from <= at && at < window.to && config.at < until + LOOKED_AT + MINUTE,
      ),
  );

const LEASE = 5 * MINUTE;

/** A slot of the pace as it was granted. */
interface Slot {
  readonly source: number;
  readonly at: Instant;
  /** Requests that were under way with it, also those that were given up and may still run. */
  readonly underWay: number;
  /** What the configuration in force allowed then. */
  readonly rate: number;
  readonly concurrency: number;
  /** How far ahead the clock was. */
  readonly ahead: Microseconds;
}

/** All slots that were ever granted, in order. A lease that is abandoned later is no second slot. */
async function slotsOf({ source: name, rows: read, applied }: View): Promise<Slot[]> {
  const rows = await read<{ source: number; leases: readonly Lease[]; note: number; ahead: Microseconds }>(
    'select source_id as source, leases, note, ahead from pace_once where source = $1 order by id',
    [name],
  );
  const paces = new Map(applied.map(({ note, rate, concurrency }) => [note, { rate, concurrency }]));
  const seen = new Set<string>();
  const slots: Slot[] = [];
  for (const { source, leases, note, ahead } of rows) {
    const pace = name === NEIGHBOUR ? NEIGHBOUR_PACE : paces.get(note);
    if (pace === undefined) throw new Error(`the pace of configuration ${note} is in force, which was never applied`);
    for (const { id, until, abandoned } of leases) {
      const key = `${id} ${until}`;
      if (abandoned || seen.has(key)) continue;
      seen.add(key);
      slots.push({ source, at: until - LEASE, underWay: leases.length, ahead, ...pace });
    }
  }
  return slots;
}

/**
 * No more requests than slots, no more under way than the configuration in force allows, and no more slots in any second. The
 * rate is judged for each stretch of slots under one rate and one position of the clock.
 */
function paceWasKept({ plant }: Run, slots: readonly Slot[]): void {
  for (const [place, slot] of slots.entries()) {
    const when = formatInstant(slot.at);
    if (slot.underWay > slot.concurrency)
      throw new Error(`${slot.underWay} requests under way at ${when}; the pace allows ${slot.concurrency}`);
    const most = BURST + slot.rate;
    const before = slots.slice(Math.max(0, place - most), place);
    const isFast = before.every(
      ({ source, rate, ahead, at }) =>
        source === slot.source && rate === slot.rate && ahead === slot.ahead && Math.abs(slot.at - at) < SECOND,
    );
    if (before.length === most && isFast)
      throw new Error(`${most + 1} requests within a second at ${when}; the pace allows ${most}`);
  }
  if (plant.requests.length > slots.length)
    throw new Error(`${plant.requests.length} requests came with ${slots.length} slots`);
}

/** At most this many requests are under way at a time, so no more may come after the plant asked for silence. */
const UNDER_WAY = 3;

/** A killed worker may die with the answer that asked for silence, and a clock that was put back ends no silence in time. */
function silenceWasKept({ plant, history, clockMoved }: Run): void {
  const excused = clockMoved || history.deeds.some(({ deed }) => deed === 'kill');
  if (!excused && plant.disturbances > UNDER_WAY * plant.silences) {
    throw new Error(`${plant.disturbances} requests came while the plant had asked for silence`);
  }
}

/** A platform locks an account after few refusals. A login has no other reason to be refused than its credentials. */
const REQUESTS_REFUSED = 2;
const LOGINS_REFUSED = 1;

/**
 * A password is refused at most twice, or as often as requests were under way at the first refusal, and a login once. Each
 * act of an operator who applies or resumes gives one more try; tries do not add up. Spared is a refusal that died with its
 * worker, and one whose answer no run wanted any more, because the source was changed meanwhile.
 */
function accountWasSpared({ tries, lostNotes, history }: Run): void {
  const left = new Map<string, number>();
  let underWay = 1;
  let spared = lostNotes;
  for (const one of tries) {
    if (one.what === 'asked') {
      for (const [password, more] of left) left.set(password, Math.max(more, 1));
      if (one.amid) spared += Math.max(underWay, one.concurrency);
      underWay = one.concurrency;
      continue;
    }
    const first = history.basic ? Math.max(REQUESTS_REFUSED, underWay) : LOGINS_REFUSED;
    const more = left.get(one.password) ?? first;
    if (more > 0) left.set(one.password, more - 1);
    else if (spared > 0) spared -= 1;
    else throw new Error(`${one.password} was refused once more than allowed: ${JSON.stringify(tries)}`);
  }
}
