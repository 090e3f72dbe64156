import { SimulatedInfluxdb } from '../../adapters/platforms/influxdb/simulator/server.ts';
import type { SelectQuestion } from '../../adapters/platforms/influxdb/simulator/server.ts';
import { runSimulator } from '../../src/simulator/run.ts';
import { FIELD, READER } from './dataset.ts';

/**
 * Runs a simulated InfluxDB whose measurements all have the field of the benches. `answerOf` gets the simulator's
 * options and returns the function that answers a SELECT.
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
      return new SimulatedInfluxdb({ accounts: [READER] }, data);
    },
  });
}
