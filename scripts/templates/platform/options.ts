import { z } from 'zod';

// WRITE 3: give each setting that the platform needs beyond its connection a field with `.describe()`; none is fine, too
/** The `options` of a New Platform source. */
export const newPlatformOptions = z.strictObject({});

/** The options of a source as parsed: defaults are filled in. */
export type NewPlatformSettings = z.output<typeof newPlatformOptions>;
