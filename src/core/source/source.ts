import { z } from 'zod';
import type { Instant, Microseconds } from '../instant.ts';
import { SECOND } from '../instant.ts';
import type { QuietHours } from '../quiet-hours.ts';
import { crossFieldProblems } from './checks.ts';
import type { SourceFacts } from './checks.ts';
import type { Start } from './fields.ts';
import { suggest } from './nearest.ts';
import { isMapping } from './path.ts';
import { problemsOf } from './problems.ts';
import type { SourceProblem } from './problems.ts';
import { commonFields } from './schema.ts';
import type { CommonFields, SensorChoice } from './schema.ts';
import { secretPaths } from './secrets.ts';

export type { SourceProblem, SensorChoice, Start };

/**
 * A source as its operator wrote it, checked and with all defaults. Durations are in µs.
 * `connection` and `options` may still hold references (`${env:X}`). `raw` is the unchanged input, and `secrets` are
 * the paths in it that hold secrets.
 */
export interface SourceConfig<K extends string = string> {
  readonly name: string;
  readonly organisation: string;
  readonly project: string;
  readonly kind: K;
  readonly platform: string;
  /** Where the platform comes from that is no part of this build, with its version. */
  readonly adapter?: string;
  readonly connection: Readonly<Record<string, string>>;
  readonly tls: CommonFields['tls'];
  /** `options` as the platform's own schema parsed them. */
  readonly options: unknown;
  readonly schedule: {
    readonly every: Microseconds;
    readonly start: Start;
    readonly settle: Microseconds;
    readonly overlap: Microseconds;
    readonly lookBackAtMost: Microseconds;
    readonly maxWindow: Microseconds;
    readonly align: Microseconds;
    readonly catchUp: 'newest' | 'oldest';
  };
  readonly pace: {
    readonly requestsPerSecond: number;
    readonly burst: number;
    readonly concurrency: number;
    readonly quietHours: readonly QuietHours[];
    readonly longestSilence: Microseconds;
  };
  readonly sensors: 'all' | readonly SensorChoice[];
  readonly mapping: CommonFields['mapping'];
  readonly raw: unknown;
  readonly secrets: readonly string[];
}

/** The part of a platform that a source is checked against; every `Platform` has it. */
export interface SourcePlatform {
  readonly name: string;
  readonly title: string;
  readonly kinds: Readonly<Partial<Record<string, unknown>>>;
  readonly options: z.ZodType;
  readonly facts: SourceFacts;
  /** The facts under the options of a source, where those decide them. */
  readonly declaredBy?: (options: never) => { readonly facts: SourceFacts };
}

/** The schema of the `connection` block for each kind. */
export type KindSchemas<K extends string = string> = Readonly<Record<K, z.ZodType<Record<string, string>>>>;

export type ParsedSource<P extends SourcePlatform, K extends string> =
  | { readonly ok: true; readonly source: SourceConfig<K>; readonly platform: P }
  | { readonly ok: false; readonly problems: readonly SourceProblem[] };

/**
 * A source may list so many sensors, because its configuration is read as a whole whenever it is opened, and polls of other sources
 * wait meanwhile. Those that are registered with more go on.
 */
const MOST_SENSORS = 25_000;

/**
 * Checks one source. Kind and platform are looked up first, and not in a union of all schemas, so that every message is
 * about the one schema they decide. With `now`, as at registration, a start in the future is a problem. `names` are those of all
 * platforms where `platforms` lacks some that the source does not name.
 */
export function parseSource<P extends SourcePlatform, K extends string>(
  input: unknown,
  platforms: readonly P[],
  given: { readonly kinds: KindSchemas<K>; readonly now?: Instant; readonly names?: readonly string[] },
): ParsedSource<P, K> {
  if (!isMapping(input)) {
    const remedy = 'write it as a mapping that begins with "name: …"';
    return { ok: false, problems: [{ path: '', message: 'this is not a source', remedy }] };
  }
  if (given.now !== undefined && Array.isArray(input['sensors']) && input['sensors'].length > MOST_SENSORS) {
    const message = `has ${input['sensors'].length} sensors, more than the ${MOST_SENSORS} of one source`;
    return { ok: false, problems: [{ path: 'sensors', message, remedy: 'make several sources of it' }] };
  }
  const names = given.names ?? platforms.map(({ name }) => name);
  const kind = choose('kind', input['kind'], Object.keys(given.kinds) as K[]);
  const named = choose('platform', input['platform'], names);
  const platform = platforms.find(({ name }) => name === named.choice);
  const misfit = problemsOfKind(platform, kind.choice);
  // A kind that the platform does not take does not tell which fields the connection should have.
  const connection = kind.choice === undefined || misfit.length > 0 ? undefined : given.kinds[kind.choice];
  const schema = schemaOf(connection, platform?.options);
  const parsed = schema.safeParse(input);
  const problems = [
    ...kind.problems,
    ...named.problems,
    ...misfit,
    ...(parsed.success ? [] : problemsOf(parsed.error.issues, schema, input)),
  ];
  if (!parsed.success || !platform || kind.choice === undefined || connection === undefined || problems.length > 0)
    return { ok: false, problems };
  const { sensors } = parsed.data;
  if (sensors !== 'all' && 'table' in sensors) {
    const remedy = 'give the file of the source, beside which the table lies';
    return { ok: false, problems: [{ path: 'sensors.table', message: 'was not read', remedy }] };
  }
  const facts = platform.declaredBy?.(parsed.data.options as never).facts ?? platform.facts;
  const fields = {
    ...parsed.data,
    sensors,
    kind: kind.choice,
    platform: platform.name,
    connection: parsed.data.connection as Readonly<Record<string, string>>,
    ...withDefaults(parsed.data, facts),
  };
  const crossed = crossFieldProblems(fields, {
    raw: input,
    title: platform.title,
    facts,
    now: given.now,
  });
  if (crossed.length > 0) return { ok: false, problems: crossed };
  return { ok: true, source: { ...fields, raw: input, secrets: secretPaths(connection, platform, input) }, platform };
}

const undecided = z.unknown().optional();

const makeSchema = (connection: z.ZodType | undefined, options: z.ZodType | undefined) =>
  z.strictObject({
    ...commonFields,
    kind: undecided,
    platform: undecided,
    connection: connection ?? undecided,
    options: options?.prefault({}) ?? undecided,
  });

/**
 * The schemas of valid pairs of kind and platform are kept, because zod compiles a schema at first use, which is slow.
 */
const schemas = new WeakMap<z.ZodType, WeakMap<z.ZodType, ReturnType<typeof makeSchema>>>();

function schemaOf(connection: z.ZodType | undefined, options: z.ZodType | undefined): ReturnType<typeof makeSchema> {
  if (connection === undefined || options === undefined) return makeSchema(connection, options);
  const known = schemas.get(connection) ?? new WeakMap<z.ZodType, ReturnType<typeof makeSchema>>();
  const schema = known.get(options) ?? makeSchema(connection, options);
  schemas.set(connection, known.set(options, schema));
  return schema;
}

/** The instant at which the readings of a source begin; a relative start counts back from the registration. */
export const startOf = (start: Start, registeredAt: Instant): Instant =>
  'at' in start ? start.at : registeredAt - start.before;

function withDefaults({ schedule, pace }: CommonFields, facts: SourceFacts): Pick<SourceConfig, 'schedule' | 'pace'> {
  return {
    schedule: {
      ...schedule,
      settle: schedule.settle ?? facts.lateness,
      overlap: schedule.overlap ?? facts.overlap,
      maxWindow: schedule.maxWindow ?? facts.maxWindow,
      align: schedule.align ?? Math.min(SECOND, schedule.every),
    },
    pace: {
      requestsPerSecond: pace.requestsPerSecond ?? facts.pace.requestsPerSecond,
      burst: pace.burst ?? facts.pace.burst,
      concurrency: pace.concurrency ?? facts.pace.concurrency,
      quietHours: pace.quietHours,
      longestSilence: pace.longestSilence,
    },
  };
}

function choose<C extends string>(
  path: 'kind' | 'platform',
  value: unknown,
  choices: readonly C[],
): { readonly choice: C | undefined; readonly problems: readonly SourceProblem[] } {
  const choice = choices.find((one) => one === value);
  if (choice !== undefined) return { choice, problems: [] };
  const list = choices.join(', ');
  if (value === undefined || value === null)
    return { choice, problems: [{ path, message: 'is missing', remedy: `add one of: ${list}` }] };
  const word = typeof value === 'string' ? value : '';
  const message =
    word === '' ? `must be the name of a ${path}` : `there is no ${path} ${JSON.stringify(word.slice(0, 60))}`;
  return { choice, problems: [{ path, message, remedy: suggest(word, choices, `the ${path}s are`) }] };
}

function problemsOfKind(platform: SourcePlatform | undefined, kind: string | undefined): readonly SourceProblem[] {
  if (platform === undefined || kind === undefined || platform.kinds[kind] !== undefined) return [];
  const remedy = `use kind: ${Object.keys(platform.kinds).join(' or ')}`;
  return [{ path: 'kind', message: `${platform.title} does not take ${kind}`, remedy }];
}
