import { describe, expect, it } from 'vitest';
import { SECOND } from '../core/instant.ts';
import type { RefusalReason } from '../core/reading.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { batchOf, columnOf } from '../../test/kit/stored-source.ts';
import { windowFinding } from './check-window.ts';
import type { StreamLook } from './look-at-streams.ts';

const window = { from: 0, to: 60 * SECOND };
const config = { name: 'south', organisation: 'default', schedule: { settle: SECOND } } as SourceConfig;

/** A window of one stream with readings at the end of its time, and a refused point for each reason. */
function finding(
  readings: number,
  reasons: readonly RefusalReason[],
  seriesOfOthers: Parameters<typeof windowFinding>[1]['seriesOfOthers'] = [],
) {
  const at = Array.from({ length: readings }, (_, index) => (59 - readings + index) * SECOND);
  const refusals = reasons.map((reason) => ({ sensor: 'pump', variable: 'state', at: 0, raw: 'true', reason }));
  const batch = batchOf(readings === 0 ? [] : [columnOf('pump', { at })], refusals);
  const stream = { key: 'pump', selection: {} } as StreamLook['stream'];
  const look = { stream, window, batch, failed: new Map(), halvings: 0, asked: 1 };
  const given = { config, wanted: window, overload: undefined, names: undefined, streams: 1, seriesOfOthers };
  return windowFinding({ looks: [look], unreadable: [], left: [] }, given);
}

describe('the window of a check', () => {
  it('is no warning where some points are refused', () => {
    expect(finding(2, ['boolean'])).toMatchObject({ ok: true });
    expect(finding(2, ['boolean'])).not.toHaveProperty('warning');
    expect(finding(0, [])).not.toHaveProperty('warning');
  });

  it('is a warning with a remedy where every point is refused', () => {
    const { ok, warning, detail } = finding(0, ['null', 'boolean', 'boolean']);
    expect({ ok, warning }).toEqual({ ok: true, warning: true });
    expect(detail).toMatch(/3 refused \(boolean 2, null 1\); no point became a reading: .*mapping\.booleans: number/);
  });

  it('fails with the take-over of each owner where series belong to others, also beside readings', () => {
    const others = [
      { owner: 'north', series: 2 },
      { owner: null, series: 1 },
    ];
    for (const readings of [0, 5]) {
      const { ok, warning, error } = finding(readings, ['series-of-another'], others);
      expect({ ok, warning }).toEqual({ ok: false, warning: undefined });
      expect(error?.message).toBe(
        '2 of the series belong to source north, so its points for them are refused; 1 of the series belong to pushing applications, so its points for them are refused',
      );
      expect(error?.remedy).toBe(
        'other names, or databridge source take-over south --from north and databridge source take-over south --from-pushed',
      );
    }
  });
});
