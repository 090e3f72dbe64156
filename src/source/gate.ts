import type { ClientBase } from 'pg';

/**
 * Tells the runs of a source, on all hosts, which configuration is in force and whether the source is paused: the row of
 * its pace, which every request reads before it is sent, says so (`isOpenTo` in core/pace.ts). Call it in the transaction
 * that changed the source.
 * @param given.liftHold forgets the silence the platform asked for, because an operator wants an answer now
 */
export async function setGate(
  client: ClientBase,
  sourceId: number,
  { liftHold }: { readonly liftHold: boolean },
): Promise<void> {
  await client.query(
    `update pace set version = pace.version + 1, state = pace.state
       || jsonb_build_object('revision', source.revision, 'paused', source.state = 'paused')
       || case when $2 then '{"holdUntil": 0}' else '{}' end::jsonb
     from source where source.id = source_id and source_id = $1`,
    [sourceId, liftHold],
  );
}
