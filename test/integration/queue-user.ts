import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from '../../src/database/database.ts';
import { openQueue } from '../../src/queue/queue.ts';

// A process beside other processes on one queue. It begins jobs and never ends them, and stays until it is killed.
const [, , url = '', redisUrl = '', prefix = ''] = process.argv;
const database = await openDatabase({ url, poolSize: 4, applicationName: 'queue-user', patient: true });
const queue = await openQueue({
  redisUrl: redisUrl === '' ? undefined : redisUrl,
  prefix,
  database,
  onError: (error) => console.log(`error ${error.message}`),
});
const never = async (id: number): Promise<void> => {
  console.log(`began ${id} `);
  await sleep(3_600_000);
};
queue.work({ poll: never, look: never, history: never }, { poll: 5, look: 5, history: 5, troubled: 5 });
console.log('works ');
