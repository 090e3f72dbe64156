import { z } from 'zod';
import { contractBroken, credentialsRejected, tooMuch } from '../../../src/core/errors.ts';
import { DAY, MICROSECOND, MINUTE, parseInstant } from '../../../src/core/instant.ts';
import { state } from '../../../src/core/samples.ts';
import { definePlatform } from '../../../src/platform/contract.ts';
import type { FailedSensor, Http, Platform, Samples, Selection } from '../../../src/platform/contract.ts';
import type { Window } from '../../../src/core/window.ts';

/** The mistakes that an author may make. Each of them must be caught by a rule. */
export type Mistake =
  | 'misses the last tick'
  | 'drops the last page'
  | 'takes an error for nothing'
  | 'keeps one point of an instant'
  | 'asks again after 429'
  | 'forgets a sensor that failed';

const MOST = 40;

const point = z.strictObject({ t: z.string(), v: z.unknown(), q: z.enum(['good', 'uncertain', 'bad']) });
const item = z.union([z.strictObject({ points: z.array(point) }), z.strictObject({ error: z.string() })]);
const pointsAnswer = z.strictObject({ items: z.record(z.string(), item) });
const listAnswer = z.strictObject({ sensors: z.array(z.strictObject({ id: z.string() })), pages: z.int() });
const aboutAnswer = z.strictObject({ product: z.literal('Reference') });
const tokenAnswer = z.looseObject({ access_token: z.string().min(1), expires_in: z.number() });

function shaped<T>(schema: z.ZodType<T>, data: unknown): T {
  const parsed = schema.safeParse(data);
  if (!parsed.success) throw contractBroken(`Reference: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

const stateOf = z.strictObject({ state: z.string(), code: z.number() });

function valueOf(given: unknown): unknown {
  const found = stateOf.safeParse(given);
  return found.success ? state(found.data.state, found.data.code) : given;
}

interface Page extends Samples {
  readonly quality: readonly string[];
  readonly rawInstants: readonly string[];
}

/** The reference platform, whole or with one mistake. */
export function reference(mistake?: Mistake): Platform {
  /** The points of one page by sensor; undefined for a sensor that failed. */
  async function page(http: Http, ids: readonly string[], window: Window, limit: number) {
    const to = mistake === 'misses the last tick' ? window.to - MICROSECOND : window.to;
    const expect = mistake === 'asks again after 429' ? [429] : [];
    const ask = () => http.post<unknown>('/points', { ids, from: window.from, to, limit }, { expect });
    let answer = await ask();
    for (let again = 0; answer.status === 429 && again < 3; again += 1) answer = await ask();
    if (mistake === 'takes an error for nothing' && !pointsAnswer.safeParse(answer.data).success) {
      return new Map(ids.map((id) => [id, []]));
    }
    const { items } = shaped(pointsAnswer, answer.data);
    return new Map(
      ids.map((id) => {
        const found = items[id];
        if (found === undefined) throw contractBroken(`Reference: no answer for ${id}`);
        return [id, 'points' in found ? found.points : undefined];
      }),
    );
  }

  const samplesOf = (sensor: string, points: readonly z.output<typeof point>[]): Page => ({
    sensor,
    variable: 'value',
    at: points.map(({ t }) => parseInstant(t) ?? NaN),
    values: points.map(({ v }) => valueOf(v)),
    quality: points.map(({ q }) => q),
    rawInstants: points.map(({ t }) => t),
  });

  /** Goes on at the last instant of a full page, and drops the points of it that it has yielded. */
  async function* rest(
    http: Http,
    sensor: string,
    window: Window,
    first: Page,
    pageLimit: number,
  ): AsyncGenerator<Samples> {
    let [last, limit] = [first, pageLimit];
    while (last.at.length >= limit) {
      const from = last.at.at(-1) as number;
      if (last.at[0] === from && limit > pageLimit && limit >= MOST)
        throw tooMuch(`Reference: more than ${MOST} points at one instant`);
      if (last.at[0] === from) limit = Math.min(MOST, limit * 2);
      const points = (await page(http, [sensor], { from, to: window.to }, limit)).get(sensor);
      if (points === undefined) throw contractBroken(`Reference: ${sensor} is gone`);
      last = samplesOf(sensor, points);
      const known = first.at.filter((at) => at === from).length;
      if (last.at[0] !== from)
        throw contractBroken(`Reference: the page of ${sensor} does not begin where it was asked to`);
      if (last.at.length <= known && last.at.length >= limit) throw tooMuch('Reference: an instant fills a page');
      if (mistake === 'drops the last page' && last.at.length < limit) return;
      const skipped = mistake === 'keeps one point of an instant' ? last.at.filter((at) => at === from).length : known;
      first = last;
      yield cut(last, skipped);
    }
  }

  async function* read(
    http: Http,
    { pageLimit }: { pageLimit: number },
    { sensors = [] }: Selection,
    window: Window,
  ): AsyncGenerator<Samples | FailedSensor> {
    for (const [sensor, points] of await page(http, sensors, window, pageLimit)) {
      if (points === undefined) {
        if (mistake !== 'forgets a sensor that failed')
          yield { sensor, failed: contractBroken(`Reference: ${sensor} is gone`) };
        continue;
      }
      const first = samplesOf(sensor, points);
      yield first;
      yield* rest(http, sensor, window, first, pageLimit);
    }
  }

  return definePlatform({
    name: 'reference',
    title: 'Reference',
    docs: 'https://reference.invalid/',
    kinds: {
      'separate-auth-server': {
        sign: (_credentials, token) => ({ Authorization: `Bearer ${token}` }),
        async obtain(http, { authUrl, clientId, clientSecret }) {
          const form = new URLSearchParams({
            grant_type: 'client_credentials',
            client_id: clientId ?? '',
            client_secret: clientSecret ?? '',
          });
          const { status, data } = await http.post<unknown>(`${authUrl}/token`, form, { expect: [401] });
          if (status === 401)
            throw credentialsRejected('Reference refused the client', 'Check clientId and clientSecret.');
          const { access_token: token, expires_in: expiresInSeconds } = shaped(tokenAnswer, data);
          return {
            token,
            expiresAt: undefined,
            expiresInSeconds,
          };
        },
      },
    },
    options: z.strictObject({ pageLimit: z.int().min(1).max(MOST).default(MOST).describe('Points of a page.') }),
    place: ['connection.url'],
    renamed: ({ sensor, variable }) => ({ sensor: sensor.id, variable }),
    facts: {
      bounds: { from: 'inclusive', to: 'exclusive' },
      resolution: MICROSECOND,
      order: 'ascending',
      page: { cap: MOST, more: 'full-page' },
      sameInstant: 'many',
      failsAs: 'inside-200',
      quality: { good: 100, uncertain: 50, bad: 'refuse' },
      maxWindow: DAY,
      minWindow: MICROSECOND,
      sensorsPerRead: 5,
      namesVariables: false,
      pace: { requestsPerSecond: 5, burst: 5, concurrency: 2 },
      lateness: MINUTE,
      overlap: MINUTE,
    },
    async identify(http) {
      return { product: shaped(aboutAnswer, (await http.get<unknown>('/about')).data).product };
    },
    async *sensors(http) {
      for (let page = 0, pages = 1; page < pages; page += 1) {
        const answer = shaped(listAnswer, (await http.get<unknown>('/sensors', { params: { page } })).data);
        yield* answer.sensors;
        pages = answer.pages;
      }
    },
    read,
  });
}

const cut = (samples: Page, begin: number): Page => ({
  ...samples,
  at: samples.at.slice(begin),
  values: samples.values.slice(begin),
  quality: samples.quality.slice(begin),
  rawInstants: samples.rawInstants.slice(begin),
});
