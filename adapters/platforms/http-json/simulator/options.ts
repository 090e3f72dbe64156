import { z } from 'zod';
import { windowBounds } from '../../../../src/simulator/bounds.ts';
import type { TruthSpec } from '../../../../src/simulator/truth.ts';

/** How the server behaves. */
export const genericOptions = z.strictObject({
  accounts: z.array(z.strictObject({ username: z.string(), password: z.string() })),
  truth: z.custom<TruthSpec>((truth) => typeof truth === 'object'),
  /** `token`: both `POST /login` and the OAuth2 endpoint `POST /token` give one. `key`: the password is the key. */
  signing: z.enum(['none', 'basic', 'key', 'token']).default('key'),
  tokenSeconds: z.int().min(1).default(300),
  body: z.enum(['json', 'ndjson', 'csv']).default('json'),
  paging: z.enum(['none', 'link', 'cursor', 'offset', 'page', 'time']).default('cursor'),
  /** Items of one answer, whatever `size` says. */
  cap: z.int().min(1).default(1000),
  bounds: windowBounds.default('[)'),
  order: z.enum(['ascending', 'descending']).default('ascending'),
  times: z.enum(['iso', 'ms', 'us']).default('iso'),
  /** How an unknown sensor is answered. */
  failsAs: z.enum(['status', 'inside-200', 'whole-batch']).default('whole-batch'),
  /** A window longer than this is refused with 422; 0 is no limit. */
  longestMs: z.int().min(0).default(0),
  /** `latest` ignores the bounds and answers one point; `cut` loses the last tenth of a full page, without a sign; `short` loses it, and count and trailer show it. */
  fault: z.enum(['none', 'latest', 'cut', 'short']).default('none'),
});

export type GenericOptions = z.output<typeof genericOptions>;
