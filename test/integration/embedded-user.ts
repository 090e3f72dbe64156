import process from 'node:process';
import { EmbeddedDatabaseError, openEmbeddedDatabase } from '../../src/database/embedded/index.ts';

// One user of the embedded database as a process of its own. Tells `url …` when it has it, releases at SIGTERM, and like a
// draining daemon takes no notice of SIGINT.
process.on('SIGINT', () => console.log('interrupted'));
const [, , directory] = process.argv;
if (directory === undefined) throw new Error('which directory?');
try {
  const stop = new Promise((resolve) => process.once('SIGTERM', resolve));
  const database = await openEmbeddedDatabase({ directory, log: (message) => console.log(`log ${message}`) });
  console.log(`url ${database.url} `);
  const alive = setInterval(() => undefined, 60_000);
  await stop;
  await database.release();
  clearInterval(alive);
  console.log('released');
} catch (error) {
  console.log(`error ${String(error)}`);
  if (error instanceof EmbeddedDatabaseError) console.log(`remedy ${error.remedy}`);
  process.exitCode = 1;
}
