import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND } from '../../src/core/instant.ts';
import type { BenchOptions, Measure } from './bench.ts';
import { dueFrom, registerMany } from './many-sources.ts';
import { arrivals, openRig, startPlant } from './rig.ts';
import { CATCH_UP, GRACE, punctuality } from './schedule.ts';

const LOAD = { sources: 500, every: 10 * SECOND };

/**
 * 500 sources on one worker, first alone and then beside 500 sources whose platform takes every request and never answers. The
 * watch begins when they begin to hang, because then no failure tells yet which ones they are.
 */
export async function hanging({ seconds, profile, say }: BenchOptions): Promise<Measure[]> {
  await using stack = new AsyncDisposableStack();
  const rig = await openRig({ profile });
  stack.defer(() => rig.close());
  const [answers, hangs] = await Promise.all([startPlant('small-plant.ts'), startPlant('point-plant.ts')]);
  stack.defer(async () => void (await Promise.all([answers.stop(), hangs.stop()])));
  const room = await rig.room();
  stack.defer(() => room.close());
  const { database, clock } = room.context;

  const names = await registerMany(room, answers.url, LOAD, 'well');
  const others = await registerMany(room, hangs.url, LOAD, 'hangs');
  await room.worker();
  await dueFrom(database, [...names, ...others], LOAD, clock.now() + SECOND);
  await sleep((LOAD.every + CATCH_UP) / 1_000);
  await database.run(`update source set state = 'paused' where name = any($1)`, [others]);

  const watch = async (): Promise<ReturnType<typeof punctuality>> => {
    await answers.admin('POST', 'forget');
    const from = clock.now();
    await sleep(seconds * 1_000);
    const to = clock.now();
    await sleep(GRACE / 1_000);
    return punctuality(names, LOAD, { from, to, until: clock.now() }, (await arrivals(answers)).askedAt);
  };
  const alone = await watch();
  say(`alone: ${alone.inTime} of ${alone.due} due polls in time`);
  await hangs.faults({ kind: 'hang', match: '/query' });
  const answered = (await hangs.log()).length;
  await database.run(`update source set state = 'active' where name = any($1)`, [others]);
  const beside = await watch();
  const asked = (await hangs.log()).slice(answered).filter(({ path }) => path === '/query');
  const sources = await database.row<{ failing: number; most: number }>(
    `select count(*) filter (where failures > 0) as failing, max(failures) as most from source where name = any($1)`,
    [others],
  );
  say(`beside ${others.length} that hang: ${beside.inTime} of ${beside.due}; ${asked.length} requests hang or hung`);
  return [
    { what: '500 sources, alone: polled before the next was due', value: alone.inTime / alone.due, unit: '×' },
    {
      what: '500 sources beside 500 that hang: polled before the next was due',
      value: beside.inTime / beside.due,
      unit: '×',
      aim: { atLeast: 0.99 },
      note: `${beside.inTime} of ${beside.due}, ${beside.done} polls; alone ${alone.inTime} of ${alone.due}, ${alone.done}`,
    },
    {
      what: '500 that hang: requests to each',
      value: asked.length / others.length,
      unit: 'requests',
      note: `${sources?.failing} known to be in trouble, after ${sources?.most} failures in a row at most`,
    },
  ];
}
