import { createHash } from 'node:crypto';
import { z } from 'zod';
import { answer } from '../../../src/platform/answer.ts';
import { contractBroken } from '../../../src/core/errors.ts';
import { findIn, listOf } from './evaluate.ts';
import type { FindValue } from './evaluate.ts';
import type { ListedSensors, Page, PageWish, Evaluation, ExpressionOption } from './evaluating.ts';
import { excerpt } from './expression.ts';
import { holdPoint, itemsOf, samplesOfItems } from './points.ts';
import type { Edge } from './points.ts';

const listed = z.array(z.object({ id: z.string().min(1), name: z.string().nullish() }));

/** What a question wants from the document of its answer. `begin` is told of each expression before it is evaluated. */
export async function foundIn(
  document: unknown,
  { codes, headers, wish }: Evaluation,
  begin: (step: ExpressionOption) => void,
): Promise<Page | ListedSensors | Partial<Record<ExpressionOption, unknown>>> {
  const find = findIn(document, codes, { headers }, begin);
  if (wish.kind === 'page') return await pageIn(document, find, wish, codes);
  if (wish.kind === 'sensors') return await sensorsIn(document, find);
  const values: Partial<Record<ExpressionOption, unknown>> = {};
  for (const step of Object.keys(codes) as ExpressionOption[]) values[step] = await find(step);
  return values;
}

async function pageIn(document: unknown, find: FindValue, wish: PageWish, codes: Evaluation['codes']): Promise<Page> {
  const error = await find('answer.error');
  if (error !== undefined && error !== null && error !== false && error !== '')
    throw contractBroken(`the platform answered with an error: ${wordsOf(error)}`, excerpt(document));

  const failed = listOf(await find('answer.failed')).map(failedSensor);
  const items = itemsOf(listOf(await find('answer.points')), wish.only, wish.read);
  if (items.length === 0 && (await find('answer.empty')) !== true && failed.length === 0)
    throw contractBroken(
      'the answer has no points, and `answer.empty` does not find that there are none',
      excerpt(document),
    );

  const total = await find('exactness.count');
  if (total !== undefined && !(Number.isSafeInteger(total) && (total as number) >= 0))
    throw contractBroken('exactness.count: not a number of items', excerpt(document));
  if (codes['exactness.count'] !== undefined && total === undefined)
    throw contractBroken('exactness.count: the answer has none', excerpt(document));
  const isLast = codes['exactness.trailer'] === undefined ? undefined : (await find('exactness.trailer')) === true;
  const next = await find('paging.next');

  const edges = new Map<string, Edge>();
  if (wish.held !== undefined) for (const item of items) holdPoint(item, wish.held, edges);
  return {
    count: items.length,
    samples: wish.as === 'items' ? [] : samplesOfItems(items),
    items: wish.as === 'items' ? items : [],
    print: wish.as === 'told' ? createHash('sha256').update(JSON.stringify(items)).digest('base64') : '',
    edges: [...edges.values()],
    failed,
    next,
    total: total as number | undefined,
    isLast,
  };
}

async function sensorsIn(document: unknown, find: FindValue): Promise<ListedSensors> {
  const found = answer(listed, listOf(await find('sensors.each')), 'sensors.each');
  if (found.length === 0 && (await find('sensors.none')) !== true)
    throw contractBroken(
      'the answer has no sensors, and `sensors.none` does not find that there are none',
      excerpt(document),
    );
  return { ids: found.map(({ id }) => id), names: found.map(({ name }) => name) };
}

const wordsOf = (found: unknown): string =>
  (typeof found === 'string' ? found : (JSON.stringify(found) ?? 'it gives no reason')).slice(0, 300);

function failedSensor(found: unknown): Page['failed'][number] {
  const { sensor, message } = Object(found) as { sensor?: unknown; message?: unknown };
  if (typeof sensor !== 'string') throw contractBroken('answer.failed: an entry without "sensor"', excerpt(found));
  return { sensor, message: `the platform cannot read ${sensor}: ${wordsOf(message)}` };
}
