import { z } from 'zod';
import type { SimulatedProduct } from '../../../src/simulator/contract.ts';
import { runSimulator } from '../../../src/simulator/run.ts';
import type { TruthSpec } from '../../../src/simulator/truth.ts';
import { SimulatedInfluxdb, serverFields } from './simulator/server.ts';
import { TruthData, seriesOf } from './simulator/truth-data.ts';

const options = z.strictObject({
  ...serverFields,
  /** The id of a device is a series key such as `motor,machine=press-1`; its keys are the fields of the measurement. */
  truth: z.custom<TruthSpec>((truth) => typeof truth === 'object'),
});

export type SimulatedInfluxdbOptions = Readonly<z.input<typeof options>>;

/** InfluxDB 1.x as far as the bridge uses it. */
export const simulatedInfluxdb: SimulatedProduct = {
  platform: 'influxdb',
  title: 'InfluxDB',
  open(given, clock) {
    const { truth, ...server } = options.parse(given);
    return new SimulatedInfluxdb(server, new TruthData(truth, clock));
  },
  sourceOptions: { database: 'plant', sensorTag: 'machine' },
  deviceOf: (index) => ({ id: `motor,machine=press-${index}`, name: `press-${index}` }),
  holds: ['boolean', 'text'],
  seriesOf(device, key) {
    const { measurement, tags } = seriesOf(device.id);
    return { group: measurement, sensorId: tags['machine'] ?? '', valueName: `${measurement}_${key.name}` };
  },
};

if (import.meta.main) await runSimulator(simulatedInfluxdb);
