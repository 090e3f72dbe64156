import { plant } from '../../../../src/simulator/plant.ts';
import type { TruthSpec } from '../../../../src/simulator/truth.ts';

export interface AccountOptions {
  readonly username: string;
  readonly password: string;
  readonly authority: 'TENANT_ADMIN' | 'CUSTOMER_USER';
}

export interface ThingsBoardOptions {
  readonly accounts: readonly AccountOptions[];
  /** Lifetime of an access token in seconds. The product's default; it may be set as short as a test needs. */
  readonly accessSeconds: number;
  readonly refreshSeconds: number;
  /** Wrong passwords in a row after which an account stays locked, whatever password comes then. */
  readonly lockAfter: number;
  readonly truth: TruthSpec;
  /** Which of the two forms of reading a window work; the other one answers 404. */
  readonly historyPath: 'both' | 'old-only' | 'history-only';
  /** `half-open` is `startTs <= ts < endTs`; `legacy` is `startTs < ts <= endTs`, seen in 2.1 and 2.2. */
  readonly bounds: 'half-open' | 'legacy';
  /** Requests in a sliding second before 429/33; 0 is the product's default, no limit. */
  readonly requestsPerSecond: number;
  /** Points in one answer above which it is a 503 instead, as an overloaded server does; 0 is never. */
  readonly answerPointsLimit: number;
  /** How an error body writes its `timestamp`: a number (as specified) or an ISO string (older servers). */
  readonly errorTimestamp: 'number' | 'iso';
}

const words: Partial<Record<keyof ThingsBoardOptions, readonly string[]>> = {
  historyPath: ['both', 'old-only', 'history-only'],
  bounds: ['half-open', 'legacy'],
  errorTimestamp: ['number', 'iso'],
};

/** What the simulator does when nothing is asked for. */
export const defaultOptions: ThingsBoardOptions = {
  accounts: [
    { username: 'tenant@example.test', password: 'tenant-password', authority: 'TENANT_ADMIN' },
    { username: 'customer@example.test', password: 'customer-password', authority: 'CUSTOMER_USER' },
  ],
  accessSeconds: 9000,
  refreshSeconds: 604_800,
  lockAfter: 5,
  truth: plant(),
  historyPath: 'both',
  bounds: 'half-open',
  requestsPerSecond: 0,
  answerPointsLimit: 0,
  errorTimestamp: 'number',
};

/** Fills in the defaults. Throws on a name or a value it does not know: a misspelt option must not pass unnoticed. */
export function parseOptions(input: unknown): ThingsBoardOptions {
  const given = Object(input) as Record<string, unknown>;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(defaultOptions, name)) throw new Error(`no such option: ${name}`);
    const key = name as keyof ThingsBoardOptions;
    if (typeof value !== typeof defaultOptions[key]) throw new Error(`option ${name} has the wrong type`);
    if (typeof value === 'number' && !(value >= 0)) throw new Error(`option ${name} is 0 or more`);
    if (words[key] && !words[key].includes(value as string)) throw new Error(`option ${name} is not ${value}`);
  }
  const options = { ...defaultOptions, ...given } as ThingsBoardOptions;
  checkTruth(options.truth);
  return options;
}

function checkTruth({ endMs, liveFromMs, late }: TruthSpec): void {
  if (endMs === undefined && liveFromMs === undefined) throw new Error('the truth needs an endMs or a liveFromMs');
  if (late !== undefined && liveFromMs === undefined) throw new Error('late points need a liveFromMs');
}
