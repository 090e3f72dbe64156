import process from 'node:process';
import { openDatabase } from '../../src/database/database.ts';

// A process that opens a database which other processes may be migrating; prints the number of tables it sees then.
const [, , url = ''] = process.argv;
const database = await openDatabase({ url, poolSize: 2, applicationName: 'migrate-user', patient: true });
const row = await database.row<{ tables: number }>(
  `select count(*) as tables from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
);
console.log(`tables ${row?.tables} `);
await database.close();
