import { z } from 'zod';
import { configInvalid } from '../core/errors.ts';
import type { Platform } from './contract.ts';

const length = z.int().min(0);
const bound = z.enum(['inclusive', 'exclusive', 'unknown']);
const count = z.int().min(1);
const countOrAll = z.union([count, z.literal(Infinity)]);
const call = z.custom((given) => typeof given === 'function', 'must be a function');

/** A platform as code without types may define it. */
const definition = z.looseObject({
  name: z.string().regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, 'must be kebab-case'),
  title: z.string().min(1),
  kinds: z.partialRecord(
    z.enum(['user-credentials', 'client-credentials', 'separate-auth-server', 'historian', 'custom']),
    z.looseObject({ sign: call }),
  ),
  options: z.custom(
    (given) => typeof given === 'object' && given !== null && 'safeParse' in given,
    'must be a schema of zod, such as z.strictObject({})',
  ),
  facts: z.looseObject({
    bounds: z.object({ from: bound, to: bound }),
    resolution: count,
    order: z.enum(['ascending', 'descending', 'none']),
    page: z.object({
      cap: countOrAll,
      more: z.enum(['cursor', 'link', 'offset', 'flag', 'full-page', 'none']),
    }),
    sameInstant: z.enum(['one', 'many']),
    failsAs: z.enum(['status', 'inside-200', 'whole-batch']),
    quality: z.record(z.string(), z.union([z.int().min(0).max(100), z.literal('refuse')])).optional(),
    maxWindow: count,
    minWindow: count,
    sensorsPerRead: countOrAll,
    namesVariables: z.boolean(),
    pace: z.object({ requestsPerSecond: z.number().gt(0), burst: count, concurrency: count }),
    lateness: length,
    overlap: length,
  }),
  place: z.array(z.string()).refine((paths) => paths.includes('connection.url'), 'must have connection.url'),
  renamed: call,
  identify: call,
  sensors: call,
  read: call,
});

/** The one platform that a module exports. Throws `config-invalid` where there is none, or where a field of it is wrong. */
export function definedPlatform(module: object, adapter: string): Platform {
  const isPlatform = (given: unknown): given is Platform =>
    typeof given === 'object' && given !== null && 'facts' in given && 'kinds' in given;
  const [platform, ...others] = new Set(Object.values(module).filter(isPlatform));
  if (platform === undefined || others.length > 0)
    throw configInvalid(
      `the adapter ${adapter} exports ${platform === undefined ? 'no platform' : 'several platforms'}`,
      'export one: export const myPlatform = definePlatform({ … })',
      'adapter',
    );
  const checked = definition.safeParse(platform);
  if (checked.success) return platform;
  const [issue] = checked.error.issues;
  throw configInvalid(
    `the platform of the adapter ${adapter}: ${issue?.path.join('.')}: ${issue?.message}`,
    'compare it with src/platform/contract.ts of databridge',
    'adapter',
  );
}
