import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchBackfill } from '../../src/commands/actions/backfill.ts';
import type { Database } from '../../src/database/database.ts';
import { startBackfill } from '../../src/source/backfill/start.ts';
import { useDatabases } from '../kit/databases.ts';
import { MAIN } from '../kit/joined-program.ts';
import { onTerminal } from '../kit/pseudo-terminal.ts';
import { storeSource, storeStream } from '../kit/stored-source.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import type { TempDirectory } from '../kit/temp-directory.ts';
import { SEALING_KEY } from './access-rig.ts';
import { environment } from './command-line.ts';

const CTRL_C = '\u0003';
const CURSOR_SHOWN = '\u001B[?25h';

const databases = useDatabases({ concurrent: true });
let database: Database;
let env: NodeJS.ProcessEnv;
let directory: TempDirectory;

beforeAll(async () => {
  directory = await makeTempDirectory('interrupted');
  database = await databases.create();
  const source = await storeSource(database);
  await storeStream(database, source);
  env = environment({ DATABASE_URL: database.url, DATABRIDGE_KEY: SEALING_KEY });
});
afterAll(() => directory.remove());

const start = (): Promise<number> =>
  startBackfill(database, {
    source: { name: 'source' },
    from: 0,
    to: 86_400_000_000,
    requestedBy: 'tester',
  });

const beat = (age: string): Promise<number> =>
  database.run(
    `insert into heartbeat (name, beat_at) values ('planner', now() - $1::interval) on conflict (name) do update set beat_at = excluded.beat_at`,
    [age],
  );

describe('the bar of a backfill', () => {
  it('tells that no process polls, shows the progress again when one does, and Ctrl-C says that the backfill goes on', async () => {
    const id = await start();
    await beat('90 s');
    const watching = onTerminal([process.execPath, MAIN, 'backfill', 'watch', String(id)], { env });
    await watching.shows(/no process polls since 20\d\d-\d\d-\d\dT[\d:]+Z; start databridge up/);
    expect(watching.screen()).not.toContain('left');
    // An hour ahead would be a clock that was wrong; within a second is fresh, so it beats until it is seen.
    const beating = setInterval(() => void beat('0 s'), 200);
    await watching.shows(/no estimate yet/);
    clearInterval(beating);
    watching.press(CTRL_C);
    expect(await watching.ended).toBe(130);
    const screen = watching.screen();
    expect(screen.lastIndexOf(CURSOR_SHOWN)).toBeGreaterThan(screen.lastIndexOf('\u001B[?25l'));
    const said = screen.slice(screen.lastIndexOf(CURSOR_SHOWN)).replaceAll(/\s+/g, ' ');
    expect(said).toContain(
      `interrupted: backfill ${id} goes on; databridge backfill watch ${id} shows it, databridge backfill cancel ${id} ends it`,
    );
    expect(said).not.toContain('error');
  });

  it('ends with its terminal', async () => {
    const id = await start();
    const watching = onTerminal([process.execPath, MAIN, 'backfill', 'watch', String(id)], { env });
    await watching.shows(/0%/);
    const running = async (): Promise<number> =>
      (
        await database.rows(
          `select from pg_stat_activity where application_name = 'databridge' and datname = current_database()`,
        )
      ).length;
    expect(await running()).toBeGreaterThan(0);
    watching.closeTerminal();
    await expect.poll(running).toBe(0);
  });
});

describe('without a terminal', () => {
  it('a watch ends when no process polls for long, and says how to go on', async () => {
    const id = await start();
    await database.run('delete from heartbeat');
    await expect(watchBackfill({ database }, id, { json: true, patienceMs: 0 })).rejects.toMatchObject({
      code: 'unavailable',
      message: `backfill ${id} waits: no process polls`,
      remedy: expect.stringContaining(`databridge backfill show ${id}`) as string,
    });
    await beat('1 hour');
    await expect(watchBackfill({ database }, id, { json: true, patienceMs: 0 })).rejects.toThrow(
      /waits: no process polls since 20\d\d/,
    );
  });
});

describe('a question', () => {
  it('that Ctrl-C answers changes nothing', async () => {
    const asked = onTerminal([process.execPath, MAIN, 'source', 'remove', 'source'], { env });
    await asked.shows(/\[y\/N\]/);
    asked.press(CTRL_C);
    expect(await asked.ended).toBe(130);
    expect(asked.screen()).toContain('interrupted: nothing was changed');
    expect(await database.rows('select from source')).toHaveLength(1);
  });
});

describe('work on a platform that never answers', () => {
  it.each([
    ['check', 'SIGINT', 130, 'interrupted: nothing was saved\n'],
    ['preview', 'SIGINT', 130, 'interrupted: nothing was saved\n'],
    ['sensors', 'SIGTERM', 143, 'interrupted: nothing was saved\n'],
    ['record', 'SIGINT', 130, 'interrupted: nothing was written\n'],
  ] as const)('%s ends at %s with %i and one line', async (command, signal, code, line) => {
    const sockets: { destroy(): void }[] = [];
    const silent = createServer((socket) => sockets.push(socket.on('error', () => undefined)));
    await once(silent.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    const file = join(directory.path, `${command}.yaml`);
    await writeFile(
      file,
      `name: hall\nproject: hall\nkind: user-credentials\nplatform: influxdb\nconnection:\n  url: ${url}\n  username: u\n  password: p\noptions:\n  database: plant\nschedule:\n  every: 1m\n`,
    );
    const child = spawn(process.execPath, [MAIN, 'source', command, file], { env, cwd: directory.path, stdio: 'pipe' });
    let stderr = '';
    let stdout = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    const ended = once(child, 'close') as Promise<[number | null]>;
    await Promise.race([once(silent, 'connection'), ended]);
    child.kill(signal);
    const [found] = await ended;
    for (const socket of sockets) socket.destroy();
    silent.close();
    expect({ found, stderr, faults: stdout.includes('✗') }).toEqual({ found: code, stderr: line, faults: false });
  });
});
