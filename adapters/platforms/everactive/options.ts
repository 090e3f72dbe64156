import { z } from 'zod';

/** The `options` of an Everactive source. */
export const everactiveOptions = z.strictObject({
  scope: z
    .string()
    .min(1)
    .optional()
    .describe('Scope that the login asks for, where the account needs one. Default: none.')
    .meta({ examples: ['user developer'] }),
});

/** The options of a source as parsed: defaults are filled in. */
export type EveractiveSettings = z.output<typeof everactiveOptions>;
