import { readFile, stat } from 'node:fs/promises';
import { z } from 'zod';
import { ALERT_KINDS, SEVERITIES } from '../core/alert.ts';
import type { AlertKind, AlertPatience, Severity } from '../core/alert.ts';
import { configInvalid } from '../core/errors.ts';
import { DAY, MINUTE } from '../core/instant.ts';
import type { Microseconds } from '../core/instant.ts';
import { duration, secret, text } from '../core/source/fields.ts';
import { formatProblem, problemsOf } from '../core/source/problems.ts';
import type { SourceProblem } from '../core/source/problems.ts';
import { looksLikeReference } from '../core/source/reference.ts';
import { readDocuments } from '../source/document.ts';
import { reasonOf } from '../source/file.ts';

/** An alert ends when its trouble has been away for so long, where its rule names nothing else. */
const AWAY: Microseconds = 5 * MINUTE;

/** The limits of the kinds that have one, with their fields in the file. */
const LIMITS = {
  behind: {
    overdue: duration('only sources that are late by more than this, besides one interval of their own').optional(),
  },
  silent: {
    longest: duration(
      'only sources whose newest reading is older than this, besides the rhythm of each sensor',
    ).optional(),
  },
  refusals: {
    share: z.number().gt(0).max(1).describe('share of the points of the last hours that are refused').default(0.05),
  },
  outbox: { oldest: duration('age of the oldest reading that waits').default(10 * MINUTE) },
  disk: { freeGigabytes: z.number().min(0).describe('room on the disk, in GB').default(5) },
  backup: { age: duration('age of the newest backup').default(7 * DAY) },
} as const;

const common = {
  for: duration('how long the trouble lasts before it is an alert').optional(),
  away: duration('how long it is away before the alert ends', { atLeast: MINUTE }).default(AWAY),
  severity: z.enum(SEVERITIES).describe('in place of the severity that doctor gives it').optional(),
};

const ruleOf = <Limits extends z.ZodRawShape>(limits: Limits) =>
  z
    .union([z.literal('off'), z.strictObject({ ...common, ...limits })])
    .prefault({} as never)
    .describe('off, or a mapping of what is not as usual');

const rulesSchema = z.strictObject({
  stopped: ruleOf({}),
  failing: ruleOf({}),
  contract: ruleOf({}),
  behind: ruleOf(LIMITS.behind),
  silent: ruleOf(LIMITS.silent),
  refusals: ruleOf(LIMITS.refusals),
  names: ruleOf({}),
  outbox: ruleOf(LIMITS.outbox),
  disk: ruleOf(LIMITS.disk),
  key: ruleOf({}),
  planner: ruleOf({}),
  clock: ruleOf({}),
  backup: ruleOf(LIMITS.backup),
  settings: ruleOf({}),
} satisfies Record<AlertKind, z.ZodType>);

const isWebAddress = (value: string): boolean => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);

const webhookSchema = z.strictObject({
  url: secret('address that messages are posted to')
    .refine((value) => looksLikeReference(value) || isWebAddress(value), {
      message: 'is not an address',
      params: { remedy: 'write it like https://hooks.example/bridge, or as ${env:NAME}' },
    })
    .meta({ examples: ['https://hooks.example/bridge'] }),
  secret: secret('key of the signature of each message').optional(),
});

const address = z
  .email()
  .max(254)
  .describe('address of a mailbox')
  .meta({ examples: ['shift@plant.example'] });

const emailSchema = z.strictObject({
  to: z.array(address).min(1).max(50),
  from: address,
  server: text('name or address of the mail server'),
  port: z.number().int().min(1).max(65_535).describe('465 for tls, 587 for starttls').default(587),
  security: z
    .enum(['tls', 'starttls', 'none'])
    .describe('none only for a server of this host or a closed network')
    .default('starttls'),
  user: text('name at the mail server').optional(),
  password: secret('password at the mail server').optional(),
});

const targetSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'is not a name of small letters, digits and hyphens')
      .describe('name of the target'),
    severities: z
      .array(z.enum(SEVERITIES))
      .min(1)
      .default([...SEVERITIES]),
    organisations: z.array(text('id of an organisation', 128)).min(1).optional(),
    webhook: webhookSchema.optional(),
    email: emailSchema.optional(),
  })
  .refine(({ webhook, email }) => (webhook === undefined) !== (email === undefined), {
    message: 'needs a webhook or an email',
    params: { remedy: 'give one of the two' },
  });

const fileSchema = z.strictObject({
  rules: rulesSchema.prefault({}),
  targets: z
    .array(targetSchema)
    .max(20)
    .default([])
    .refine((targets) => new Set(targets.map(({ name }) => name)).size === targets.length, {
      message: 'a name stands twice',
      params: { remedy: 'give each target a name of its own' },
    }),
});

export type AlertTarget = z.infer<typeof targetSchema>;
export type EmailTarget = z.infer<typeof emailSchema>;

/**
 * The limits beyond which a state is a trouble. `overdue` is undefined where one interval of the source decides, and `silence` where the
 * rhythm of each sensor does.
 */
export interface AlertLimits {
  readonly overdue: Microseconds | undefined;
  readonly silence: Microseconds | undefined;
  readonly refusedShare: number;
  readonly outboxAge: Microseconds;
  readonly diskFree: number;
  readonly backupAge: Microseconds;
}

/** What is told, and to whom. */
export interface AlertRules {
  readonly limits: AlertLimits;
  readonly targets: readonly AlertTarget[];
  /** Undefined for a kind that is switched off. */
  readonly patienceOf: (kind: AlertKind) => AlertPatience | undefined;
  /** The severity of a kind in place of that of the trouble. */
  readonly severityOf: (kind: AlertKind) => Severity | undefined;
}

const GIGABYTE = 1_000_000_000;

function rulesOf({ rules, targets }: z.infer<typeof fileSchema>): AlertRules {
  const given = (kind: AlertKind) => (rules[kind] === 'off' ? undefined : rules[kind]);
  const limits = <Kind extends keyof typeof LIMITS>(kind: Kind) => {
    const rule = rules[kind];
    return (rule === 'off' ? DEFAULTS[kind] : rule) as Exclude<(typeof rules)[Kind], 'off'>;
  };
  return {
    limits: {
      overdue: limits('behind').overdue,
      silence: limits('silent').longest,
      refusedShare: limits('refusals').share,
      outboxAge: limits('outbox').oldest,
      diskFree: limits('disk').freeGigabytes * GIGABYTE,
      backupAge: limits('backup').age,
    },
    targets,
    patienceOf(kind) {
      const rule = given(kind);
      return rule === undefined ? undefined : { lasting: rule.for ?? ALERT_KINDS[kind].lasting, away: rule.away };
    },
    severityOf: (kind) => given(kind)?.severity,
  };
}

const DEFAULTS = fileSchema.parse({}).rules;

/** The rules without a file: every kind, and no target. */
export const DEFAULT_RULES: AlertRules = rulesOf(fileSchema.parse({}));

/** The time to read YAML grows with the square of its length, and the daemon reads the file again when it changes, beside polls. */
const LONGEST_FILE = 12_000;

type RuleFault = SourceProblem & { readonly line: number; readonly column: number };

/**
 * The rules in the text of a file. Throws `config-invalid` with one line for each fault, each with file, line and column, and without
 * the value of a secret.
 */
export function parseRules(file: string, content: string): AlertRules {
  if (content.length > LONGEST_FILE)
    throw configInvalid(
      `${file} is longer than ${LONGEST_FILE} characters`,
      'keep what is described in docs/alerts.md: twenty targets and a rule for each kind are shorter',
    );
  const read = readDocuments(file, content, {
    message: 'holds no rules',
    remedy: 'begin it with "targets:" or "rules:"',
  });
  const faults = read.flatMap((one, place): readonly RuleFault[] => {
    if (!one.ok) return [{ ...one, path: '' }];
    if (place > 0) return [{ ...one.locate(''), path: '', message: 'is a second document', remedy: 'keep one' }];
    const parsed = fileSchema.safeParse(one.input);
    if (parsed.success) return [];
    const problems = problemsOf(parsed.error.issues, fileSchema, one.input);
    return problems.map((problem) => ({ ...one.locate(problem.path), ...problem }));
  });
  const [first] = read;
  if (faults.length === 0 && first?.ok === true) return rulesOf(fileSchema.parse(first.input));
  const lines = faults.map(({ line, column, ...problem }) => `${file}:${line}:${column}: ${formatProblem(problem)}`);
  throw configInvalid(lines.join('\n'), 'correct the file that DATABRIDGE_ALERTS names; docs/alerts.md describes it');
}

/** The rules of the file that the settings name; the defaults where they name none. Throws `config-invalid`. */
export async function readRules(file: string | undefined): Promise<AlertRules> {
  if (file === undefined) return DEFAULT_RULES;
  const content = await readFile(file, 'utf8').catch((error: unknown) => {
    throw configInvalid(`DATABRIDGE_ALERTS: ${file} ${reasonOf(error)}`, 'correct the path, or leave the setting out');
  });
  return parseRules(file, content);
}

/**
 * The rules of a file that may change while the process runs. `present` reads it again where it changed; a file that has a fault
 * meanwhile changes nothing, and `onFault` gets the fault once.
 */
export async function watchedRules(
  file: string | undefined,
  onFault: (error: unknown) => void,
): Promise<{ present(): Promise<AlertRules> }> {
  let rules = await readRules(file);
  let seen = await changedAt(file);
  return {
    async present() {
      const at = await changedAt(file);
      if (at === seen) return rules;
      seen = at;
      try {
        rules = await readRules(file);
      } catch (error) {
        onFault(error);
      }
      return rules;
    },
  };
}

const changedAt = async (file: string | undefined): Promise<number | undefined> =>
  file === undefined ? undefined : (await stat(file).catch(() => undefined))?.mtimeMs;
