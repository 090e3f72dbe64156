import { kinds } from '../../../adapters/kinds.ts';
import { openKeys } from '../../../src/access/keys.ts';
import { sealingOf } from '../../../src/access/stored-sealing.ts';
import { dropOldAlerts } from '../../../src/alerts/evaluate.ts';
import { HOUR, MINUTE } from '../../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../../src/core/instant.ts';
import { openDatabase } from '../../../src/database/database.ts';
import type { Database } from '../../../src/database/database.ts';
import { dropOldHeldNames, dropOldLogs } from '../../../src/upkeep/housekeeping.ts';
import { quietWindows } from '../../../src/upkeep/quiet-windows.ts';
import type { BackfillState } from '../../../src/source/backfill/state.ts';
import { startProxy } from '../../kit/proxy.ts';
import { openModelDatabase } from '../model/ground.ts';
import { setModelTime, timeFrom } from '../model/time.ts';
import { startHosts } from './hosts.ts';
import { accountOf, busiestDayOfArchive } from './judge.ts';
import type { Account } from './judge.ts';
import { operatorOf } from './operator.ts';
import { openMonthPlant } from './plant.ts';
import type { MonthPlant } from './plant.ts';
import { BEGIN, CLOCKS, MILL, MONTH, TAIL, YEAR, ZONE } from './scene.ts';
import type { Size } from './scene.ts';
import { CLOCKS_MAPPING, CUT, MILL_MAPPING, deedsOf, isTroubled, isWatchedClosely, scriptOf } from './script.ts';
import type { Backfills, Trouble } from './script.ts';
import { trueSensor } from './truth.ts';
import { startWatch } from './watch.ts';

const CLOSELY: Microseconds = 10 * MINUTE;
/** Where nothing is wrong, so seldom is enough to see that no alert begins without a reason. */
const SELDOM: Microseconds = 4 * HOUR;
const END: Instant = BEGIN + MONTH + TAIL;
const DAYS_OF_LOGS = 30;

/** An alert as the table of the bridge has it at the end. */
export interface RaisedAlert {
  readonly alert: string;
  readonly openedAt: Instant;
  readonly endedAt: Instant | null;
}

/** What a trouble cost. */
export interface TroubleRow {
  readonly trouble: Trouble;
  readonly raised: readonly RaisedAlert[];
  readonly requests: number;
  /** Late and revised points of the hours of the trouble and of six after them. */
  readonly late: number;
  readonly revised: number;
}

/** All that the month showed. */
export interface MonthReport {
  readonly troubles: readonly TroubleRow[];
  readonly accounts: readonly Account[];
  readonly alerts: readonly RaisedAlert[];
  /** What the receiver of the alerts took, in order, and how often it answered 500. */
  readonly told: readonly string[];
  readonly refusedMessages: number;
  readonly year: BackfillState;
  readonly replay: BackfillState;
  /** Ten backfills of covered time, for their quotes. */
  readonly repeats: readonly BackfillState[];
  /** Of the year's backfill, as the platform saw it. */
  readonly busiestDay: { readonly requests: number; readonly allowed: number };
  readonly improper: readonly string[];
}

/** Plays the month on an empty database and reports. Virtual time, the real parts of the bridge. */
export async function playMonth(
  url: string,
  { seed, size }: { readonly seed: number; readonly size: Size },
): Promise<MonthReport> {
  await using stack = new AsyncDisposableStack();
  const truth = await openModelDatabase(url, { from: BEGIN, to: END });
  stack.defer(() => truth.close());
  await truth.run(`insert into ml_project (organisation_id, code, name) values ('default', 'hall', 'Hall')`);
  const time = await timeFrom(truth, BEGIN);
  setModelTime(time);
  stack.defer(() => setModelTime(undefined));
  const proxy = await startProxy({ port: Number(new URL(url).port) });
  stack.defer(() => proxy.close());
  const through = new URL(url);
  through.port = String(proxy.port);
  const database = await openDatabase({ url: through.href, poolSize: 8, applicationName: 'month', patient: false });
  stack.defer(() => database.close());

  const [mill, clocks] = await openPlants(time, seed, size);
  stack.defer(() => mill.close());
  stack.defer(() => clocks.close());
  const keys = await openKeys({ home: '', sealingKey: 'A'.repeat(43) });
  const sealing = sealingOf(database, keys);
  await sealing.verify();
  const registry = { platforms: [mill.platform, clocks.platform], kinds };
  const operator = operatorOf({ database, sealing, registry }, { time, size });
  const hosts = await startHosts({ database, sealing, time, registry });
  stack.defer(() => hosts.close());
  const watch = await startWatch({ database, time, keys, sealing });
  stack.defer(() => watch.close());

  await operator.apply(mill, MILL_MAPPING);
  await operator.apply(clocks, CLOCKS_MAPPING);
  const backfills: Backfills = { year: undefined, refused: undefined, repeats: [] };
  const script = scriptOf({ mill, hosts, watch, operator, proxy, requestsPerDay: size.requestsPerDay }, backfills);
  const deeds = [...deedsOf(script, { operator }, backfills)];
  const quiet = quietWindows(database, time.now);
  let [lookedAt, tidiedAt] = [-Infinity, BEGIN];
  while (time.now() < END) {
    const isClose = isWatchedClosely(script, time.now());
    const step = isClose ? Math.min(CLOSELY, size.every) : size.every;
    const next = Math.floor(time.now() / step + 1) * step;
    await time.advance(Math.min(next, deeds[0]?.at ?? END, END) - time.now());
    while (deeds[0] !== undefined && deeds[0].at <= time.now()) await deeds.shift()?.what();
    await hosts.work();
    if (isTroubled(script, time.now()) || time.now() - lookedAt >= SELDOM) {
      lookedAt = time.now();
      await watch.look();
    }
    await watch.send();
    // The database is at hand at midnight.
    if (Math.floor(time.now() / MONTH_DAY) === Math.floor(tidiedAt / MONTH_DAY)) continue;
    tidiedAt = time.now();
    await quiet.putTogether();
    await dropOldLogs(database, DAYS_OF_LOGS);
    await dropOldHeldNames(database, DAYS_OF_LOGS);
    await dropOldAlerts(database, { days: DAYS_OF_LOGS, targets: ['ops'] });
    // The server of the tests never vacuums on its own.
    await truth.run(
      'vacuum analyze work, pace, source, stream, worker, heartbeat, freshness, window_sum, simulated.clock',
    );
  }

  const alerts = await alertsIn(database);
  return {
    troubles: await rowsOf(database, script, alerts, [mill, clocks]),
    accounts: [await accountOf(database, mill, BEGIN + MONTH), await accountOf(database, clocks, BEGIN + MONTH)],
    alerts,
    told: watch.told(),
    refusedMessages: watch.refused(),
    year: await operator.state(backfills.year ?? 0),
    replay: await operator.state(backfills.refused ?? 0),
    repeats: await Promise.all(backfills.repeats.map(operator.state)),
    busiestDay: { requests: busiestDayOfArchive(mill), allowed: size.requestsPerDay },
    improper: [...mill.improper, ...clocks.improper],
  };
}

const MONTH_DAY: Microseconds = 24 * HOUR;

async function openPlants(
  time: Parameters<typeof openMonthPlant>[0],
  seed: number,
  { sensors, sensorsPerRead, rhythm, archived }: Size,
): Promise<readonly [MonthPlant, MonthPlant]> {
  const month = { from: BEGIN, to: END };
  const ofMill = Array.from({ length: sensors }, (_, number) =>
    trueSensor({
      seed,
      id: `s${number}`,
      isSwitch: number % 3 === 2,
      month,
      rhythm,
      archive: { window: YEAR, rhythm: archived },
      cuts: number === 1 ? [CUT] : [],
    }),
  );
  // No two points of the repeated hour have one local time: an hour is no multiple of this rhythm.
  const ofClocks = trueSensor({ seed, id: 'c0', isSwitch: false, month, rhythm: 11 * MINUTE, zone: ZONE });
  return [
    await openMonthPlant(time, { name: MILL, sensors: ofMill, sensorsPerRead }),
    await openMonthPlant(time, { name: CLOCKS, sensors: [ofClocks], sensorsPerRead: 1, localTime: true }),
  ];
}

const alertsIn = (database: Database): Promise<RaisedAlert[]> =>
  database.rows<RaisedAlert & Record<string, unknown>>(
    `select kind || ' ' || subject as alert, instant_of(opened_at) as "openedAt", instant_of(ended_at) as "endedAt"
     from alert where opened_at is not null order by opened_at, id`,
  );

async function rowsOf(
  database: Database,
  script: readonly Trouble[],
  alerts: readonly RaisedAlert[],
  plants: readonly MonthPlant[],
): Promise<TroubleRow[]> {
  const rows: TroubleRow[] = [];
  for (const trouble of script) {
    const { source, from, to, alerts: due } = trouble;
    const seen = plants.find(({ platform }) => platform.name === source)?.seen ?? [];
    const sums = await database.row<{ late: number; revised: number }>(
      `select coalesce(sum(late), 0) as late, coalesce(sum(revised), 0) as revised from window_sum join source on source.id = source_id
       where name = $1 and hour between date_trunc('hour', at_instant($2)) and at_instant($3) + interval '6 hours'`,
      [source, from, to],
    );
    rows.push({
      trouble,
      raised: alerts.filter(({ alert, openedAt }) => due.includes(alert) && openedAt >= from && openedAt < to),
      requests: seen.filter(({ at }) => at >= from && at < to).length,
      late: sums?.late ?? 0,
      revised: sums?.revised ?? 0,
    });
  }
  return rows;
}
