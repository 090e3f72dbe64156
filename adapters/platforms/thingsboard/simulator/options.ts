import { z } from 'zod';
import { plant } from '../../../../src/simulator/plant.ts';
import type { TruthSpec } from '../../../../src/simulator/truth.ts';

const account = z
  .strictObject({
    username: z.string(),
    password: z.string(),
    authority: z.enum(['TENANT_ADMIN', 'CUSTOMER_USER']).default('TENANT_ADMIN'),
    /** True: the right password is answered with 401/15, because it has expired. */
    passwordExpired: z.boolean().optional(),
    /** Keys that are accepted as `X-Authorization: ApiKey KEY`, as newer servers do; the password unless told. They do not expire. */
    apiKeys: z.array(z.string()).readonly().optional(),
  })
  .readonly();

const number = z.number().min(0);

/** Everything that a test can change; it refuses a name or a value it does not know. */
const options = z.strictObject({
  accounts: z
    .array(account)
    .readonly()
    .default([
      { username: 'tenant@example.test', password: 'tenant-password', authority: 'TENANT_ADMIN' },
      { username: 'customer@example.test', password: 'customer-password', authority: 'CUSTOMER_USER' },
    ]),
  /** Lifetime of an access token in seconds; 9,000 is the product's default. */
  accessSeconds: number.default(9000),
  refreshSeconds: number.default(604_800),
  /** Wrong passwords in a row after which an account stays locked, even for the right password. */
  lockAfter: number.default(5),
  truth: z
    .custom<TruthSpec>((truth) => typeof truth === 'object')
    .refine(({ endMs, liveFromMs }) => (endMs ?? liveFromMs) !== undefined, 'needs an endMs or a liveFromMs')
    .refine(({ late, liveFromMs }) => !late || liveFromMs !== undefined, 'has late points and needs a liveFromMs')
    .default(plant()),
  /** Which of the two ways to read a window works; the other way is answered with 404. */
  historyPath: z.enum(['both', 'old-only', 'history-only']).default('both'),
  /**
   * What the old path answers to `keys`, `startTs` and `endTs`: the window, or the latest values, as the vendor's present
   * description has it (thingsboard-java-client ce/spec/openapi.json, getLatestTimeseries: it knows no bounds).
   */
  oldPath: z.enum(['honours-bounds', 'latest']).default('honours-bounds'),
  /** What is said of a device that was deleted or never there: 404/32, or 200 with `{}` and without keys. */
  deletedDevice: z.enum(['not-found', 'empty']).default('not-found'),
  /** Devices without `sortProperty`: in the order of their creation, or every second page the other way round. */
  unsortedDevices: z.enum(['created', 'changing']).default('created'),
  /** `half-open` is `startTs <= ts < endTs`; `legacy` is `startTs < ts <= endTs`, seen in 2.1 and 2.2. */
  bounds: z.enum(['half-open', 'legacy']).default('half-open'),
  /** Requests in a sliding second before 429/33; 0, the product's default, is no limit. */
  requestsPerSecond: number.default(0),
  /** An answer with more points is a 503 instead, as of an overloaded server; 0 is no limit. */
  answerPointsLimit: number.default(0),
  /** How an error body writes its `timestamp`: a number (as specified) or an ISO string (older servers). */
  errorTimestamp: z.enum(['number', 'iso']).default('number'),
});

export type ThingsBoardOptions = Readonly<z.output<typeof options>>;
export type AccountOptions = ThingsBoardOptions['accounts'][number];

/** Fills in the defaults. Throws on a name or a value it does not know, so that no misspelt option passes unnoticed. */
export const parseOptions = (given: unknown): ThingsBoardOptions => options.parse(given);
