import process from 'node:process';
import { EmbeddedDatabaseError, openEmbeddedDatabase } from '../../src/database/embedded/index.ts';

// A process that uses the embedded database. Prints `url …` when it has the database, releases it at SIGTERM, and ignores
// SIGINT as a draining daemon does.
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
