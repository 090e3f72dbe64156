import { z } from 'zod';
import { BridgeError } from '../../../src/core/errors.ts';
import type { Http, Sensor } from '../../../src/platform/contract.ts';
import { anyCase } from './answer.ts';
import { measurements, variablesOf } from './row.ts';

const machine = z.object({ id: z.int(), name: z.string(), path: z.string() });
const machines = z.array(machine);
const points = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    // A point without a row yet has one without measurements, of a year that stands for "never".
    lastmeasurement: z.object({ speed: z.unknown().optional(), measurements: measurements.nullish() }).nullish(),
  }),
);

/** Every machine that the user sees. */
export async function machinesOf(http: Http): Promise<z.output<typeof machines>> {
  const { status, data } = await http.get<unknown>('/v1/machines', { expect: [404] });
  if (status !== 404) return anyCase(machines, data, 'machines of SKF Observer');
  throw new BridgeError({ code: 'contract-broken' }, 'this is not SKF Observer: there is no /v1/machines', {
    remedy: 'check connection.url: it is the address and port of the Phoenix API, whose page is at /swagger/index.html',
  });
}

export async function identify(http: Http): Promise<{ product: string }> {
  await machinesOf(http);
  return { product: 'SKF @ptitude Observer' };
}

/** Every point of every machine: one request, and one for each machine. */
export async function* sensors(http: Http): AsyncGenerator<Sensor> {
  for (const { id: machineId, name: machineName } of await machinesOf(http)) {
    const { status, data } = await http.get<unknown>(`/v1/machines/${machineId}/points`, {
      params: { IncludeLastMeasurement: true },
    });
    // As with rows, nothing may be answered without a body.
    const found = status === 204 ? [] : anyCase(points, data, `points of machine ${machineName}`);
    for (const { id, name, lastmeasurement: last } of found) {
      const variables = last?.measurements ? variablesOf({ ...last, measurements: last.measurements }) : undefined;
      yield {
        id: String(id),
        name: `${machineName}/${name}`,
        ...(variables && { variables: variables.map(([v]) => v) }),
      };
    }
  }
}
