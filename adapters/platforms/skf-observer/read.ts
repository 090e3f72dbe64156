import { z } from 'zod';
import { BridgeError, contractBroken, rightMissing, tooMuch } from '../../../src/core/errors.ts';
import { formatInstant, parseInstant } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import type { FailedSensor, Http, Samples, Selection } from '../../../src/platform/contract.ts';
import { anyCase } from './answer.ts';
import type { SkfObserverSettings } from './options.ts';
import { machinesOf, sensors } from './points.ts';
import { measurements, variablesOf } from './row.ts';

const trend = z.array(
  z.object({ readingtimeutc: z.string(), pointid: z.int(), speed: z.unknown().optional(), measurements }),
);
type Row = z.output<typeof trend>[number];

/** One request for each point, and one more after the refusal of one. */
export async function* read(
  http: Http,
  { answerLimit = Infinity }: SkfObserverSettings,
  selection: Selection,
  window: Window,
): AsyncGenerator<Samples | FailedSensor> {
  for (const id of selection.sensors ?? (await idsOf(http))) {
    const { status, data } = await http.get<unknown>(`/v1/points/${encodeURIComponent(id)}/trendMeasurements`, {
      params: { fromDateUTC: formatInstant(window.from), toDateUTC: formatInstant(window.to), descending: false },
      expect: [403, 404],
    });
    // No rows is 204 without a body.
    if (status === 204) continue;
    if (status === 403 || status === 404) {
      // Fails where the platform refuses every question, and not this point alone.
      await machinesOf(http);
      yield { sensor: id, failed: refusal(id, status) };
      continue;
    }
    const rows = anyCase(trend, data, `trend of point ${id}`);
    if (rows.length >= answerLimit) throw tooMuch(`trend of point ${id}: ${rows.length} rows, so it may have been cut`);
    yield* columns(rows, id, window);
  }
}

async function idsOf(http: Http): Promise<readonly string[]> {
  const ids: string[] = [];
  for await (const { id } of sensors(http)) ids.push(id);
  return ids;
}

function refusal(id: string, status: number): BridgeError {
  if (status === 403) {
    const remedy =
      'let the administrator of Observer give the API user the right to this point, or take it out of the source';
    return rightMissing(`SKF Observer does not let this user read point ${id}`, remedy);
  }
  return new BridgeError({ code: 'contract-broken' }, `SKF Observer knows no point ${id}`, {
    remedy: 'it was deleted, or the API user no longer sees it: take it out of the source, or give the right back',
  });
}

function* columns(rows: readonly Row[], sensor: string, { from, to }: Window): Generator<Samples> {
  const byVariable = new Map<string, { at: number[]; values: unknown[]; rawInstants: string[] }>();
  for (const row of rows) {
    // The text has no zone and is UTC.
    const at = parseInstant(row.readingtimeutc) ?? Number.NaN;
    if (String(row.pointid) !== sensor) throw contractBroken(`trend of point ${sensor}: a row is of ${row.pointid}`);
    // An answer to another question, such as the newest rows, must not look like a window without any.
    if (at < from || at > to)
      throw contractBroken(`trend of point ${sensor}: a row is of ${row.readingtimeutc}, which was not asked for`);
    for (const [variable, value] of variablesOf(row)) {
      const column = byVariable.get(variable) ?? { at: [], values: [], rawInstants: [] };
      byVariable.set(variable, column);
      column.at.push(at);
      column.values.push(value);
      column.rawInstants.push(row.readingtimeutc);
    }
  }
  for (const [variable, column] of byVariable) yield { sensor, variable, ...column };
}
