import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Whether a program is on the PATH. */
export const isInstalled = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(':').some((place) => existsSync(join(place, program)));
