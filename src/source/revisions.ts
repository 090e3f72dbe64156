import type { ClientBase } from 'pg';
import { rowsOf } from '../database/database.ts';
import { setGate } from './gate.ts';

/** Gives sources a new revision. Windows under way are not stored, and the names of series are settled anew. */
export async function raiseRevisions(client: ClientBase, sourceIds: readonly number[]): Promise<void> {
  if (sourceIds.length === 0) return;
  await client.query(
    `update source set revision = revision + 1, updated_at = now()
     where id in (select id from source where id = any($1) order by id for update)`,
    [sourceIds],
  );
  await client.query(
    'update stream set source_revision = source.revision from source where source.id = source_id and source_id = any($1)',
    [sourceIds],
  );
  await setGate(client, sourceIds, { liftHold: false });
}

/** The same for all sources of a project. Each of them may have been refused a name that the project takes from now on. */
export async function raiseRevisionsOf(client: ClientBase, projectId: number): Promise<void> {
  const sources = await rowsOf<{ id: number }>(client, 'select id from source where project_id = $1', [projectId]);
  await raiseRevisions(
    client,
    sources.map(({ id }) => id),
  );
}
