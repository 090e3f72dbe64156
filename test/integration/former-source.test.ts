import { expect, it } from 'vitest';
import { kinds } from '../../adapters/kinds.ts';
import { SECOND } from '../../src/core/instant.ts';
import { formerOf } from '../../src/source/former.ts';
import { applySource } from '../../src/source/registration.ts';
import { changeSource } from '../../src/source/state-change.ts';
import { useDatabases } from '../kit/databases.ts';
import { NOW, good, makeGround, platforms } from './registration-ground.ts';

const databases = useDatabases();

it('a source keeps the configurations that ended, secrets sealed, and the last one can be applied again', async () => {
  const ground = await makeGround(databases);
  const { database, apply } = ground;
  const place = { database, sealing: ground.sealing, registry: { platforms, kinds } };
  const wanted = { name: 'hall-3' };
  await expect(formerOf(place, wanted)).rejects.toMatchObject({ code: 'config-invalid' });
  await apply();
  await expect(formerOf(place, wanted)).rejects.toMatchObject({ code: 'config-invalid' });
  await apply({ connection: { ...good.connection, password: 's3cret-second' } });
  const first = await formerOf(place, wanted);
  expect(first).toMatchObject({ endedBy: 'tester', ending: 'changed' });
  expect(first.source.connection).toEqual(good.connection);
  await changeSource(database, 'remove', wanted, 'tester');
  const second = await formerOf(place, wanted);
  expect(second).toMatchObject({ ending: 'removed', source: { connection: { password: 's3cret-second' } } });
  expect(await ground.everything()).not.toContain('s3cret');
  const applied = await applySource(place, second.source, { now: NOW, actor: 'tester', dryRun: false });
  expect(applied).toMatchObject({ action: 'created' });
  for (let every = 11; every < 40; every += 1) await apply({ schedule: { every: `${every}s` } });
  expect(await database.rows('select id from former_configuration')).toHaveLength(20);
  expect((await formerOf(place, wanted)).source.schedule.every).toBe(38 * SECOND);
});

it('the newest 20 are kept of each organisation and name', async () => {
  const { database, apply } = await makeGround(databases);
  await database.run(`insert into organisation (id, name) values ('acme', 'Acme')`);
  await database.run(`insert into ml_project (organisation_id, code, name) values ('acme', 'presses', 'P')`);
  const others = [{ organisation: 'acme' }, { name: 'hall-4' }];
  for (const other of others) {
    await apply(other);
    await apply({ ...other, schedule: { every: '9s' } });
  }
  await apply();
  for (let every = 11; every < 40; every += 1) await apply({ schedule: { every: `${every}s` } });
  // One more of the others, because the bound acts on those of the source that changes.
  for (const other of others) await apply({ ...other, schedule: { every: '8s' } });
  const kept = await database.rows(
    `select organisation_id as organisation, name, count(*)::int as kept, min(config #>> '{schedule,every}') as first,
       max(config #>> '{schedule,every}') as last
     from former_configuration group by 1, 2 order by 1, 2`,
  );
  expect(kept).toEqual([
    { organisation: 'acme', name: 'hall-3', kept: 2, first: '10s', last: '9s' },
    { organisation: 'default', name: 'hall-3', kept: 20, first: '19s', last: '38s' },
    { organisation: 'default', name: 'hall-4', kept: 2, first: '10s', last: '9s' },
  ]);
});
