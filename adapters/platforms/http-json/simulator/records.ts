import type { AskedWindow } from '../../../../src/simulator/bounds.ts';
import type { SimulatedRequest } from '../../../../src/simulator/contract.ts';
import { distort } from '../../../../src/simulator/distort.ts';
import { isoOf, microsOf, parseIso } from '../../../../src/simulator/instants.ts';
import { visiblePoints } from '../../../../src/simulator/truth.ts';
import type { DeviceSpec, TruthPoint } from '../../../../src/simulator/truth.ts';
import type { GenericOptions } from './options.ts';

/** One row of an answer. */
export interface Row {
  readonly sensor: string;
  readonly at: string | number;
  readonly variable: string;
  readonly value: unknown;
}

/** Milliseconds since 1970, with a fraction, of a time in a question. */
export function instantIn(text: string, form: GenericOptions['times']): number | undefined {
  if (form === 'iso') {
    const micros = parseIso(text)?.micros;
    return micros === undefined ? undefined : micros / 1000;
  }
  if (!/^-?\d+$/.test(text)) return undefined;
  return form === 'ms' ? Number(text) : Number(text) / 1000;
}

const written = (point: TruthPoint, form: GenericOptions['times']): string | number =>
  form === 'iso' ? isoOf(point, 7) : form === 'ms' ? point.ts : microsOf(point);

/** All rows of a question, by time, after the faults of the harness. */
export function visibleRows(
  { truth, order, times }: GenericOptions,
  { pointEffects }: SimulatedRequest,
  { devices, window, nowMs }: { devices: readonly DeviceSpec[]; window: AskedWindow; nowMs: number },
): Row[] {
  const direction = order === 'ascending' ? 'ASC' : 'DESC';
  const rows = devices.flatMap(({ id, keys }) =>
    keys.flatMap(({ name }) => {
      const points = [...visiblePoints(truth, id, name, window, { nowMs, order: direction })].filter(({ ts }) =>
        window.holds(ts),
      );
      return distort(points, pointEffects, nowMs, direction).map((point) => ({
        ts: point.ts,
        row: { sensor: id, at: written(point as TruthPoint, times), variable: name, value: point.value },
      }));
    }),
  );
  if (!pointEffects.some(({ kind }) => kind === 'reorder'))
    rows.sort((one, other) => (direction === 'ASC' ? one.ts - other.ts : other.ts - one.ts));
  return rows.map(({ row }) => row);
}
