import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { RENEW, SPEED_PAGE, measuredCode } from '../bench/written.ts';
import { ROOT } from './source-files.ts';

it('the table of small polls was measured with this code', () => {
  const [, told] = /^Code ([0-9a-f]{12}),/m.exec(readFileSync(join(ROOT, SPEED_PAGE), 'utf8')) ?? [];
  expect(told, `the poll path or its bench changed since ${SPEED_PAGE} was measured: run ${RENEW}`).toBe(
    measuredCode(),
  );
});
