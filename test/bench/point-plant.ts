import { FIELD } from './dataset.ts';
import { runInfluxPlant } from './influx-plant.ts';

// The smallest platform: every window has one point, at its last microsecond.

await runInfluxPlant(() => ({ measurement, toUs, statement }) => [
  `{"results":[{"statement_id":${statement},"series":[{"name":"${measurement}","tags":{"unit":"1"},"columns":["time","${FIELD}"],"values":[[${toUs - 1},${toUs % 1_000}.5]]}]}]}\n`,
]);
