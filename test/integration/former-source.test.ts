import { expect, it } from 'vitest';
import { kinds } from '../../adapters/kinds.ts';
import { SECOND } from '../../src/core/instant.ts';
import { lastFormer } from '../../src/source/former.ts';
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
  await expect(lastFormer(place, wanted)).rejects.toMatchObject({ code: 'config-invalid' });
  await apply();
  await expect(lastFormer(place, wanted)).rejects.toMatchObject({ code: 'config-invalid' });
  await apply({ connection: { ...good.connection, password: 's3cret-second' } });
  const first = await lastFormer(place, wanted);
  expect(first).toMatchObject({ endedBy: 'tester', ending: 'changed' });
  expect(first.source.connection).toEqual(good.connection);
  await changeSource(database, 'remove', wanted, 'tester');
  const second = await lastFormer(place, wanted);
  expect(second).toMatchObject({ ending: 'removed', source: { connection: { password: 's3cret-second' } } });
  expect(await ground.everything()).not.toContain('s3cret');
  const applied = await applySource(place, second.source, { now: NOW, actor: 'tester', dryRun: false });
  expect(applied).toMatchObject({ action: 'created' });
  for (let every = 11; every < 40; every += 1) await apply({ schedule: { every: `${every}s` } });
  expect(await database.rows('select id from former_configuration')).toHaveLength(20);
  expect((await lastFormer(place, wanted)).source.schedule.every).toBe(38 * SECOND);
});
