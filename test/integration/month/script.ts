import { DAY, HOUR, MINUTE } from '../../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import type { Proxy } from '../../kit/proxy.ts';
import type { Hosts } from './hosts.ts';
import type { Deed, Operator } from './operator.ts';
import type { MonthPlant, PlantFault } from './plant.ts';
import { BEGIN, CLOCKS, MILL, YEAR, ZONE } from './scene.ts';
import type { Watch } from './watch.ts';

/** Something that goes wrong, or that operators do, in a stretch of the month. */
export interface Trouble extends Window {
  readonly what: string;
  readonly source: string;
  /** The alerts that it is told by, `kind subject`; none where nobody has to act, or where the bridge itself goes on. */
  readonly alerts: readonly string[];
  readonly deeds: readonly Deed[];
}

/** The gateway of a sensor is cut off, and uploads all that it measured at the end. */
export const CUT: Window = at(17, 2, 20);

/** The switches are numbers. Without that they are refused. */
export const MILL_MAPPING = { booleans: 'number' };
export const CLOCKS_MAPPING = { timezone: ZONE, dst: 'earlier' };

/** From a day and hour of the month on, for so many hours. */
function at(day: number, hour: number, hours: number): Window {
  const from = BEGIN + day * DAY + hour * HOUR + 10 * MINUTE;
  return { from, to: from + hours * HOUR };
}

/** The hands of the world. */
export interface Stage {
  readonly mill: MonthPlant;
  readonly hosts: Hosts;
  readonly watch: Watch;
  readonly operator: Operator;
  /** The way to the database. */
  readonly proxy: Proxy;
  readonly requestsPerDay: number;
}

/** The ids of the backfills of the script, once they were started. */
export interface Backfills {
  year: number | undefined;
  refused: number | undefined;
  /** Of covered time, by which quotes are held against what happened. */
  readonly repeats: number[];
}

/** So many backfills of covered time are quoted, the n-th of n days, before the archive changes what windows show. */
export const REPEATS = 10;

/** All that happens in the month, in order. */
export function scriptOf(
  { mill, hosts, watch, operator, proxy, requestsPerDay }: Stage,
  backfills: Backfills,
): readonly Trouble[] {
  const fails = (what: string, fault: PlantFault, alert: string, window: Window): Trouble => ({
    what,
    source: MILL,
    alerts: [alert],
    ...window,
    deeds: [
      { at: window.from, what: () => void (mill.fault = fault) },
      { at: window.to, what: () => void (mill.fault = undefined) },
    ],
  });
  const away = at(5, 5, 2);
  const oneDies = at(6, 8, 1);
  const allDie = at(7, 9, 4);
  const wrong = at(11, 6, 36);
  const locked = at(16, 4, 5);
  const silent = at(2, 0, 24);
  const year = at(21, 12, 96);
  const yearId = (): number => backfills.year ?? 0;
  const yearDeeds: readonly Deed[] = [
    {
      at: year.from,
      what: async () => {
        const wanted = { source: { name: MILL }, ...YEAR, requestsPerDay };
        backfills.year = await operator.backfill(wanted);
      },
    },
    { at: year.from + 20 * HOUR, what: () => operator.change(yearId(), 'pause') },
    { at: year.from + 60 * HOUR, what: () => operator.change(yearId(), 'resume') },
    // Amid its windows, between two statements; then the other host goes on, and once more.
    { at: year.from + 61 * HOUR, what: () => hosts.killOne(31) },
    { at: year.from + 62 * HOUR, what: () => hosts.restart() },
    { at: year.from + 85 * HOUR, what: () => hosts.killOne(90) },
    { at: year.from + 86 * HOUR, what: () => hosts.restart() },
  ];
  return [
    {
      what: 'receiver of alerts answers 500',
      source: '',
      alerts: [],
      ...silent,
      deeds: [
        { at: silent.from, what: () => watch.fail(true) },
        { at: silent.to, what: () => watch.fail(false) },
      ],
    },
    fails('platform answers 503', 'unavailable', `failing ${MILL}`, at(2, 1, 6)),
    fails('network resets', 'reset', `failing ${MILL}`, at(4, 3, 3)),
    {
      what: 'database away',
      source: MILL,
      alerts: [],
      ...away,
      deeds: [
        {
          at: away.from,
          what() {
            // It goes away while the platform answers, so a window is lost on its way to the commit.
            mill.amid = async () => {
              await proxy.set({ connections: 'refuse' });
              proxy.reset();
            };
          },
        },
        { at: away.to, what: () => proxy.set({}) },
      ],
    },
    {
      what: 'one host killed amid a window',
      source: MILL,
      alerts: [],
      ...oneDies,
      deeds: [
        { at: oneDies.from, what: () => hosts.killOne(6) },
        { at: oneDies.to, what: () => hosts.restart() },
      ],
    },
    {
      what: 'all hosts killed',
      source: MILL,
      alerts: ['planner bridge'],
      ...allDie,
      deeds: [
        { at: allDie.from, what: () => hosts.killAll() },
        { at: allDie.to, what: () => hosts.restart() },
      ],
    },
    fails('storm of 429', 'storm', `failing ${MILL}`, at(9, 10, 3)),
    {
      what: 'mapping wrong, then corrected',
      source: MILL,
      // The switches, of which nothing is stored meanwhile, are silent besides, which the same alert tells.
      alerts: [`refusals ${MILL}`],
      ...wrong,
      deeds: [
        { at: wrong.from, what: () => operator.apply(mill, {}) },
        {
          at: wrong.to,
          what: async () => {
            await operator.apply(mill, MILL_MAPPING);
            const wanted = { source: { name: MILL }, from: wrong.from - 3 * DAY, what: 'refused' } as const;
            backfills.refused = await operator.backfill(wanted);
          },
        },
      ],
    },
    fails('platform answers a web page', 'page', `contract ${MILL}`, at(14, 7, 2)),
    {
      what: 'password changed at the platform',
      source: MILL,
      alerts: [`stopped ${MILL}`],
      ...locked,
      deeds: [
        { at: locked.from, what: () => void (mill.password = 'password-1') },
        { at: locked.to, what: () => operator.apply(mill, MILL_MAPPING) },
      ],
    },
    { what: 'gateway of a sensor cut off', source: MILL, alerts: [`silent ${MILL}`], ...CUT, deeds: [] },
    {
      what: 'clocks put back',
      source: CLOCKS,
      alerts: [],
      from: BEGIN + 20 * DAY,
      to: BEGIN + 20 * DAY + 6 * HOUR,
      deeds: [],
    },
    { what: 'backfill of a year', source: MILL, alerts: [], ...year, deeds: yearDeeds },
  ];
}

/** All deeds, the earliest first: those of the script, and backfills that read covered time once more. */
export function deedsOf(
  script: readonly Trouble[],
  { operator }: Pick<Stage, 'operator'>,
  backfills: Backfills,
): readonly Deed[] {
  const repeats = Array.from({ length: REPEATS }, (_, place): Deed => {
    const [days, to] = [place + 1, BEGIN + 19 * DAY];
    return {
      at: BEGIN + 20 * DAY + (8 + days) * HOUR,
      what: async () => {
        const wanted = { source: { name: MILL }, from: to - days * DAY, to, what: 'all' } as const;
        backfills.repeats.push(await operator.backfill(wanted));
      },
    };
  });
  return [...script.flatMap(({ deeds }) => deeds), ...repeats].toSorted((one, other) => one.at - other.at);
}

/** The alerts are looked at closely while a trouble begins and while it ends; a trouble that lasts tells nothing new. */
const BEGINS: Microseconds = 3 * HOUR;
const ENDS: Microseconds = 90 * MINUTE;

/** Whether a trouble has begun or ended just now. */
export const isWatchedClosely = (script: readonly Trouble[], now: Instant): boolean =>
  script.some(
    ({ alerts, from, to }) =>
      alerts.length > 0 && ((from <= now && now < from + BEGINS) || (to <= now && now < to + ENDS)),
  );

/** Whether a trouble is there that is to be told. */
export const isTroubled = (script: readonly Trouble[], now: Instant): boolean =>
  script.some(({ alerts, from, to }) => alerts.length > 0 && from <= now && now < to + ENDS);
