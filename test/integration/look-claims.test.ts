import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { BridgeError } from '../../src/core/errors.ts';
import { HOUR, SECOND } from '../../src/core/instant.ts';
import { finishCovered } from '../../src/pull/history/wishes.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { backfillState } from '../../src/source/backfill/state.ts';
import {
  breaksAfter,
  device,
  devices,
  ground,
  lookOnce,
  pollOnce,
  serverError,
  state,
  streams,
  useLooks,
  WELL,
} from './look-ground.ts';
import { LOOKS_NOW } from '../../src/pull/work.ts';

useLooks();

describe('a look belongs to one worker and one configuration', () => {
  it('stores nothing once the source was changed, and the look under the new one stays due', async () => {
    await lookOnce(async function* () {
      yield device('a');
      await ground.database.run('update source set revision = 2');
      await ground.database.run(LOOKS_NOW, [[ground.stored.sourceId]]);
      ground.now += 2 * SECOND;
      yield device('b');
    });
    expect(await streams()).toEqual(['a']);
    expect(
      await ground.database.row(`select due_at <= now() as due, claimed_by from work where kind = 'look'`),
    ).toEqual({
      due: true,
      claimed_by: null,
    });
  });

  it('is taken by no other worker while its own lives, and by any when it fell silent', async () => {
    const workerId = randomUUID();
    const beat = (): Promise<number> =>
      ground.database.run(
        `insert into worker (id, host, pid, version) values ($1, 'host', 1, '1') on conflict (id) do update set beat_at = now()`,
        [workerId],
      );
    await beat();
    await lookOnce(
      async function* () {
        yield device('a');
        await beat();
        await lookOnce(() => devices('b'));
        expect(await streams()).toEqual(['a']);
        await ground.database.run(`update worker set beat_at = now() - interval '1 minute'`);
        await lookOnce(() => devices('c'));
        expect(await streams()).toEqual(['a', 'c']);
        ground.now += 2 * SECOND;
        yield device('d');
      },
      { workerId },
    );
    // The worker that was replaced stores nothing more.
    expect(await streams()).toEqual(['a', 'c']);
  });

  it('is put off without a trace where it is stopped', async () => {
    await lookOnce(() => devices('a'));
    await lookOnce(breaksAfter(devices('b'), new BridgeError({ code: 'cancelled' }, 'drained')));
    expect(await state()).toMatchObject({ ...WELL, nextIn: 0 });
    expect(await streams()).toEqual(['a', 'b']);
  });
});

it('variables that would become one series are told, and each other variable is read', async () => {
  await lookOnce(() => [device('a', ['va_lue', 'va-lue', 'flow'])]);
  const told = await state();
  expect(told).toMatchObject({ state: 'active', failures: 0, complete: true, lookFailures: 1 });
  expect(told.lookFault).toBe('sensor a: "va_lue" and "va-lue" would all become "va_lue"');
  expect(told.remedy).toContain('as: va_lue_2');
  expect(await streams()).toEqual(['a']);
  await pollOnce();
  expect(ground.asked).toEqual(['a']);
});

it('a source whose streams belong to a replaced configuration is polled when a look has ended, also in failure', async () => {
  await lookOnce(() => devices('a'));
  await ground.database.run('update source set awaits_look = true');
  await pollOnce();
  expect(ground.asked).toEqual([]);
  await lookOnce(breaksAfter([], serverError()));
  await pollOnce();
  expect(ground.asked).toEqual(['a']);
});

it.each([0, 1])(
  'a look that had failed %d times ends under a replaced configuration, and its streams wait for the next one',
  async (failures) => {
    await lookOnce(() => devices('a'));
    await ground.database.run(`update work set failures = $1 where kind = 'look'`, [failures]);
    await lookOnce(async function* () {
      yield device('a');
      await ground.database.run('update source set revision = 2, awaits_look = true');
      await ground.database.run(LOOKS_NOW, [[ground.stored.sourceId]]);
    });
    expect(await state()).toMatchObject({ ...WELL });
    await pollOnce();
    expect(ground.asked).toEqual([]);
  },
);

it('a backfill is not done with the first streams of a look, but when the look has ended', async () => {
  const id = await startBackfill(ground.database, {
    source: { name: 'source' },
    from: ground.now - HOUR,
    to: ground.now,
    requestedBy: 'tester',
  });
  const stateOf = async () => (await backfillState(ground.database, id))?.state;
  await lookOnce(async function* () {
    yield device('a');
    ground.now += 2 * SECOND;
    yield device('b');
    // All streams that are there now have covered the range.
    await ground.database.run(
      `update stream set covered = (select tstzmultirange(tstzrange(from_at, to_at)) from backfill)`,
    );
    await finishCovered(ground.database, ground.stored.sourceId);
    expect(await stateOf()).toBe('running');
  });
  expect(await stateOf()).toBe('done');
});
