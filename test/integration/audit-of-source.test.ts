import { expect, it } from 'vitest';
import { listAudit, olderAudit } from '../../src/access/audit.ts';
import type { AuditChoice } from '../../src/access/audit.ts';
import { HOUR, SECOND } from '../../src/core/instant.ts';
import { changeSource } from '../../src/source/state-change.ts';
import { takeOver } from '../../src/source/take-over.ts';
import { useDatabases } from '../kit/databases.ts';
import { SEALING_KEY } from './access-rig.ts';
import { databridgeHere } from './command-line.ts';
import { makeGround } from './registration-ground.ts';

const databases = useDatabases();

it('the audit of a source holds each change of it, also under names that it had, and of no other source', async () => {
  const { database, apply } = await makeGround(databases);
  await apply({ name: 'old' });
  await apply({ name: 'neighbour' });
  await apply({ name: 'old', schedule: { every: '20s' } });
  await changeSource(database, 'remove', { name: 'old' }, 'cli:anna');
  await apply({ name: 'new' });
  await database.run(
    `insert into series (project_id, sensor_id, value_name, owner) select id, 'pump', 'flow', 'old' from ml_project where code = 'presses'`,
  );
  await takeOver(database, { source: { name: 'new' }, from: { source: 'old' } }, 'cli:bert');
  await database.run(
    `insert into audit (actor, action, subject, detail) values ('cli:root', 'project.created', 'new', '{}'),
       ('cli:root', 'source.pause', 'new', '{"organisation": "north"}')`,
  );
  await database.run(`update audit set at = now() - interval '1 day' where action = 'source.remove'`);

  const of = async (choice: Partial<AuditChoice>): Promise<string[]> =>
    (await listAudit(database, { limit: 100, ...choice })).map(
      ({ action, subject }) => `${action.replace('source.', '')} ${subject}`,
    );
  const old = ['remove old', 'changed old', 'created old'];
  expect(await of({ source: 'old', organisation: 'default' })).toEqual(['take-over new', ...old]);
  expect(await of({ source: 'new', organisation: 'default' })).toEqual(['take-over new', 'created new', ...old]);
  expect(await of({ source: 'new' })).toContain('pause new');
  expect(await of({ source: 'new', organisation: 'north' })).toEqual(['pause new']);
  expect(await of({ source: 'neighbour' })).toEqual(['created neighbour']);
  expect(await of({ source: 'absent' })).toEqual([]);
  expect(await of({ actor: 'ANNA' })).toEqual(['remove old']);
  const { now = 0 } = (await database.row<{ now: number }>('select instant_of(now()) as now')) ?? {};
  expect(await of({ source: 'old', from: now - 30 * HOUR, to: now - 20 * HOUR })).toEqual(['remove old']);
  expect(await of({ source: 'old', from: now + SECOND })).toEqual([]);

  const [newest] = await listAudit(database, { source: 'old', limit: 1 });
  expect(await olderAudit(database, { source: 'old' }, newest?.id ?? 0)).toBe(3);

  const { code, stdout } = await databridgeHere(['audit', 'list', '--source', 'old', '--from', '2d'], {
    env: { DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY, DATABRIDGE_HOME: '/nowhere' },
  });
  expect(stdout).toMatch(/ tester +source\.changed +old +schedule\.every: 10s → 20s, schedule\.start: 7d → not set$/m);
  expect(code).toBe(0);
});
