import { includesRole } from '../../../src/core/operator-role.ts';
import type { OperatorRole } from '../../../src/core/operator-role.ts';
import type { Database } from '../../../src/database/database.ts';
import { ALL_TABLES, changedTables, digestOf, touchedBy } from './digest.ts';
import { drawOf } from './draw.ts';
import { faultOf } from './judge.ts';
import type { FuzzAnswer } from './judge.ts';
import type { OpenApiDocument } from './operations.ts';
import { operatorWords, prepareOperatorGround } from './operator-ground.ts';
import type { Credential } from './operator-ground.ts';
import { operatorModelOf } from './operator-model.ts';
import { poolOf } from './pool.ts';
import { findingsOf, readDocument, turnsOf } from './turns.ts';
import type { Findings, Turn } from './turns.ts';

/** Requests of a round; the database is compared with the answers after each. */
const ROUND = 100;
/** Requests that read are under way at a time, beside the one that may change something. */
const READERS = 4;

/** Weights of operations. A password, a trial or a stream costs as much as dozens of others; sources have to be there for many. */
const WEIGHTS: Readonly<Record<string, number>> = {
  applySource: 4,
  signIn: 0.05,
  changePassword: 0.1,
  watchEvents: 0.05,
  checkSource: 0.2,
  previewSource: 0.2,
  checkDocument: 0.2,
  previewDocument: 0.2,
};

/** Statuses of 5xx that the ground causes: nothing listens at the issuer and at the other service. */
const CAUSED: Readonly<Record<string, readonly number[]>> = { startOidc: [503], pushIngestion: [502] };

/** Operations on many sources: each has an entry of its own. */
const OF_MANY = new Set(['changeSources', 'startBackfills', 'applySources']);

/** Operations that end the session of the browser. */
const LEAVING = new Set(['signOut', 'endSession', 'changePassword']);

/**
 * Sends requests to every operation that the operator API describes, and judges each answer by the document, by the rights of the
 * credential, by the audit and by the database. Requests that may change something are sent one after the other, so their order is known.
 */
export async function fuzzOperatorApi(
  database: Database,
  given: {
    readonly requests: number;
    readonly seed: number;
    readonly addRoutes?: Parameters<typeof prepareOperatorGround>[1];
    /** The paths of the only operations that are asked begin so. */
    readonly only?: string;
  },
): Promise<Findings> {
  const ground = await prepareOperatorGround(database, given.addRoutes);
  const { api, credentials, secrets } = ground;
  const document = (await api.server.inject('/api/v1/openapi.json')).json<OpenApiDocument>();
  const { walker, operations: all } = readDocument(document);
  const operations = all.filter(({ path }) => path.startsWith(given.only ?? '/'));
  const roleOf = new Map(
    api.routes.map(({ method, path, role }) => [`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`, role]),
  );
  const findings = findingsOf();
  const pool = poolOf(operatorWords(ground));
  const draw = drawOf(given.seed);
  const turn = turnsOf({ operations, walker, credentials, draw, pool, rare: WEIGHTS });
  const model = await operatorModelOf(database);
  let digest = await digestOf(database);
  const entriesAfter = async (id: number) =>
    await database.rows<{ id: number; line: string }>(
      `select id, concat_ws(' ', actor, action, subject) as line from audit where id > $1 order by id`,
      [id],
    );
  let entry = (await entriesAfter(0)).at(-1)?.id ?? 0;

  /** The rights of the operators that send the requests stay as they are, because answers are judged by them. */
  const own = new Set(credentials.map(({ name }) => /^\w+/.exec(name)?.[0]));
  const isOwnOperator = (url: string): boolean => {
    const name = /^\/api\/v1\/operators\/([^/?#]+)\//.exec(url)?.[1] ?? '';
    return own.has(
      name.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16))),
    );
  };

  async function ask({ request, credential, address }: Turn<Credential>): Promise<FuzzAnswer> {
    const { operation, method, url, payload } = request;
    const headers = { ...request.headers, ...credential.headers() };
    if (operation.answers.get('200')?.has('text/event-stream')) return await watch(url, method, headers);
    // Passwords are tried from one address, where the limit ends them, because each costs as much as a hundred requests.
    const remoteAddress = operation.id === 'signIn' ? '127.0.0.1' : address;
    const answer = await api.server.inject({
      method: method as 'GET',
      url,
      headers,
      remoteAddress,
      ...(payload !== undefined && { payload }),
    });
    return { status: answer.statusCode, headers: answer.headers, text: answer.body };
  }

  /** A stream has no end, so it is asked for at the port, and left at its head. */
  async function watch(url: string, method: string, headers: Readonly<Record<string, string>>): Promise<FuzzAnswer> {
    const leaving = new AbortController();
    const answer = await fetch(`${api.url}${url}`, { method, headers, signal: leaving.signal });
    const text = answer.status === 200 ? '' : await answer.text();
    leaving.abort();
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text };
  }

  function judge(one: Turn<Credential>, answer: FuzzAnswer): void {
    const { operation } = one.request;
    findings.count(operation, answer.status);
    const causedStatus = CAUSED[operation.id] ?? [];
    const fault = faultOf(one.request, answer, { walker, secrets, causedStatus }) ?? rightsFault(one, answer);
    if (fault !== undefined) findings.ofAnswer(one, answer, fault);
  }

  function rightsFault({ request, credential }: Turn<Credential>, { status }: FuzzAnswer): string | undefined {
    const role = roleOf.get(`${request.operation.method} ${request.operation.path}`);
    if (role === undefined || role === 'public' || request.strayed) return undefined;
    const has = credential.role !== undefined && includesRole(credential.role, role as OperatorRole);
    return has || status === 401 || status === 403 ? undefined : `a credential without rights is answered ${status}`;
  }

  async function read(turns: readonly Turn<Credential>[]): Promise<void> {
    for (const one of turns) {
      const answer = await ask(one);
      judge(one, answer);
      if (answer.status === 200) pool.learn(one.request.operation, answer.text);
    }
  }

  /** Sends what may change something. The answer: the entries that the audit has to have, and the tables that may have changed besides. */
  async function change(turns: readonly Turn<Credential>[]): Promise<{ entries: string[]; tables: string[] }> {
    const [entries, tables]: [string[], string[]] = [[], []];
    for (const one of turns) {
      const { request, credential } = one;
      const { operation } = request;
      if (isOwnOperator(request.url)) continue;
      const answer = await ask(one);
      judge(one, answer);
      const isBrowser = credential.name.startsWith('paul');
      if (isBrowser && (answer.status === 401 || LEAVING.has(operation.id))) await ground.signInAgain();
      if (answer.status >= 300 || request.method !== operation.method) continue;
      pool.learn(operation, answer.text);
      ground.learn(request, answer.text);
      if (answer.headers['content-type'] === 'application/x-ndjson') tables.push('account', 'pace', 'token');
      const promised = model.settle(request, answer);
      if (promised !== undefined) {
        entries.push(...promised.map((line) => `operator:${credential.name.replace(/ .*/, '')} ${line}`));
        continue;
      }
      // An operation that the model does not know: one entry allows it any change, and no entry none.
      const made = (await entriesAfter(entry)).slice(entries.length);
      if (made.length > 1 && !OF_MANY.has(operation.id))
        findings.ofAnswer(one, answer, 'one request has several entries in the audit');
      if (made.length > 0) {
        tables.push(...ALL_TABLES);
        if ((await model.difference()) !== undefined) await model.adopt();
      }
      entries.push(...made.map(({ line }) => line));
    }
    return { entries, tables };
  }

  for (let sent = 0; sent < given.requests; sent += ROUND) {
    const turns = Array.from({ length: ROUND }, turn);
    const reading = turns.filter(({ request }) => request.method === 'GET');
    const changing = turns.filter(({ request }) => request.method !== 'GET');
    const lanes = Array.from({ length: READERS }, (_, lane) =>
      reading.filter((_turn, place) => place % READERS === lane),
    );
    const [{ entries, tables }] = await Promise.all([change(changing), ...lanes.map(read)]);

    const noted = await entriesAfter(entry);
    entry = noted.at(-1)?.id ?? entry;
    const lines = noted.map(({ line }) => line);
    const accepted = `after ${entries.join(', ')}`;
    if (lines.join('\n') !== entries.join('\n')) {
      findings.add('the audit is not as the answers said', `${lines.join(', ')} instead of ${entries.join(', ')}`);
    }
    const present = await digestOf(database);
    const allowed = [...tables, ...touchedBy(lines.map((line) => line.replace(/^\S+ /, '')))];
    const touched = changedTables(digest, present).filter((table) => !allowed.includes(table));
    if (touched.length > 0) findings.add(`${touched.join(', ')} changed without an entry in the audit`, accepted);
    digest = present;
    const difference = entries.length > 0 ? await model.difference() : undefined;
    if (difference !== undefined) {
      findings.add('the database is not as the answers said', `${difference} ${accepted}`);
      // All that follows would differ, too.
      break;
    }
  }
  const failed = api
    .log()
    .split('\n')
    .find((line) => /"level":[56]0/.test(line));
  if (failed !== undefined) findings.add('the log has an error', failed);
  await api.close();
  return findings;
}
