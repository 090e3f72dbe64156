import { registry } from '../../context-registry.ts';
import { urlOfRunning } from '../../database/running.ts';
import { connectOnce } from '../../database/servers.ts';
import { readSettings } from '../../settings.ts';
import { printExactly } from '../../terminal/output.ts';

/** How long the database may take: an operator who pressed Tab waits for it, ms. */
const PATIENCE_MS = 1_000;

const STORED: Readonly<Record<string, string>> = {
  sources: 'select distinct name from source order by name',
  projects: 'select distinct code as name from ml_project order by name',
  organisations: 'select id as name from organisation order by name',
};

/** `complete`: a name a line. Starts no database and prints no error, because the operator is typing. */
export async function complete(kind: string): Promise<void> {
  const names = await namesOf(kind).catch(() => []);
  if (names.length > 0) printExactly(names.join('\n'));
}

async function namesOf(kind: string): Promise<readonly string[]> {
  if (kind === 'platforms') return registry.platforms.map(({ name }) => name);
  const statement = STORED[kind];
  const { databaseUrl, home } = readSettings(process.env);
  const url = databaseUrl ?? urlOfRunning(home);
  if (statement === undefined || url === undefined) return [];
  const client = await connectOnce(url, {
    application_name: 'databridge complete',
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  try {
    const { rows } = await client.query<{ name: string }>(statement);
    return rows.map(({ name }) => name);
  } finally {
    await client.end().catch(() => undefined);
  }
}
