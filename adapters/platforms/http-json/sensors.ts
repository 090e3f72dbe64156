import { configInvalid } from '../../../src/core/errors.ts';
import type { Http, Sensor } from '../../../src/platform/contract.ts';
import { foundFor } from './ask.ts';
import type { ListedSensors } from './evaluating.ts';
import type { HttpJsonSettings } from './options.ts';
import { filled } from './template.ts';

/** The sensors of the options, or those in the JSON that answers the request for them. */
export async function* sensors(http: Http, options: HttpJsonSettings): AsyncGenerator<Sensor> {
  const { list, request, each = '$', none } = options.sensors;
  if (request === undefined) {
    for (const id of list ?? []) yield { id };
    return;
  }
  const { ids, names } = await foundFor<ListedSensors>(
    http,
    filled(request, {}, undefined),
    { ...options, answer: { ...options.answer, body: 'json', emptyStatuses: [] } },
    { codes: { 'sensors.each': each, 'sensors.none': none }, wish: { kind: 'sensors' } },
  );
  const seen = new Set<string>();
  for (const [place, id] of ids.entries()) {
    const name = names[place];
    const twice = configInvalid(
      `sensors.each gives ${id} twice, and it is read once`,
      'give each sensor an id of its own',
      'options.sensors.each',
    );
    yield { id, ...(typeof name === 'string' ? { name } : {}), ...(seen.has(id) && { refused: twice }) };
    seen.add(id);
  }
}
