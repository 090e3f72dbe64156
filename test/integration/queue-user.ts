import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/database/database.ts';
import { openQueue } from '../../src/queue/queue.ts';

// A process beside other processes on one queue. `work`: begins polls and never ends them. `tick`: ensures the planner's tick
// several times, under the lock that all processes share. Both stay until they are killed.
const [, , mode, url = '', redisUrl = '', prefix = ''] = process.argv;
const database = await openDatabase({ url, poolSize: 4, applicationName: 'queue-user', patient: true });
const queue = await openQueue({
  redisUrl: redisUrl === '' ? undefined : redisUrl,
  prefix,
  database,
  onError: (error) => console.log(`error ${error.message}`),
});
if (mode === 'work') {
  const never = async (id: number): Promise<void> => {
    console.log(`began ${id} `);
    await sleep(3_600_000);
  };
  queue.work(
    { poll: never, look: never, history: never, tick: () => Promise.resolve() },
    { poll: 5, look: 5, history: 5, troubled: 5 },
  );
  console.log('works ');
} else {
  for (let turn = 0; turn < 5; turn += 1) {
    await database.transaction(async (client) => {
      await client.query('select pg_advisory_xact_lock(7263544)');
      await queue.ensureTick(100);
    });
  }
  console.log('ensured ');
}
