import { z } from 'zod';
import { configInvalid, contractBroken } from '../../../src/core/errors.ts';
import type { Http, Sensor } from '../../../src/platform/contract.ts';
import { answer } from '../../../src/platform/answer.ts';
import { documentFor } from './ask.ts';
import { evaluate, excerpt, listOf } from './expression.ts';
import type { HttpJsonSettings } from './options.ts';
import { filled } from './template.ts';

const listed = z.array(z.object({ id: z.string().min(1), name: z.string().nullish() }));

/** The sensors of the options, or those in the JSON that answers the request for them. */
export async function* sensors(http: Http, options: HttpJsonSettings): AsyncGenerator<Sensor> {
  const { list, request, each = '$', none } = options.sensors;
  if (request === undefined) {
    for (const id of list ?? []) yield { id };
    return;
  }
  const { document } = await documentFor(http, filled(request, {}, undefined), {
    ...options,
    answer: { ...options.answer, body: 'json', emptyStatuses: [] },
  });
  const found = answer(listed, listOf(await evaluate(each, document, 'sensors.each')), 'sensors.each');
  if (found.length === 0 && (none === undefined || (await evaluate(none, document, 'sensors.none')) !== true))
    throw contractBroken(
      'the answer has no sensors, and `sensors.none` does not find that there are none',
      excerpt(document),
    );
  const seen = new Set<string>();
  for (const { id, name } of found) {
    const twice = configInvalid(
      `sensors.each gives ${id} twice, and it is read once`,
      'give each sensor an id of its own',
      'options.sensors.each',
    );
    yield { id, ...(typeof name === 'string' ? { name } : {}), ...(seen.has(id) && { refused: twice }) };
    seen.add(id);
  }
}
