import { auditAll } from '../access/audit.ts';
import { seal } from '../access/sealed-config.ts';
import type { Sealing } from '../access/sealing.ts';
import type { Instant } from '../core/instant.ts';
import { IDLE } from '../core/pace.ts';
import type { PaceState } from '../core/pace.ts';
import { phaseOf } from '../core/schedule.ts';
import { titleOf } from '../core/source/source-name.ts';
import type { SourceConfig } from '../core/source/source.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { gathering } from '../database/gathering.ts';
import { LOOKS_NOW } from '../pull/work.ts';

/** A source that the bridge does not have yet. */
export interface NewSource {
  readonly source: SourceConfig;
  readonly projectId: number;
  readonly start: Instant;
  readonly createdAt: Instant;
  readonly actor: string;
}

/** Registers a new source. @returns false where a source of its name was registered meanwhile; nothing is changed then */
export type Create = (given: NewSource) => Promise<boolean>;

/** In order of names, so that two processes with the same sources never wait for each other in a ring. */
const CREATE = `
  insert into source (organisation_id, name, project_id, kind, platform, config, start_at, every_us, phase_us, settle_us, created_at)
  select organisation, given.name, project, kind, platform, config,
    greatest(at_instant(start), (select kept_from from ml_project where ml_project.id = project)), every, phase, settle, at_instant(created)
  from unnest($1::text[], $2::text[], $3::int[], $4::text[], $5::text[], $6::jsonb[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[])
    as given (organisation, name, project, kind, platform, config, start, every, phase, settle, created)
  order by 1, 2 on conflict (organisation_id, name) do nothing
  returning id, organisation_id as organisation, name`;

/** The gate of a new source is open, as `setGate` (gate.ts) would have it. */
const PACE: Omit<PaceState, 'next' | 'leases'> = { holdUntil: IDLE.holdUntil, revision: 1, paused: false };

/**
 * Registers new sources. Those that come at a time share a transaction. The row of the pace is made with the source. The first look
 * is due at once, and the first poll when a look has found streams.
 */
export function creationOf({ database, sealing }: { readonly database: Database; readonly sealing: Sealing }): Create {
  const create = gathering<NewSource, true>((all) =>
    database.transaction(async (client) => {
      const configs: string[] = [];
      for (const { source } of all)
        configs.push(JSON.stringify(await seal(source.raw, source.secrets, { sealing, client })));
      const made = await rowsOf<{ id: number; organisation: string; name: string }>(client, CREATE, [
        all.map(({ source }) => source.organisation),
        all.map(({ source }) => source.name),
        all.map(({ projectId }) => projectId),
        all.map(({ source }) => source.kind),
        all.map(({ source }) => source.platform),
        configs,
        all.map(({ start }) => start),
        all.map(({ source }) => source.schedule.every),
        all.map(({ source }) => phaseOf(titleOf(source), source.schedule.every)),
        all.map(({ source }) => source.schedule.settle),
        all.map(({ createdAt }) => createdAt),
      ]);
      await client.query('insert into pace (source_id, state) select unnest($1::int[]), $2', [
        made.map(({ id }) => id),
        JSON.stringify(PACE),
      ]);
      await client.query(LOOKS_NOW, [made.map(({ id }) => id)]);
      const given = new Map(all.map((one) => [titleOf(one.source), one]));
      const created = made.flatMap((row) => given.get(titleOf(row)) ?? []);
      await auditAll(
        client,
        created.map(({ source: { name, organisation }, actor }) => ({
          actor,
          action: 'source.created',
          subject: name,
          detail: { organisation, differences: [], coverage: 'kept', renames: 0 },
        })),
      );
      return new Map(created.map((one) => [one, true]));
    }),
  );
  return async (given) => (await create(given)) ?? false;
}
