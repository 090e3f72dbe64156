import { counted } from '../../core/counted.ts';
import { urlOfRunning } from '../../database/running.ts';
import { connectOnce } from '../../database/servers.ts';
import { readSettings } from '../../settings.ts';
import type { Settings } from '../../settings.ts';
import { PLANNER_FRESH } from '../../alerts/bridge-findings.ts';
import type { Check } from '../../alerts/judgement.ts';
import { diagnose } from './doctor-checks.ts';
import { settingsInForce } from './doctor-settings.ts';
import { EXIT, printJson, printLine } from '../../terminal/output.ts';
import { paintOn } from '../../terminal/screen.ts';
import { MARKS, inColour } from '../../terminal/states.ts';
import { roughly, short } from '../../terminal/words.ts';

/** `doctor`. */
export async function doctor(options: { health?: boolean; json?: boolean }): Promise<void> {
  const settings = readSettings(process.env);
  await (options.health ? reportHealth(settings, options.json ?? false) : examine(settings, options.json ?? false));
}

async function examine(settings: Settings, json: boolean): Promise<void> {
  const inForce = settingsInForce(process.env);
  const checks: Check[] = [];
  for await (const check of diagnose(settings)) checks.push(check);
  const fine = checks.every(({ state }) => state !== 'failed');
  if (json) printJson({ ok: fine, verdict: verdictOf(checks), settings: inForce, checks: checks.map(documentOf) });
  else {
    printLine(verdictOf(checks));
    printLine();
    for (const { state, check, detail, remedy } of checks) {
      printLine(`${inColour(state, MARKS[state], paintOn(process.stdout))} ${check.padEnd(9)} ${detail}`);
      if (remedy !== undefined) printLine(`            try: ${remedy}`);
    }
    printLine();
    const width = Math.max(...inForce.map(({ name }) => name.length));
    for (const { name, value, from } of inForce)
      printLine(`  ${name.padEnd(width)}  ${value}${from === 'default' && value !== '(not set)' ? ' (default)' : ''}`);
  }
  if (!fine) process.exitCode = EXIT.failed;
}

/** `2 of 14 checks failed, 1 warns; first: source hall-3: stopped`. */
function verdictOf(checks: readonly Check[]): string {
  const failed = checks.filter(({ state }) => state === 'failed');
  const warning = checks.filter(({ state }) => state === 'warning');
  const [first] = [...failed, ...warning];
  if (first === undefined) return `all ${checks.length} checks are well`;
  const counts = [
    ...(failed.length === 0 ? [] : [`${failed.length} of ${counted(checks.length, 'check')} failed`]),
    ...(warning.length === 0 ? [] : [counted(warning.length, 'warning')]),
  ];
  return `${counts.join(', ')}; first: ${first.check}: ${short(first.detail, 120)}`;
}

/** The findings that are alerts hold more than doctor tells. */
const documentOf = ({ check, state, detail, remedy }: Check): Check => ({
  check,
  state,
  detail,
  ...(remedy !== undefined && { remedy }),
});

async function reportHealth(settings: Settings, json: boolean): Promise<void> {
  const { healthy, detail } = await healthOf(settings).catch((error: unknown) => ({
    healthy: false,
    detail: error instanceof Error ? error.message || error.name : String(error),
  }));
  if (json) printJson({ healthy, detail });
  else printLine(`${healthy ? 'healthy' : 'unhealthy'}: ${detail}`);
  if (!healthy) process.exitCode = EXIT.failed;
}

/** How long the database may take to answer, ms. */
const PATIENCE_MS = 5_000;

/** Asks one question over one connection. Migrates, starts and registers nothing. */
async function healthOf({ databaseUrl, home }: Settings): Promise<{ healthy: boolean; detail: string }> {
  const url = databaseUrl ?? urlOfRunning(home);
  if (url === undefined) return { healthy: false, detail: `the embedded database in ${home} does not run` };
  const client = await connectOnce(url, {
    application_name: 'databridge health',
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  try {
    const { rows } = await client.query<{ age: string | null }>(
      `select extract(epoch from now() - max(beat_at)) * 1000000 as age from heartbeat where name = 'planner'`,
    );
    const age = rows[0]?.age ?? null;
    if (age === null) return { healthy: false, detail: 'the planner has never planned' };
    return { healthy: Number(age) <= PLANNER_FRESH, detail: `planned ${roughly(Number(age))} ago` };
  } finally {
    await client.end().catch(() => undefined);
  }
}
