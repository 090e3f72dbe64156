import { MINUTE, SECOND } from '../../../src/core/instant.ts';
import type { Instant, Microseconds } from '../../../src/core/instant.ts';
import { edgeOf } from '../../../src/core/plan.ts';
import { EVERY, LOOKED_AT, LOOKED_BACK, NAME, SETTLE } from './scene.ts';
import type { Run } from './scene.ts';

/** The part of a worker that the end of a history uses. */
interface Work {
  work(together: boolean): Promise<void>;
  waitUntilDue(most: Microseconds): Promise<void>;
}

/**
 * The workers go on, one after the other and both at a time, until nothing is left to read. Throws where that does not come,
 * and where a stream of the healthy plant stays behind, also beside one that fails for ever.
 */
export async function untilQuiet(run: Run, { work, waitUntilDue }: Work): Promise<void> {
  const { time, applied } = run;
  const edge = (): Instant => edgeOf({ settle: SETTLE, align: (applied.at(-1)?.align ?? 1) * SECOND }, time.now());
  let lacks: readonly string[] = ['?'];
  const begun = edge();
  for (let round = 0; lacks.length > 0 || (await unfinished(run)) > 0; round += 1) {
    if (round > 150) throw new Error(`it does not become quiet; ${lacks.join('; ')}; ${await told(run)}`);
    await waitUntilDue(35 * MINUTE);
    await work(round % 2 === 1);
    lacks = await lacking(run, begun);
  }
  // Points that a gateway kept are found at the latest by the look at their age.
  const cuts = run.plant.cuts.map(({ window }) => window.to);
  await time.advance(Math.max(0, ...cuts.map((to) => to + LOOKED_AT - time.now())));
  // The lane that looks back for late data is given the time it needs.
  const end = time.now() + LOOKED_BACK;
  let late: readonly string[] = [];
  for (let round = 0; time.now() < end || late.length > 0; round += 1) {
    if (round > 60) throw new Error(`a stream of a healthy plant stays behind: ${late.join('; ')}; ${await told(run)}`);
    const due = edge() - EVERY;
    await waitUntilDue(EVERY);
    await work(round % 2 === 1);
    // A round may take minutes where the pace is slow, so a stream is late only with the time before the round.
    late = await lacking(run, due);
  }
}

/** Streams that should be whole by now, with what they lack up to `edge`. */
async function lacking({ database, applied, plant, broken }: Run, edge: Instant): Promise<readonly string[]> {
  const rows = await database.rows<{ sensors: string[]; lacks: string }>(
    `select selection -> 'sensors' as sensors,
       (tstzmultirange(tstzrange(start_at, at_instant($1))) - (covered - look_again))::text as lacks
     from stream join source on source.id = source_id where retired_at is null and source.name = $2`,
    [edge, NAME],
  );
  const wanted = applied.at(-1)?.sensors ?? [...plant.sensors.keys()];
  const found = new Map(rows.flatMap(({ sensors, lacks }) => sensors.map((sensor) => [sensor, lacks])));
  const fails = new Set(rows.flatMap(({ sensors }) => (sensors.some((sensor) => broken.has(sensor)) ? sensors : [])));
  return wanted
    .filter((sensor) => !plant.hidden.has(sensor) || found.has(sensor))
    .filter((sensor) => !broken.has(sensor) && !fails.has(sensor) && found.get(sensor) !== '{}')
    .map((sensor) => `${sensor} lacks ${found.get(sensor) ?? 'a stream'}`);
}

/** Backfills that run and can end. One of a source without streams cannot: the plant never showed a sensor of its list. */
const unfinished = async ({ database, broken }: Run): Promise<number> =>
  broken.size > 0
    ? 0
    : ((
        await database.row<{ n: number }>(
          `select count(*) as n from backfill where state = 'running'
             and exists (select from stream where stream.source_id = backfill.source_id and retired_at is null)`,
        )
      )?.n ?? 0);

const told = async ({ database }: Run): Promise<string> =>
  JSON.stringify(
    await database.rows(
      `select source.state, source.failures, source.held_until, source.last_fault ->> 'message' as fault,
         (select jsonb_agg(jsonb_build_object('key', key, 'covered', covered, 'retry', retry_at, 
            'learned', learned, 'fault', stream.last_fault ->> 'message')) from stream where source_id = source.id and retired_at is null) as streams,
         (select jsonb_agg(work) from work where source_id = source.id) as work
       from source where name = $1`,
      [NAME],
    ),
  );
