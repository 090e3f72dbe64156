import process from 'node:process';
import { openDatabase } from '../../src/database/database.ts';

// One process that starts with a database somebody else may be migrating just now; tells how many tables it then sees.
const [, , url = ''] = process.argv;
const database = await openDatabase({ url, poolSize: 2, applicationName: 'migrate-user', patient: true });
const row = await database.row<{ tables: number }>(
  `select count(*) as tables from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
);
console.log(`tables ${row?.tables} `);
await database.close();
