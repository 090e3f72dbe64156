import pg from 'pg';
import { openDatabase } from '../../src/database/database.ts';
import { trimProjects } from '../../src/upkeep/retention.ts';

// Removes old readings and kills itself before a statement.
const [url = '', last] = process.argv.slice(2);
const database = await openDatabase({ url, poolSize: 2, applicationName: 'retention-runner', patient: false });
let statements = 0;
const { query } = pg.Client.prototype as { query: (...args: unknown[]) => unknown };
Object.assign(pg.Client.prototype, {
  query(this: unknown, ...args: unknown[]) {
    statements += 1;
    if (statements === Number(last)) process.kill(process.pid, 'SIGKILL');
    return query.apply(this, args);
  },
});
for (let outcome: string | undefined = 'busy'; outcome === 'busy';)
  for await (const step of trimProjects(database)) ({ outcome } = step);
await database.close();
