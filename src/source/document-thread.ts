/** The thread that reads or writes one long YAML text; see document-apart.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import { problemAtStart, readDocuments } from './document.ts';
import type { AskedPlaces, Given, Told } from './document-apart.ts';
import { configAsYaml } from './written-config.ts';

/** Values of a document, each list, mapping and field counted. A source of as many sensors as there may be has fewer. */
const MOST_VALUES = 400_000;

function valuesIn(value: unknown, most: number): number {
  let values = 1;
  if (typeof value !== 'object' || value === null) return values;
  for (const one of Object.values(value)) {
    values += valuesIn(one, most - values);
    if (values > most) break;
  }
  return values;
}

function answerReading(file: string, text: string): void {
  const documents = readDocuments(file, text).map((one) =>
    one.ok && valuesIn(one.input, MOST_VALUES) > MOST_VALUES
      ? problemAtStart(file, `holds more than ${MOST_VALUES} values`, 'make several sources of it')
      : one,
  );
  parentPort?.on('message', ({ document, paths }: AskedPlaces) => {
    const found = documents.find((one) => one.document === document);
    const places = paths.map((path) => (found?.ok === true ? found.locate(path) : { line: 1, column: 1 }));
    parentPort?.postMessage(places);
  });
  const told: Told = documents.map((one) => {
    if (!one.ok) return one;
    const { locate: _, ...rest } = one;
    return rest;
  });
  parentPort?.postMessage(told);
}

const given = workerData as Given;
if ('write' in given) parentPort?.postMessage(configAsYaml(given.write));
else answerReading(given.file, given.text);
