import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'vitest';
import { ROOT } from './source-files.ts';
import { unwrittenInWords, unwrittenOf } from './unwritten.ts';

it.each(readdirSync(join(ROOT, 'adapters/platforms')))('%s is written', (name) => {
  const places = unwrittenOf(ROOT, name);
  if (places.length > 0) throw new Error(unwrittenInWords(places));
});
