import { expect, test } from 'vitest';
import type { Judgement } from './judgement.ts';
import { groupInWords, groupedByCause } from './overview.ts';

const stopped = (source: string): Judgement => ({
  check: `source ${source}`,
  state: 'failed',
  detail: 'stopped: GET https://plant.example/query: 401 Unauthorized',
  remedy: 'check user and password',
  kind: 'stopped',
  organisation: source === 'far' ? 'north' : 'default',
  subject: source,
  source,
  cause: 'credentials refused at plant.example',
});

test('sources with one cause are one trouble, the worst first, and a source counts once in it', () => {
  const late: Judgement = { ...stopped('late'), state: 'warning', kind: 'behind', cause: 'late, without a fault' };
  const stream: Judgement = { ...stopped('hall'), state: 'warning', kind: 'failing', subject: 'hall pump' };
  const disk: Judgement = {
    check: 'disk',
    state: 'warning',
    detail: 'full',
    kind: 'disk',
    organisation: null,
    subject: 'host',
  };
  const groups = groupedByCause([late, disk, stream, stopped('hall'), stopped('far')]);
  expect(groups.map(groupInWords)).toEqual([
    '2 sources: credentials refused at plant.example',
    'host: full',
    'late: late, without a fault',
  ]);
  expect(groups[0]).toMatchObject({
    state: 'failed',
    kind: 'stopped',
    subjects: ['hall', 'north/far'],
    remedy: 'check user and password',
    next: 'databridge source why hall',
  });
});
