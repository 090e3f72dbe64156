import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { alertKeyOf, stepAlerts } from './alert.ts';
import type { AlertChanges, AlertRow, AlertTrouble } from './alert.ts';
import { DAY, HOUR, MINUTE, SECOND } from './instant.ts';
import type { Instant, Microseconds } from './instant.ts';

const LASTING = 10 * MINUTE;
const AWAY = 5 * MINUTE;

const trouble = (subject: string): AlertTrouble => ({
  kind: 'behind',
  organisation: 'default',
  subject,
  severity: 'warning',
  what: 'late',
  remedy: 'look',
});

/** The table of alerts as an array, which each evaluation brings forward. */
function table() {
  let ids = 0;
  let rows: AlertRow[] = [];
  const ended: { readonly row: AlertRow; readonly at: Instant }[] = [];
  const opened: AlertRow[] = [];
  return {
    ended,
    opened,
    open: () => rows.filter(({ openedAt }) => openedAt !== null),
    all: () => rows,
    step(
      now: Instant,
      subjects: readonly string[],
      unknown: readonly 'behind'[] = [],
      unjudgedFor: (row: AlertRow) => Microseconds = () => 0,
    ): AlertChanges {
      const earlier = new Map<string, number>();
      for (const { row, at } of ended)
        if (at > now - DAY) earlier.set(alertKeyOf(row), (earlier.get(alertKeyOf(row)) ?? 0) + 1);
      const patienceOf = () => ({ lasting: LASTING, away: AWAY });
      const changes = stepAlerts(rows, subjects.map(trouble), {
        now,
        patienceOf,
        unknown: new Set(unknown),
        unjudgedFor,
        earlier,
      });
      const isOpen = new Set(rows.filter(({ openedAt }) => openedAt !== null).map(({ id }) => id));
      const gone = new Set([...changes.ended, ...changes.dropped].map(({ id }) => id));
      const changed = new Map(changes.changed.map((row) => [row.id, row]));
      rows = rows.filter(({ id }) => !gone.has(id)).map((row) => changed.get(row.id) ?? row);
      rows.push(...changes.begun.map((row) => ({ ...row, id: (ids += 1) })));
      ended.push(...changes.ended.map((row) => ({ row, at: now })));
      opened.push(...rows.filter(({ id, openedAt }) => openedAt !== null && !isOpen.has(id)));
      return changes;
    },
  };
}

const EVERY: Microseconds = 10 * SECOND;

describe('an alert', () => {
  it('opens when its trouble has lasted, and ends when it was away', () => {
    const alerts = table();
    for (let now = 0; now < LASTING; now += EVERY) alerts.step(now, ['a']);
    expect(alerts.open()).toEqual([]);
    alerts.step(LASTING, ['a']);
    expect(alerts.open()).toMatchObject([{ subject: 'a', since: 0, openedAt: LASTING }]);
    alerts.step(LASTING + EVERY, []);
    alerts.step(LASTING + EVERY + AWAY - SECOND, []);
    expect(alerts.open().length).toBe(1);
    alerts.step(LASTING + EVERY + AWAY, []);
    expect(alerts.ended.length).toBe(1);
    expect(alerts.all()).toEqual([]);
  });

  it('goes on while nobody can tell whether its trouble is there, however long, and ends when it is judged well', () => {
    const alerts = table();
    alerts.step(0, ['a', 'b']);
    alerts.step(LASTING, ['a', 'b']);
    alerts.step(LASTING + MINUTE, ['b']);
    const unjudgedFor = ({ subject }: AlertRow): Microseconds => (subject === 'a' ? Infinity : 0);
    alerts.step(DAY, ['b'], [], unjudgedFor);
    alerts.step(2 * DAY, ['b'], [], unjudgedFor);
    expect(alerts.open().map(({ subject }) => subject)).toEqual(['a', 'b']);
    alerts.step(2 * DAY + MINUTE, ['b']);
    expect(alerts.open().map(({ subject }) => subject)).toEqual(['b']);
    alerts.step(2 * DAY + 2 * MINUTE, ['b'], [], () => Infinity);
    expect(alerts.open()).toMatchObject([{ subject: 'b', goneAt: null }]);
  });

  it('opens where its trouble takes turns with one that says nothing of it', () => {
    const alerts = table();
    for (let now = 0; now < LASTING; now += 2 * MINUTE) {
      alerts.step(now, ['a']);
      alerts.step(now + MINUTE, [], [], () => Infinity);
    }
    expect(alerts.open()).toEqual([]);
    alerts.step(LASTING, ['a']);
    expect(alerts.open()).toMatchObject([{ subject: 'a', since: 0, openedAt: LASTING }]);
  });

  it('that may not be judged for a day is away for as long before it ends', () => {
    const alerts = table();
    alerts.step(0, ['a']);
    alerts.step(LASTING, ['a']);
    for (let now = LASTING + MINUTE; now < LASTING + DAY; now += HOUR) alerts.step(now, [], [], () => DAY);
    expect(alerts.open()).toMatchObject([{ subject: 'a', goneAt: LASTING + MINUTE }]);
    alerts.step(LASTING + MINUTE + DAY, [], [], () => DAY);
    expect(alerts.all()).toEqual([]);
    expect(alerts.ended).toHaveLength(1);
  });

  it('of a trouble that went away before it lasted leaves nothing behind', () => {
    const alerts = table();
    alerts.step(0, ['a']);
    alerts.step(MINUTE, []);
    alerts.step(3 * MINUTE, []);
    expect(alerts.all()).toEqual([]);
    expect(alerts.opened).toEqual([]);
  });

  it('stays as it is while nobody can tell whether its trouble is there', () => {
    const alerts = table();
    alerts.step(0, ['a']);
    alerts.step(LASTING, ['a', 'b']);
    for (let now = LASTING; now < DAY; now += MINUTE) expect(alerts.step(now, [], ['behind']).ended).toEqual([]);
    expect(alerts.all().map(({ subject }) => subject)).toEqual(['a']);
  });

  it('changes no row where nothing changed, so that thousands of them cost no write', () => {
    const alerts = table();
    alerts.step(0, ['a']);
    alerts.step(LASTING, ['a']);
    expect(alerts.step(LASTING + MINUTE, ['a'])).toEqual({ begun: [], changed: [], ended: [], dropped: [] });
  });

  it('has the worst severity of its troubles', () => {
    const troubles = (['warning', 'critical', 'warning'] as const).map((severity) => ({ ...trouble('a'), severity }));
    const changes = stepAlerts([], troubles, {
      now: 0,
      patienceOf: () => ({ lasting: 0, away: AWAY }),
      unknown: new Set(),
      earlier: new Map(),
    });
    expect(changes.begun).toMatchObject([{ severity: 'critical', openedAt: 0 }]);
  });
});

/** When a trouble is there: spans of presence and absence, in steps of a look. */
const life = fc.array(fc.tuple(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 200 })), {
  minLength: 1,
  maxLength: 12,
});

test('whatever a trouble does, an alert of it begins and ends in turns, and few of them in a day', () => {
  fc.assert(
    fc.property(life, (spans) => {
      const alerts = table();
      let now = 0;
      for (const [there, away] of spans) {
        for (let look = 0; look < there + away; look += 1, now += EVERY) {
          alerts.step(now, look < there ? ['a'] : []);
          expect(alerts.all().length).toBeLessThanOrEqual(1);
          expect(alerts.opened.length - alerts.ended.length).toBe(alerts.open().length);
        }
        // A trouble that lasted is an alert by now, or was one.
        if (there * EVERY > LASTING + EVERY) expect(alerts.opened.length).toBeGreaterThan(0);
      }
      for (let look = 0; look < 6 * 60 * 8; look += 1, now += EVERY) alerts.step(now, []);
      expect(alerts.all()).toEqual([]);
      expect(alerts.ended.length).toBe(alerts.opened.length);
      // The waits of 5, 10, 20, 40 … minutes for the end do not fit into the time more often.
      const longest = spans.reduce((sum, [there, away]) => sum + there + away, 0) * EVERY;
      const most = Math.floor(Math.log2(longest / AWAY + 1)) + 1;
      expect(alerts.opened.length).toBeLessThanOrEqual(Math.max(1, most));
    }),
    { numRuns: 200 },
  );
});
