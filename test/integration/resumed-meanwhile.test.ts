import { expect, it } from 'vitest';
import { changeSource } from '../../src/source/state-change.ts';
import { serverError, useManyStreams } from './many-streams.ts';

const plant = useManyStreams();

it.each([1, 2])(
  'an answer that fails amid a resume leaves the source and its %i streams as the resume left them',
  async (count) => {
    await plant.storeStreams(count);
    await plant.database.run('update source set failures = 12');
    await plant.database.run('update stream set failures = 12');
    const state = (): Promise<unknown> =>
      plant.database.rows(
        `select source.failures, held_until, due_at, source.last_fault, key, stream.failures as of_stream, retry_at, turn_at,
           stream.last_fault as fault_of_stream, learned
         from source join stream on source_id = source.id join work on work.kind = 'poll' and work.id = source.id order by key`,
      );
    let resumed: unknown;
    await plant.pollOnce(() => undefined, {
      heavy: async () => {
        await changeSource(plant.database, 'resume', { name: 'source' }, 'operator');
        resumed = await state();
        throw serverError();
      },
    });
    expect(plant.asked).toHaveLength(1);
    expect(await state()).toEqual(resumed);
  },
);
