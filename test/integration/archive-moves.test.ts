import { spawnSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Check } from '../../src/alerts/judgement.ts';
import { listDays, unknownFiles } from '../../src/archive/keep.ts';
import { assertArchiveKnown, inSnapshot } from '../../src/archive/manifest.ts';
import { moveDay } from '../../src/archive/move.ts';
import type { MoveStep, Moved } from '../../src/archive/move.ts';
import { archiveChecks } from '../../src/commands/actions/doctor-checks.ts';
import { DAY, SECOND } from '../../src/core/instant.ts';
import type { Database } from '../../src/database/database.ts';
import { LOCKS } from '../../src/database/locks.ts';
import { ArchiveChanged } from '../../src/ingest/thaw.ts';
import { useDatabases } from '../kit/databases.ts';
import {
  BEGIN,
  keyOf,
  linesIn,
  linesOf,
  write,
  moveAll,
  PLACES,
  archiveGround,
  killedMover,
  HISTORY,
  HISTORY_BY_KEY,
  placesOf,
} from './archive-ground.ts';
import type { Point } from './archive-ground.ts';

const databases = useDatabases();
describe.each(PLACES)('in a %s', (kind) => {
  const ground = () => archiveGround(databases, kind);

  /** The steps of a merge that differ from those of a first move. */
  const MERGED_STEPS: readonly MoveStep[] = ['renamed', 'noted'];

  it('keeps each reading exactly once when the process that moves it is killed at any step', async () => {
    const { database, projectId, directory, lies } = await ground();
    await write(database, projectId, HISTORY);
    const model = new Map(HISTORY_BY_KEY);
    const steps: readonly MoveStep[] = ['copied', 'written', 'renamed', 'deleted', 'noted', 'committed'];
    for (const [place, step] of [...steps, ...MERGED_STEPS].entries()) {
      const { status, signal, stderr } = await killedMover(database, { projectId, step });
      expect({ status, signal, stderr }).toEqual({ status: null, signal: 'SIGKILL', stderr: '' });
      expect(await linesOf(database, projectId)).toEqual(linesIn(model));
      const { rows, archived } = await placesOf(database, lies);
      // Behind the commit one late reading after the other is merged.
      expect(rows + archived).toBe(model.size);
      const late = { sensor: 'a', at: BEGIN + 1 + place, value: place, precision: undefined, labels: [] };
      await write(database, projectId, [late]);
      model.set(keyOf(late), late);
    }
    let outcome: Moved['outcome'] = 'busy';
    // PostgreSQL takes a moment to see that the killed process is gone.
    while (outcome === 'busy') ({ outcome } = await moveDay(database, { projectId, day: BEGIN }));
    expect(outcome).toBe('merged');
    // Only the newest reading of each sensor is a row, and other programs see each archived reading once.
    expect(await placesOf(database, lies)).toEqual({
      rows: 4,
      archived: model.size - 4,
      found: model.size - 4,
    });
    expect(await linesOf(database, projectId)).toEqual(linesIn(model));
    await directory.remove();
  });

  it('moves nothing that was changed meanwhile, leaves what came meanwhile, and lets one process move a day', async () => {
    const { database, projectId, directory, lies } = await ground();
    await write(database, projectId, HISTORY);
    const late = { sensor: 'a', at: BEGIN + 7, value: 7, precision: undefined, labels: [] };
    const revised = { ...(HISTORY[3] as Point), value: -1 };
    const day = { projectId, day: BEGIN };
    const changing = moveDay(database, day, {
      reached: async (step) => {
        if (step === 'written') await write(database, projectId, [late, revised]);
      },
    });
    expect(await changing).toEqual({ outcome: 'changed' });
    expect(await placesOf(database, lies)).toEqual({ rows: 101, archived: 0, found: 0 });
    const later = { ...late, at: BEGIN + 8 };
    const others: Moved[] = [];
    const moved = await moveDay(database, day, {
      reached: async (step) => {
        if (step === 'copied') others.push(await moveDay(database, day));
        if (step === 'renamed') await write(database, projectId, [later]);
      },
    });
    expect(others).toEqual([{ outcome: 'busy' }]);
    expect(moved).toMatchObject({ outcome: 'moved', rows: 97 });
    expect(await placesOf(database, lies)).toEqual({ rows: 5, archived: 97, found: 97 });
    const model = new Map([...HISTORY, late, revised, later].map((each) => [keyOf(each), each]));
    expect(await linesOf(database, projectId)).toEqual(linesIn(model));
    await directory.remove();
  });

  it('lets a write that meets a move begin anew, so that it counts what it repeats', async () => {
    const { database, projectId, directory } = await ground();
    await write(database, projectId, HISTORY);
    let writing: Promise<unknown> = Promise.resolve();
    const day = { projectId, day: BEGIN };
    await moveDay(database, day, {
      reached: async (step) => {
        if (step !== 'deleted') return;
        writing = write(database, projectId, HISTORY).catch((error: unknown) => error);
        // It waits for the rows that the move has deleted.
        const waits = () =>
          database.row(
            `select from pg_stat_activity where datname = current_database() and wait_event = 'transactionid'`,
          );
        while ((await waits()) === undefined);
      },
    });
    expect(await writing).toBeInstanceOf(ArchiveChanged);
    expect(await write(database, projectId, HISTORY)).toMatchObject({ fresh: 0, duplicates: 100, revised: 0 });
    expect(await linesOf(database, projectId)).toEqual(linesIn(HISTORY_BY_KEY));
    await directory.remove();
  });

  it('leaves the files of a day alone after a failed move while another process has the day', async () => {
    const { database, projectId, directory, lies } = await ground();
    await write(database, projectId, HISTORY);
    const other = await database.dedicated();
    let locked: Promise<unknown> = Promise.resolve();
    const failing = moveDay(
      database,
      { projectId, day: BEGIN },
      {
        reached: async (step) => {
          if (step !== 'renamed') return;
          locked = other.query('select pg_advisory_lock($1, hashtext($2))', [LOCKS.archive, `${projectId} ${BEGIN}`]);
          while ((await waitsForLock(database)) === undefined);
          throw new Error('stopped');
        },
      },
    );
    await expect(failing).rejects.toThrow('stopped');
    await locked;
    expect(await placesOf(database, lies)).toEqual({ rows: 100, archived: 0, found: kind === 'directory' ? 96 : 0 });
    await other.query('select pg_advisory_unlock_all()');
    expect(await moveAll(database)).toEqual(['moved']);
    expect(await placesOf(database, lies)).toEqual({ rows: 4, archived: 96, found: 96 });
    await other.end();
    await directory.remove();
  });

  it('lets a read see that a move committed whose file another one was noted after', async () => {
    const { database, projectId, directory } = await ground();
    const later = HISTORY.map((each) => ({ ...each, at: each.at + 2 * DAY }));
    await write(database, projectId, [...HISTORY, ...later]);
    let second: Promise<unknown> = Promise.resolve();
    let reading: Promise<unknown> = Promise.resolve();
    let reads = 0;
    let commit: () => void = () => undefined;
    const committed = new Promise<void>((resolve) => (commit = resolve));
    await moveDay(
      database,
      { projectId, day: BEGIN },
      {
        reached: async (step) => {
          if (step === 'committed') commit();
          if (step !== 'noted') return;
          let done = false;
          second = moveDay(database, { projectId, day: BEGIN + 2 * DAY }).finally(() => (done = true));
          while (!done && (await waitsForLock(database)) === undefined);
          await new Promise<void>((resolve) => {
            reading = inSnapshot(database, async () => {
              reads += 1;
              resolve();
              await committed;
              // As of a file that a merge took away.
              if (reads === 1) throw new Error('no file');
            });
          });
        },
      },
    );
    expect(await second).toMatchObject({ outcome: 'moved' });
    await reading;
    expect(reads).toBeGreaterThan(1);
    await directory.remove();
  });

  const waitsForLock = (database: Database): Promise<object | undefined> =>
    database.row(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory' limit 1`,
    );

  it('never takes a missing, cut or changed file for a day without readings', async () => {
    const { database, projectId, directory, lies } = await ground();
    await write(database, projectId, HISTORY);
    // As a backup from before the move would be restored.
    const before: Database = {
      ...(await databases.another({ url: await databases.createMigrated() })),
      archive: database.archive,
    };
    await moveAll(database);
    const [day] = await listDays(database);
    const path = day?.path ?? '';
    const bytes = await lies.read(path);
    const faults = async (): Promise<string[]> => {
      await lies.forget();
      await expect(linesOf(database, projectId)).rejects.toMatchObject({
        code: 'config-invalid',
        remedy: expect.stringContaining('copy of the archive') as unknown,
      });
      const checks: Check[] = [];
      for await (const check of archiveChecks(database)) checks.push(check);
      expect(checks.map(({ state }) => state)).toEqual(['failed']);
      return checks.map(({ detail }) => detail);
    };
    expect(await linesOf(database, projectId)).toEqual(linesIn(HISTORY_BY_KEY));
    await lies.write(path, bytes.subarray(0, 500));
    expect(await faults()).toEqual([expect.stringContaining('has a file of 500 bytes')]);
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(100) ^ 1, 100);
    await lies.write(path, changed);
    expect(await faults()).toEqual([expect.stringContaining('was changed')]);
    await lies.remove(path);
    expect(await faults()).toEqual([expect.stringContaining('is missing')]);
    await lies.write(path, bytes);
    expect(await linesOf(database, projectId)).toEqual(linesIn(HISTORY_BY_KEY));
    // A file that no row knows is no data, also where it lies in the place of a day.
    expect(await linesOf(before, projectId)).toEqual([]);
    // Without the setting the rows that are left would look like all.
    const { archive: _, ...without } = database;
    await expect(linesOf({ ...without, archive: undefined }, projectId)).rejects.toMatchObject({
      fault: { path: 'DATABRIDGE_ARCHIVE' },
    });
    await expect(assertArchiveKnown({ ...without, archive: undefined })).rejects.toThrow('not set here');
    await assertArchiveKnown(database);
    await directory.remove();
  });

  it('brings rows of an older backup and the file of their day together once', async () => {
    const { database, projectId, directory, lies } = await ground();
    await write(database, projectId, HISTORY);
    await moveAll(database);
    const [day] = await listDays(database);
    // What the restore of a backup from before the move leaves: the rows, and a file that no row knows.
    await database.run('delete from archived_day');
    await write(database, projectId, HISTORY);
    expect(await linesOf(database, projectId)).toEqual(linesIn(HISTORY_BY_KEY));
    const late = { sensor: 'a', at: BEGIN + 5, value: 5, precision: undefined, labels: [] };
    await write(database, projectId, [late]);
    expect(await moveAll(database)).toEqual(['moved']);
    expect(await placesOf(database, lies)).toEqual({ rows: 4, archived: 97, found: 97 });
    expect(await linesOf(database, projectId)).toEqual(linesIn(new Map([...HISTORY_BY_KEY, [keyOf(late), late]])));
    // The older file stays for a database that may know it, out of reach of other programs.
    if (kind === 'bucket') expect(await unknownFiles(database)).toEqual([expect.stringContaining(day?.path ?? '-')]);
    else
      expect(await readdir(dirname(join(directory.path, day?.path ?? '')))).toContain(
        `${basename(day?.path ?? '')}.unknown`,
      );
    await directory.remove();
  });

  it('moves nothing onto a full disk', async ({ skip }) => {
    const { database, projectId, directory, lies } = await ground();
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', directory.path]);
    if (mounted.status !== 0) {
      await directory.remove();
      skip('only root can make a small disk');
    }
    try {
      const many = Array.from({ length: 5_000 }, (_, second) => ({
        sensor: 'a',
        at: BEGIN + second * SECOND,
        value: Math.sin(second),
        precision: undefined,
        labels: [],
      }));
      await write(database, projectId, many);
      await expect(moveDay(database, { projectId, day: BEGIN })).rejects.toMatchObject({
        remedy: expect.stringContaining('free disk space') as unknown,
      });
      expect(await placesOf(database, lies)).toEqual({ rows: 5_000, archived: 0, found: 0 });
    } finally {
      spawnSync('umount', ['-l', directory.path]);
    }
    await directory.remove();
  });
});
