import { parse } from 'yaml';
import type { Database } from '../../../src/database/database.ts';
import type { FuzzAnswer } from './judge.ts';
import type { FuzzRequest } from './requests.ts';

/** The state that the answers of the operator API promise, in a few lines. */
export interface OperatorModel {
  /**
   * Notes what an answer of 2xx promises. The answer is the entry of the audit that it has to have, as `action subject`; none where
   * nothing changed; undefined for an operation that the model does not know.
   */
  settle(request: FuzzRequest, answer: FuzzAnswer): readonly string[] | undefined;
  /** Takes the state of the database for the promised one, after an operation that the model does not know. */
  adopt(): Promise<void>;
  /** The first difference between the promised state and that of the database; undefined where there is none. */
  difference(): Promise<string | undefined>;
}

type Fields = Readonly<Record<string, unknown>>;

/** The part of a source that an operator sends. */
interface Sent {
  readonly project: unknown;
  readonly every: unknown;
  readonly username: unknown;
  readonly database: unknown;
}
interface Source extends Sent {
  readonly state: string;
}

const STATES: Readonly<Record<string, string>> = { pause: 'paused', resume: 'active' };

/** Each part of the state as lines of text, in order. */
const LINES = {
  projects: `select jsonb_build_array(organisation_id, code, name) as line from ml_project`,
  applications: `select jsonb_build_array(id, organisation_id, name, projects, revoked_at is not null) as line from application`,
  sources: `select jsonb_build_array(source.organisation_id, source.name, code, every_us, config #> '{connection,username}', config #> '{options,database}', state) as line
    from source join ml_project on ml_project.id = project_id`,
  backfills: `select jsonb_build_array(backfill.id, organisation_id, name, to_char(from_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS'), to_char(to_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS'), what, backfill.state) as line
    from backfill join source on source.id = source_id`,
  remotes: `select jsonb_build_array(ml_project.organisation_id, ml_project.code, url, remote.organisation, remote.code, application_id, most_waiting) as line
    from remote join ml_project on ml_project.id = project_id`,
} as const;

const MICROSECONDS: Readonly<Record<string, number>> = { '10s': 10_000_000, '1m': 60_000_000, '5m': 300_000_000 };

/** The model of a database, which begins with the state that the database has. */
export async function operatorModelOf(database: Database): Promise<OperatorModel> {
  const state = Object.fromEntries(
    Object.keys(LINES).map((part) => [part, new Map<string, readonly unknown[]>()]),
  ) as Record<keyof typeof LINES, Map<string, readonly unknown[]>>;
  const sources = new Map<string, Source>();
  const former = new Map<string, Sent[]>();
  await adopt();

  /** Applications and backfills have a key of one part, the other things one of two. */
  async function adopt(): Promise<void> {
    for (const part of Object.keys(LINES) as (keyof typeof LINES)[]) {
      const isOne = part === 'applications' || part === 'backfills';
      state[part] = new Map((await stored(part)).map((line) => [line.slice(0, isOne ? 1 : 2).join('/'), line]));
    }
    sources.clear();
    for (const [key, [, , project, every, username, inside, its]] of state.sources) {
      sources.set(key, { project, every, username, database: inside, state: String(its) });
    }
  }

  async function stored(part: keyof typeof LINES): Promise<readonly (readonly unknown[])[]> {
    return (await database.rows<{ line: unknown[] }>(LINES[part])).map(({ line }) => line);
  }

  /** Stores the source as it is now, or removes it and its backfills. */
  function put(organisation: string, name: string, source: Source | undefined): void {
    const key = `${organisation}/${name}`;
    if (source === undefined) {
      sources.delete(key);
      state.sources.delete(key);
      for (const [id, line] of state.backfills) {
        if (line[1] === organisation && line[2] === name) state.backfills.delete(id);
      }
      return;
    }
    sources.set(key, source);
    const every = MICROSECONDS[String(source.every)] ?? source.every;
    state.sources.set(key, [organisation, name, source.project, every, source.username, source.database, source.state]);
  }

  function applied(answer: Fields, sent: Sent, isDry: boolean): readonly string[] {
    const { name, organisation, action } = answer as { name: string; organisation: string; action: string };
    if (isDry || action === 'unchanged') return [];
    const key = `${organisation}/${name}`;
    const old = sources.get(key);
    if (old !== undefined) former.set(key, [...(former.get(key) ?? []), old]);
    put(organisation, name, { ...sent, state: old?.state ?? 'active' });
    return [`source.${action} ${name}`];
  }

  const settled: Readonly<
    Record<
      string,
      (answer: Fields, body: Fields, path: readonly string[], isDry: boolean) => readonly string[] | undefined
    >
  > = {
    createProject({ organisation, code, created }, body) {
      if (created !== true) return [];
      state.projects.set(`${String(organisation)}/${String(code)}`, [organisation, code, body['name'] ?? code]);
      return [`project.created ${String(code)}`];
    },
    createOrganisation: ({ id, created }) => (created === true ? [`organisation.created ${String(id)}`] : []),
    createApplication({ applicationId, organisation, name, projects }, body) {
      if (name !== body['name']) throw new Error('the application has another name than was sent');
      const chosen = projects === null ? null : [...new Set(projects as string[])].toSorted();
      state.applications.set(String(applicationId), [applicationId, organisation, name, chosen, false]);
      return [`application.created ${String(applicationId)}`];
    },
    rotateApplication: ({ applicationId }) => [`application.secret-rotated ${String(applicationId)}`],
    revokeApplication({ applicationId, revoked }) {
      const line = state.applications.get(String(applicationId));
      if (line === undefined) throw new Error('an application was revoked that was never created');
      state.applications.set(String(applicationId), [...line.slice(0, 4), true]);
      return revoked === true ? [`application.revoked ${String(applicationId)}`] : [];
    },
    createOperatorLink: ({ name }) => [`operator.link ${String(name)}`],
    rotateSigningKey: ({ kid, created }) => (created === true ? [`signing-key.created ${String(kid)}`] : []),
    applySource(answer, body, _path, isDry) {
      const { project, schedule, connection, options } = body as Record<string, Fields>;
      const sent = {
        project,
        every: schedule?.['every'],
        username: connection?.['username'],
        database: options?.['database'],
      };
      return applied(answer, sent, isDry);
    },
    restoreSource(answer, _body, _path, isDry) {
      const key = `${String(answer['organisation'])}/${String(answer['name'])}`;
      const last = former.get(key)?.at(-1);
      // An operation that the model does not know may have kept it.
      if (last === undefined) return undefined;
      return applied(answer, last, isDry);
    },
    startBackfill({ id, organisation, source, from, to, what, state: begun }, body) {
      if (what !== (body['what'] ?? 'missing')) throw new Error('the backfill is another than was asked for');
      state.backfills.set(String(id), [id, organisation, source, seconds(from), seconds(to), what, begun]);
      return [`backfill.started ${String(source)}`];
    },
    pushIngestion({ project, remote }, _body, [organisation]) {
      const { url, organisation: to, code, applicationId, mostWaiting } = remote as Fields;
      const key = `${organisation}/${String(project)}`;
      state.remotes.set(key, [organisation, project, url, to, code, applicationId, mostWaiting]);
      return [`ingestion.push ${String(project)}`];
    },
    storeIngestion: ({ project }, _body, [organisation]) =>
      state.remotes.delete(`${organisation}/${String(project)}`) ? [`ingestion.store ${String(project)}`] : [],
    resumeIngestion: ({ project }) => [`ingestion.resumed ${String(project)}`],
    changePassword: () => ['operator.password paul'],
  };
  for (const [action, word] of [
    ['pause', 'paused'],
    ['resume', 'resumed'],
    ['cancel', 'cancelled'],
  ] as const) {
    (settled as Record<string, unknown>)[`${action}Backfill`] = ({ id, state: reached }: Fields): readonly string[] => {
      const line = state.backfills.get(String(id));
      if (line === undefined) throw new Error(`a backfill was ${word} that was never started`);
      if (line[6] === reached) return [];
      state.backfills.set(String(id), [...line.slice(0, 6), reached]);
      return [`backfill.${word} ${String(line[2])}`];
    };
  }
  for (const action of ['pause', 'resume', 'poll', 'remove']) {
    (settled as Record<string, unknown>)[`${action}Source`] = (answer: Fields): readonly string[] => {
      const { source: name, organisation } = answer as { source: string; organisation: string };
      const key = `${organisation}/${name}`;
      const source = sources.get(key);
      if (source === undefined) throw new Error('a source was changed that does not exist');
      if (action === 'remove') former.set(key, [...(former.get(key) ?? []), source]);
      put(organisation, name, action === 'remove' ? undefined : { ...source, state: STATES[action] ?? source.state });
      return [`source.${action} ${name}`];
    };
  }
  // They change nothing that a backup keeps, and note nothing.
  for (const id of [
    'signIn',
    'signInByLink',
    'confirmSession',
    'signOut',
    'endSession',
    'checkSource',
    'checkDocument',
    'previewSource',
    'previewDocument',
  ]) {
    (settled as Record<string, unknown>)[id] = () => [];
  }

  return {
    settle({ operation, url, payload }, { headers, text }) {
      // The request was sent before with the same key, so nothing was done.
      if (headers['idempotency-replayed'] !== undefined) return [];
      const promise = settled[operation.id];
      if (promise === undefined) return undefined;
      const { pathname, searchParams } = new URL(url, 'http://host');
      const path = pathname.split('/').slice(4).map(decodeURIComponent);
      const answer = text === '' || text.endsWith('\n') ? {} : (JSON.parse(text) as Fields);
      return promise(answer, fieldsOf(payload), path, searchParams.get('dryRun') === 'true');
    },
    adopt,
    async difference() {
      for (const part of Object.keys(LINES) as (keyof typeof LINES)[]) {
        const there = (await stored(part)).map((line) => JSON.stringify(line)).toSorted();
        const promised = [...state[part].values()].map((line) => JSON.stringify(line)).toSorted();
        if (there.join('\n') === promised.join('\n')) continue;
        const more = there.filter((line) => !promised.includes(line));
        const less = promised.filter((line) => !there.includes(line));
        return `${part}: the database has ${more.join(' ')}; the answers promised ${less.join(' ')}`;
      }
      return undefined;
    },
  };
}

const seconds = (instant: unknown): string => String(instant).slice(0, 19);

function fieldsOf(payload: FuzzRequest['payload']): Fields {
  if (payload === undefined) return {};
  try {
    return (parse(payload.toString()) ?? {}) as Fields;
  } catch {
    return {};
  }
}
