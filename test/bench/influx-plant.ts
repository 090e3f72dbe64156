import { SimulatedInfluxdb } from '../../adapters/platforms/influxdb/simulator/server.ts';
import type { SelectQuestion } from '../../adapters/platforms/influxdb/simulator/server.ts';
import type { SimulatedAnswer, SimulatedRequest } from '../../src/simulator/contract.ts';
import { runSimulator } from '../../src/simulator/run.ts';
import { FIELD, READER } from './dataset.ts';

/** Begins the name of a measurement that cannot be read. */
export const BROKEN = 'broken-';

class PartlyBrokenInfluxdb extends SimulatedInfluxdb {
  override answer(request: SimulatedRequest): SimulatedAnswer {
    return request.body.includes(BROKEN) ? this.errorAnswer(500) : super.answer(request);
  }
}

/**
 * Runs a simulated InfluxDB whose measurements all have the field of the benches. `answerOf` gets the simulator's
 * options and returns the function that answers a SELECT. A request that names a measurement which begins with `BROKEN` gets
 * a 500.
 */
export async function runInfluxPlant<Options>(
  answerOf: (options: Options) => (question: SelectQuestion) => Iterable<string | Uint8Array>,
): Promise<void> {
  await runSimulator({
    open(options) {
      const data = {
        seriesKeys: [],
        fieldsOf: () => [[FIELD, 'float']] as const,
        select: answerOf(options as Options),
      };
      return new PartlyBrokenInfluxdb({ accounts: [READER] }, data);
    },
  });
}
