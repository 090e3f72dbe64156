import { describe, expect, it, vi } from 'vitest';
import { BridgeError, contractBroken, throttled } from '../../src/core/errors.ts';
import { HOUR } from '../../src/core/instant.ts';
import { serverError, useManyStreams } from './many-streams.ts';
import { workOf } from '../kit/work.ts';

// What one poll makes of answers and failures: for each stream, and for the source.

const plant = useManyStreams();

describe('streams that fail in one poll', () => {
  const failing =
    (...streams: string[]) =>
    (stream: string): void => {
      if (streams.includes(stream)) throw serverError();
    };

  it('wait alone where the platform answers between their failures', async () => {
    await plant.storeStreams(4);
    await plant.pollOnce(failing('s00', 's02'));
    expect(plant.timesAsked(4)).toEqual([1, 1, 1, 1]);
    expect(await plant.held()).toEqual({ failures: 0, held: false, succeeded: true });
  });

  it('wait alone where one of them failed before, because it says nothing new about the platform', async () => {
    await plant.storeStreams(4);
    await plant.database.run(`update stream set failures = 1 where key = 's00'`);
    await plant.pollOnce(failing('s00', 's01'));
    expect(plant.timesAsked(4)).toEqual([1, 1, 1, 1]);
    expect(await plant.held()).toEqual({ failures: 0, held: false, succeeded: true });
  });

  it('and all failed before do not hold the source once one of them is answered', async () => {
    await plant.storeStreams(2);
    await plant.database.run('update stream set failures = 1');
    await plant.pollOnce(failing('s01'));
    expect(plant.timesAsked(2)).toEqual([1, 1]);
    expect(await plant.held()).toEqual({ failures: 0, held: false, succeeded: true });
    expect(await plant.database.rows('select failures from stream order by key')).toEqual([
      { failures: 0 },
      { failures: 2 },
    ]);
  });

  it('do not make the source look well where nothing was answered', async () => {
    await plant.storeStreams(2);
    await plant.pollOnce(failing());
    await plant.database.run('update work set well_at = null');
    // Nothing is new for the healthy stream.
    await plant.database.run(`update stream set covered = '{}' where key = 's00'`);
    await plant.pollOnce(failing('s00'), { passed: 0 });
    expect(plant.timesAsked(2)).toEqual([2, 1]);
    expect(await plant.held()).toEqual({ failures: 0, held: false, succeeded: false });
  });
});

describe('a poll that has nothing to ask for', () => {
  it.each([
    ['is a success where a stream is well', 's01', true],
    ['is no success where every stream waits', '', false],
  ])('%s', async (_what, well, succeeded) => {
    await plant.storeStreams(2);
    await plant.pollOnce(() => undefined);
    await plant.database.run('update work set well_at = null');
    await plant.database.run('update stream set failures = 1, retry_at = at_instant($1) where key <> $2', [
      plant.now + HOUR,
      well,
    ]);
    plant.asked = [];
    await plant.pollOnce(() => undefined, { passed: 0 });
    expect([plant.asked, await plant.held()]).toEqual([[], { failures: 0, held: false, succeeded }]);
  });
});

describe('requests at a time', () => {
  it('are as many as the pace allows where the platform is well', async () => {
    await plant.storeStreams(3);
    let underWay = 0;
    let most = 0;
    const together = async (): Promise<void> => {
      underWay += 1;
      most = Math.max(most, underWay);
      const all = await vi.waitUntil(() => most === 3, { timeout: 5_000, interval: 5 }).catch(() => false);
      underWay -= 1;
      if (!all) throw new Error('a request waited for others in vain');
    };
    await plant.pollOnce(() => undefined, { concurrency: 3, heavy: together });
    expect(most).toBe(3);
  });

  it('are one where the source is in trouble, until the platform answers', async () => {
    await plant.storeStreams(4);
    await plant.database.run('update source set failures = 2');
    await plant.pollOnce(
      () => {
        throw serverError();
      },
      { concurrency: 3 },
    );
    expect(plant.asked).toHaveLength(1);
    expect(await plant.held()).toMatchObject({ failures: 3, held: true });
  });
});

describe('a source in trouble', () => {
  it.each([
    ['an answer that cannot be read', () => contractBroken('half a page')],
    ['one instant with more than a window may hold', () => new BridgeError({ code: 'too-much', oneInstant: true }, '')],
  ])('is in trouble no more after %s, because its platform answered', async (_what, fault) => {
    await plant.storeStreams(3);
    await plant.database.run('update source set failures = 2');
    await plant.pollOnce((stream) => {
      if (stream === 's00') throw fault();
      if (stream === 's01') throw serverError();
    });
    expect(plant.timesAsked(3)).toEqual([1, 1, 1]);
    expect(await plant.held()).toEqual({ failures: 0, held: false, succeeded: true });
  });

  it('that asks for silence was refused once more in a row, where it answered nothing', async () => {
    await plant.storeStreams(2);
    await plant.database.run('update source set failures = 3');
    await plant.pollOnce(() => {
      throw throttled(plant.now, '429', false);
    });
    expect(await plant.held()).toEqual({ failures: 4, held: true, succeeded: false });
  });

  it('that answers and then asks for silence was refused once in a row', async () => {
    await plant.storeStreams(2);
    await plant.database.run('update source set failures = 3');
    await plant.pollOnce((stream) => {
      if (stream === 's01') throw throttled(plant.now, '429', false);
    });
    expect(await plant.held()).toEqual({ failures: 1, held: true, succeeded: false });
  });
});

describe('a poll of a source that cannot be opened', () => {
  const opening = (error: Error): Promise<void> =>
    plant.pollOnce(() => undefined, { sources: { use: () => Promise.reject(error) } });

  it('acts on the fault for the whole source', async () => {
    await plant.storeStreams(2);
    await plant.database.run('update source set failures = 2');
    await opening(new BridgeError({ code: 'config-invalid' }, 'there is no such option'));
    expect(
      await plant.database.row(
        `select state, failures, last_fault ->> 'code' as fault, last_fault ->> 'lane' as lane, ${workOf('poll', 'well_at')} as success from source`,
      ),
    ).toEqual({ state: 'stopped', failures: 3, fault: 'config-invalid', lane: 'live', success: null });
  });

  it('ends with the error of a database that is away', async () => {
    await plant.storeStreams(2);
    const away = Object.assign(new Error('no connection'), { code: 'ECONNREFUSED' });
    await expect(opening(away)).rejects.toThrow('no connection');
    expect(await plant.held()).toEqual({ failures: 0, held: false, succeeded: false });
  });
});

it('a source that is paused is not polled', async () => {
  await plant.storeStreams(2);
  await plant.database.run(`update source set state = 'paused'`);
  await plant.pollOnce(() => undefined);
  expect([plant.asked, await plant.held()]).toEqual([[], { failures: 0, held: false, succeeded: false }]);
});

describe('a stream that the platform, or the options, cannot serve', () => {
  const fault = (code: 'unsupported' | 'config-invalid') => new BridgeError({ code }, 'a comma in the key');
  const states = (): Promise<unknown> =>
    plant.database.row(`select state, last_fault ->> 'code' as fault, failures from source`);

  it.each(['unsupported', 'config-invalid'] as const)(
    '(%s) waits alone while others are well, and the operator sees why',
    async (code) => {
      await plant.storeStreams(4);
      for (let round = 0; round < 2; round += 1) {
        await plant.pollOnce((stream) => {
          if (stream === 's01' || stream === 's02') throw fault(code);
        });
      }
      expect(plant.timesAsked(4)).toEqual([2, 1, 1, 2]);
      expect(await states()).toEqual({ state: 'active', fault: code, failures: 0 });
    },
  );

  it.each(['unsupported', 'config-invalid'] as const)('(%s) stops the source where no stream is well', async (code) => {
    await plant.storeStreams(3);
    await plant.pollOnce(() => {
      throw fault(code);
    });
    expect(plant.timesAsked(3)).toEqual([1, 1, 1]);
    expect(await states()).toEqual({ state: 'stopped', fault: code, failures: 1 });
  });
});

describe('a poll whose process drains', () => {
  it('asks no further stream, and the answer that it got ends the failures of the source', async () => {
    await plant.storeStreams(3);
    await plant.database.run('update source set failures = 2');
    const drain = new AbortController();
    await plant.pollOnce(() => drain.abort(), { signal: drain.signal });
    expect(plant.asked).toEqual(['s00']);
    expect(await plant.held()).toEqual({ failures: 0, held: false, succeeded: true });
  });

  it('asks nothing where it drains already', async () => {
    await plant.storeStreams(3);
    await plant.pollOnce(() => undefined, { signal: AbortSignal.abort() });
    expect([plant.asked, await plant.held()]).toEqual([[], { failures: 0, held: false, succeeded: false }]);
  });
});

describe('a database that goes away during a poll', () => {
  it('ends the poll with its error, and is no fault of the stream or its source', async () => {
    await plant.storeStreams(2);
    const away = Object.assign(new Error('terminating connection'), { code: '57P01' });
    const polling = plant.pollOnce(() => {
      throw away;
    });
    await expect(polling).rejects.toThrow('terminating connection');
    expect(plant.asked).toEqual(['s00']);
    expect(await plant.held()).toEqual({ failures: 0, held: false, succeeded: false });
    expect(await plant.database.rows('select failures, last_fault from stream')).toEqual([
      { failures: 0, last_fault: null },
      { failures: 0, last_fault: null },
    ]);
  });
});
