import { z } from 'zod';
import { accountsField } from '../../../src/simulator/clients.ts';
import type { SimulatedClock } from '../../../src/simulator/clock.ts';
import type { SimulatedPlatform, SimulatedProduct } from '../../../src/simulator/contract.ts';
import { basicCheck } from '../../../src/simulator/credentials.ts';
import { distort, writeJson } from '../../../src/simulator/distort.ts';
import { isoOf, millisOf, parseIso } from '../../../src/simulator/instants.ts';
import { Refused, route, simulate } from '../../../src/simulator/route.ts';
import { runSimulator } from '../../../src/simulator/run.ts';
import { visiblePoints } from '../../../src/simulator/truth.ts';
import type { TruthSpec } from '../../../src/simulator/truth.ts';

const options = z.strictObject({
  accounts: accountsField,
  truth: z.custom<TruthSpec>((truth) => typeof truth === 'object'),
  /** Points of one answer at most. */
  mostPoints: z.int().min(1).default(1000),
});

const instant = z.string().transform((text) => {
  const at = parseIso(text);
  if (at === undefined) throw new Refused(400, `${text} is not a time`);
  return millisOf(at.micros);
});

// WRITE 4: replace the two routes by those of the vendor, each parameter and field as the facts say; refuse all else
function open(given: unknown, clock: SimulatedClock): SimulatedPlatform {
  const { accounts, truth, mostPoints } = options.parse(given);

  const list = route({ answer: () => truth.devices.map(({ id, name }) => ({ id, name })) });

  const points = route({
    query: z.strictObject({ from: instant, to: instant }),
    answer({ place, query: { from, to }, request }) {
      const device = truth.devices.find(({ id }) => id === place['id']);
      const bad = request.badSensors.find((one) => one.device === device?.id)?.as;
      if (device === undefined || bad === 'missing') throw new Refused(404, 'no such sensor');
      if (bad !== undefined) throw new Refused(bad === 'forbidden' ? 403 : 500, `${bad} sensor`);
      const found = device.keys.flatMap(({ name }) => {
        const stretch = { fromMs: from, toMs: to };
        const visible = [...visiblePoints(truth, device.id, name, stretch, { nowMs: clock.nowMs() })];
        const told = distort(visible.slice(0, mostPoints), request.pointEffects, clock.nowMs(), 'ASC');
        return told.map((point) => ({ variable: name, time: isoOf(point, 3), value: point.value }));
      });
      return { status: 200, body: writeJson(found) };
    },
  });

  return simulate({
    // WRITE 4: the check of the credentials or tokens, see src/simulator/credentials.ts
    check: basicCheck(accounts),
    // WRITE 4: the form of an error
    error: (status, message) => ({ status, body: JSON.stringify({ message }) }),
    routes: { 'GET /sensors': list, 'GET /sensors/:id/points': points },
  });
}

/** New Platform as far as a bridge uses it. */
export const simulatedNewPlatform: SimulatedProduct = {
  platform: 'new-platform',
  title: 'New Platform',
  open,
  sourceOptions: {},
  // WRITE 4: the forms of values besides numbers, such as 'text', 'state' and 'quality'
  holds: [],
  // WRITE 4: the options of source and simulator that make a page hold `cap` points
  pagesOf: (cap) => ({ simulator: { mostPoints: cap } }),
  // WRITE 4: the group, sensor and variable under which the bridge has a key of a device
  seriesOf: ({ id }, { name }) => ({ group: '', sensorId: id, valueName: name }),
};

if (import.meta.main) await runSimulator(simulatedNewPlatform);
