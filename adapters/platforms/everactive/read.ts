import { z } from 'zod';
import { BridgeError, contractBroken, rightMissing } from '../../../src/core/errors.ts';
import { SECOND } from '../../../src/core/instant.ts';
import type { Window } from '../../../src/core/window.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { FailedSensor, Http, Samples, Selection } from '../../../src/platform/contract.ts';
import type { EveractiveSettings } from './options.ts';
import { measured } from './reading.ts';
import { mayRead, sensors } from './sensors.ts';

const readings = z.object({
  data: z.array(z.looseObject({ macAddress: z.string(), timestamp: z.int(), unsolicited: z.boolean().optional() })),
});
type Reading = z.output<typeof readings>['data'][number];

/** One request for each sensor, and one more after the refusal of one. */
export async function* read(
  http: Http,
  _options: EveractiveSettings,
  selection: Selection,
  window: Window,
): AsyncGenerator<Samples | FailedSensor> {
  for (const id of selection.sensors ?? (await idsOf(http))) {
    const { status, data } = await http.get<unknown>(`/ds/v1/eversensors/${encodeURIComponent(id)}/readings`, {
      params: { 'start-time': window.from / SECOND, 'end-time': window.to / SECOND },
      expect: [403, 404],
    });
    if (status === 403 || status === 404) {
      await mayRead(http);
      yield { sensor: id, failed: refusal(id, status) };
      continue;
    }
    const found = answer(readings, data, `readings of ${id}`).data;
    check(found, id, window);
    yield* columns(found, id);
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
      'let the vendor give the client of this source the right to this sensor, or take it out of the source';
    return rightMissing(`Everactive does not let this client read sensor ${id}`, remedy);
  }
  return new BridgeError({ code: 'contract-broken' }, `Everactive knows no sensor ${id}`, {
    remedy: 'it was taken out of the account: take it out of the source, or let the vendor put it back',
  });
}

/** An answer to another question, such as the newest readings, must not look like a window without any. */
function check(found: readonly Reading[], id: string, { from, to }: Window): void {
  for (const { macAddress, timestamp } of found) {
    if (macAddress.toLowerCase() !== id.toLowerCase())
      throw contractBroken(`readings of ${id}: one is of ${macAddress}`);
    if (timestamp * SECOND < from || timestamp * SECOND > to)
      throw contractBroken(`readings of ${id}: one is of second ${timestamp}, which was not asked for`);
  }
}

/** A column for each variable, and another one for those readings that an event and not the schedule brought. */
function* columns(found: readonly Reading[], sensor: string): Generator<Samples> {
  const byVariable = new Map<string, { variable: string; labels: string[]; at: number[]; values: unknown[] }>();
  for (const reading of found) {
    const labels = reading.unsolicited === true ? ['unsolicited'] : [];
    for (const [variable, value] of measured(reading)) {
      const key = `${variable} ${labels.join('')}`;
      const column = byVariable.get(key) ?? { variable, labels, at: [], values: [] };
      byVariable.set(key, column);
      column.at.push(reading.timestamp * SECOND);
      column.values.push(value);
    }
  }
  for (const column of byVariable.values()) yield { sensor, ...column };
}
