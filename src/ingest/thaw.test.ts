import { expect, it } from 'vitest';
import { DAY, HOUR, fromMillis } from '../core/instant.ts';
import type { Instant } from '../core/instant.ts';
import { readSettings } from '../settings.ts';
import { mayBeArchived } from './thaw.ts';

function archiveAfter(days: string) {
  const { archive } = readSettings({ DATABRIDGE_ARCHIVE: '/srv/readings', DATABRIDGE_ARCHIVE_AFTER: days });
  return archive && { ...archive, bucket: undefined };
}

const columnAt = (at: Instant) => ({
  series: 1,
  column: {
    sensorId: 'a',
    valueName: 'value',
    segments: [{ at: [at], value: [1], precision: undefined, labels: [] }],
  },
  labelSets: [null],
});

it('takes no live reading for an archived one at the least age that the settings allow, and each that may be', () => {
  expect(() => archiveAfter('2')).toThrow('DATABRIDGE_ARCHIVE_AFTER');
  const database = { archive: archiveAfter('3') };
  // The clock of the database counts, however wrong that of the host is.
  const now = fromMillis(Date.now()) - 40 * DAY;
  const may = (at: Instant): boolean => mayBeArchived(database, { columns: [columnAt(at)], now });
  expect([now, now - 22 * HOUR].map(may)).toEqual([false, false]);
  // The day that the clock of another host, an hour ahead, moves next.
  expect(may(now - 3 * DAY + HOUR)).toBe(true);
});
