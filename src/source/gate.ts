import type { ClientBase } from 'pg';
import { FOR_WITNESSES, hasWorked } from '../pull/open/witnesses.ts';

/**
 * Tells the runs of sources, on all hosts, which configuration is in force and whether a source is paused: the row of
 * its pace, which every request reads before it is sent, says so (`isOpenTo` in core/pace.ts). Call it in the transaction
 * that changed the sources. A new configuration, or the same one after a stop, gets a fresh try of its credentials: one
 * request, where they were refused before.
 * @param given.liftHold forgets the silence the platform asked for, and why it is asked more slowly, because an operator wants an answer now
 */
export async function setGate(
  client: ClientBase,
  sourceIds: readonly number[],
  { liftHold }: { readonly liftHold: boolean },
): Promise<void> {
  // The account is locked before the pace, as everywhere (pull/open/account.ts).
  await client.query(
    `update account set used_at = now(), refused = case when $2 then least(refused, 1) else refused end,
       second_until = case when not $2 then second_until when exists (
         select from pace join source on source.id = source_id and source.state = 'active'
         where pace.state ->> 'account' = digest and ${hasWorked('pace', 'digest')}) then now() + ${FOR_WITNESSES} end, probe = case when $2 and refused > 1 then null else probe end
     where digest in (
       select digest from account where digest in (select state ->> 'account' from pace where source_id = any($1)) order by digest for no key update)`,
    [sourceIds, liftHold],
  );
  await client.query(
    `update pace set version = pace.version + 1,
       state = ((case when coalesce((pace.state ->> 'revision')::int, 1) <> source.revision then pace.state - 'account' - 'doubt' else pace.state end)
         - case when $2 then 'ease' else '' end)
       || jsonb_build_object('revision', source.revision, 'paused', source.state <> 'active')
       || case when $2 then '{"holdUntil": 0}' else '{}' end::jsonb
     from source where source.id = source_id and source_id in (
       select source_id from pace where source_id = any($1) order by source_id for no key update)`,
    [sourceIds, liftHold],
  );
}
