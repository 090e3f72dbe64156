import { setTimeout as sleep } from 'node:timers/promises';
import { FIELD } from './dataset.ts';
import { fieldsDocument, servePlant } from './plant-http.ts';

// The smallest platform there is: one point in every window, at its last µs. Argument: how long it thinks, ms.

const thinkMs = Number(process.argv[2] ?? 0);

await servePlant(async ({ measurement, to }, response) => {
  if (thinkMs > 0) await sleep(thinkMs);
  response.write(
    `${fieldsDocument(measurement, FIELD)}{"results":[{"statement_id":1,"series":[{"name":"${measurement}","tags":{"unit":"1"},"columns":["time","${FIELD}"],"values":[[${to - 1},${to % 1_000}.5]]}]}]}\n`,
  );
});
