import { formatInstant } from '../core/instant.ts';
import { readingDocument } from '../core/reading.ts';
import type { SourceName } from '../core/source/source-name.ts';
import type { Step } from './check.ts';
import type { Preview } from './preview.ts';
import type { FoundSensors } from './sensor-search.ts';

/** A step of a check as a JSON document. */
export function stepDocument({ step, ok, detail, warning, error, streams }: Step): Record<string, unknown> {
  return {
    step,
    ok,
    detail,
    ...(warning ? { warning } : {}),
    ...(streams === undefined ? {} : { streams }),
    ...(error === undefined ? {} : { fault: { ...error.fault, message: error.message, remedy: error.remedy ?? null } }),
  };
}

/** A preview as a JSON document, with each instant as text. */
export const previewDocument = ({ name, organisation }: SourceName, preview: Preview): Record<string, unknown> => ({
  source: name,
  organisation,
  ...preview,
  windows: preview.windows.map(({ stream, window, readings }) => ({
    stream,
    from: formatInstant(window.from),
    to: formatInstant(window.to),
    readings,
  })),
  refused: Object.fromEntries(preview.refused),
  examples: preview.examples.map((example) => ({
    ...example,
    at: example.at === undefined ? null : formatInstant(example.at),
  })),
  sample: preview.sample.map(readingDocument),
});

/** Found sensors as a JSON document. */
export const sensorsDocument = (
  { name, organisation }: SourceName,
  { product, complete, byPlatform, compared, requests, sensors }: FoundSensors,
): Record<string, unknown> => ({
  source: name,
  organisation,
  product,
  complete,
  searchedBy: byPlatform ? 'platform' : 'bridge',
  compared,
  requests,
  sensors: sensors.map(({ id, name: sensorName, group, variables }) => ({
    id,
    name: sensorName ?? null,
    group: group ?? null,
    variables: variables ?? null,
  })),
});
