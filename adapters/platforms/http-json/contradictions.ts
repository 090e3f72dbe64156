import type { z } from 'zod';

/** The options as far as they are checked together; each field was checked alone before. */
interface Checked {
  readonly authorisation: Readonly<Record<string, unknown>> & { readonly by: string };
  readonly sensors: {
    readonly list?: unknown;
    readonly request?: unknown;
    readonly each?: unknown;
    readonly perRequest: number;
  };
  readonly readings: {
    readonly method: string;
    readonly body?: unknown;
    readonly path: string;
    readonly query: unknown;
  };
  readonly times: { readonly write: string; readonly read: string };
  readonly answer: { readonly failed?: unknown };
  readonly paging: {
    readonly by: string;
    readonly next?: unknown;
    readonly ends?: unknown;
    readonly size?: unknown;
    readonly first?: unknown;
  };
  readonly exactness: {
    readonly proof: string;
    readonly count?: unknown;
    readonly trailer?: unknown;
    readonly failsAs: string;
    readonly order: string;
    readonly cap: unknown;
  };
  readonly unproven?: unknown;
}

type Rule = readonly [path: string, broken: (options: Checked) => boolean, message: string, remedy: string];

const isAbsent = (value: unknown): boolean => value === undefined;
const mentions = ({ readings }: Checked, placeholder: string): boolean =>
  JSON.stringify(readings).includes(placeholder);

/** What each way of paging needs, besides `{from}` and `{to}`. */
const PLACEHOLDER: Readonly<Record<string, string>> = { cursor: '{cursor}', offset: '{offset}', page: '{page}' };

const RULES: readonly Rule[] = [
  [
    'sensors',
    ({ sensors }) => isAbsent(sensors.list) === isAbsent(sensors.request),
    'needs one of `list` and `request`',
    'list the sensors, or describe the request that does',
  ],
  [
    'sensors.each',
    ({ sensors }) => isAbsent(sensors.request) !== isAbsent(sensors.each),
    'goes with `request`',
    'give both or none',
  ],
  [
    'readings',
    (options) => !['{from}', '{to}'].every((name) => mentions(options, name)),
    'does not name {from} and {to}',
    'a request without the window answers other points',
  ],
  [
    'readings.body',
    ({ readings }) => readings.method === 'GET' && !isAbsent(readings.body),
    'a GET has no body',
    'use method: POST, or put it into `query`',
  ],
  [
    'readings',
    (options) => options.sensors.perRequest > 1 && !mentions(options, '{sensors}'),
    'does not name {sensors}',
    'name them, or set `sensors.perRequest` to 1 and use {sensor}',
  ],
  [
    'times.read',
    ({ times }) => (times.write === 'local') !== (times.read === 'local'),
    'times are local in one direction only',
    'use `local` for both; the bridge then asks in local times',
  ],
  [
    'paging.next',
    ({ paging }) => ['link', 'cursor'].includes(paging.by) === isAbsent(paging.next),
    'goes with `link` and `cursor`',
    'say where the answer has the link or cursor',
  ],
  [
    'paging.ends',
    ({ paging }) => ['link', 'cursor'].includes(paging.by) === isAbsent(paging.ends),
    'goes with `link` and `cursor`',
    'say how the answer shows that there is no next page',
  ],
  [
    'paging.size',
    ({ paging }) => ['offset', 'page', 'time'].includes(paging.by) && isAbsent(paging.size),
    'is missing',
    'say how many items a page has',
  ],
  [
    'paging.first',
    ({ paging }) => (paging.by === 'page') === isAbsent(paging.first),
    'goes with `page`',
    'say whether the first page is 0 or 1',
  ],
  [
    'readings',
    (options) => options.paging.by in PLACEHOLDER && !mentions(options, PLACEHOLDER[options.paging.by] ?? ''),
    'does not name the place of its page',
    'put {cursor}, {offset} or {page} into it',
  ],
  [
    'readings',
    (options) => !isAbsent(options.paging.size) && !mentions(options, '{size}'),
    'does not name {size}',
    'put it into the request, or leave `paging.size` out',
  ],
  [
    'readings.method',
    ({ readings, paging }) => paging.by === 'link' && readings.method !== 'GET',
    'a link is followed by GET',
    'use method: GET',
  ],
  [
    'exactness.order',
    ({ paging, exactness }) => paging.by === 'time' && exactness.order === 'none',
    'must be known where pages go on by time',
    'ask the platform for an order, or page in another way',
  ],
  [
    'exactness.cap',
    ({ paging, exactness }) => paging.by === 'time' && exactness.cap === 'none',
    'must be known where pages go on by time',
    'give the largest page of the platform',
  ],
  [
    'sensors.perRequest',
    ({ paging, sensors }) => paging.by === 'time' && sensors.perRequest > 1,
    'must be 1 where pages go on by time',
    'the last time of a page is that of one sensor only',
  ],
  [
    'answer.failed',
    ({ answer, exactness }) => (exactness.failsAs === 'inside-200') === isAbsent(answer.failed),
    'goes with `exactness.failsAs: inside-200`',
    'give both or none',
  ],
  [
    'exactness.count',
    ({ exactness }) => (exactness.proof === 'count') === isAbsent(exactness.count),
    'goes with `proof: count`',
    'give both or none',
  ],
  [
    'exactness.trailer',
    ({ exactness }) => (exactness.proof === 'trailer') === isAbsent(exactness.trailer),
    'goes with `proof: trailer`',
    'give both or none',
  ],
  [
    'exactness.proof',
    ({ paging, exactness }) => exactness.proof === 'no-next' && !['link', 'cursor'].includes(paging.by),
    'only pages by link or cursor show that there is no next one',
    'use count, trailer, or none',
  ],
  [
    'exactness.proof',
    ({ paging, exactness }) => exactness.proof === 'empty-page' && !['offset', 'page'].includes(paging.by),
    'only pages by offset or number end with an empty one',
    'use no-next, count, trailer, or none',
  ],
  [
    'unproven',
    ({ exactness, unproven }) => exactness.proof === 'none' && isAbsent(unproven),
    'nothing proves that an answer is complete, so readings may be missing without an error',
    'find a proof (a count, a trailer, a cursor), or write `unproven: accepted`; the source is then marked in every list',
  ],
  [
    'unproven',
    ({ exactness, unproven }) => exactness.proof !== 'none' && !isAbsent(unproven),
    'the source has a proof',
    'take `unproven` out',
  ],
  [
    'authorisation.header',
    ({ authorisation }) => authorisation.by === 'header' && isAbsent(authorisation['header']),
    'is missing',
    'name the header that carries the key',
  ],
  [
    'authorisation.client',
    ({ authorisation }) => (authorisation.by === 'oauth2') === isAbsent(authorisation['client']),
    'goes with `by: oauth2`',
    'say how the client shows its secret: post or basic',
  ],
  ...['path', 'body', 'answer'].map((field): Rule => [
    `authorisation.${field}`,
    ({ authorisation }) => (authorisation.by === 'login') === isAbsent(authorisation[field]),
    'goes with `by: login`',
    'describe the login call, or use another way',
  ]),
];

/** Refuses options that do not go together, each with its remedy. */
export function contradictions(options: Checked, context: z.RefinementCtx): void {
  for (const [path, isBroken, message, remedy] of RULES) {
    if (isBroken(options)) context.addIssue({ code: 'custom', path: path.split('.'), message, params: { remedy } });
  }
}
