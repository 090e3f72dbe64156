import { counted } from '../../src/core/counted.ts';
import { beforeEach, describe, expect, it } from 'vitest';
import { BridgeError, configInvalid, credentialsRejected, rightMissing, throttled } from '../../src/core/errors.ts';
import { HOUR, MINUTE, SECOND } from '../../src/core/instant.ts';
import {
  absent,
  breaksAfter,
  device,
  devices,
  ground,
  lookOnce,
  pollOnce,
  serverError,
  state,
  streams,
  useLooks,
  WELL,
} from './look-ground.ts';
import { LOOKS_NOW } from '../../src/pull/work.ts';

useLooks();

describe('a complete look', () => {
  it('gives each sensor a stream, has the source polled at once, and comes again after an hour', async () => {
    await ground.database.run(`update work set due_at = now() + interval '1 h' where kind = 'poll'`);
    await lookOnce(() => devices('a', 'b'));
    expect(await streams()).toEqual(['a', 'b']);
    expect(await state()).toMatchObject({ ...WELL, complete: true, nextIn: HOUR });
    expect(await ground.database.row(`select due_at <= now() as due from work where kind = 'poll'`)).toEqual({
      due: true,
    });
    await pollOnce();
    expect(ground.asked).toEqual(['a', 'b']);
  });

  it('stores the first streams while the rest is still being looked up', async () => {
    const seen: string[][] = [];
    await lookOnce(async function* () {
      for (const name of ['a', 'b', 'c']) {
        yield device(name);
        ground.now += 2 * SECOND;
        seen.push(await streams());
        await pollOnce();
      }
    });
    expect(seen).toEqual([['a'], ['a', 'b'], ['a', 'b', 'c']]);
    // Each poll asked for the streams of its time.
    expect(ground.asked.toSorted()).toEqual(['a', 'a', 'a', 'b', 'b', 'c']);
  });

  it('of a listed source comes once, and its streams go by the list', async () => {
    await lookOnce(() => devices('a', 'b', 'c'), { sensors: [{ id: 'a' }, { id: 'b', group: 'b' }] });
    expect(await streams()).toEqual(['a', 'b']);
    expect(await state()).toMatchObject({ ...WELL, nextIn: null });
    await lookOnce(() => devices('a', 'b', 'c'), { sensors: [{ id: 'b' }] });
    expect(await streams()).toEqual(['b']);
  });

  it('that an operator asked for again meanwhile is due again when it ends', async () => {
    await lookOnce(async function* () {
      yield device('a');
      await ground.database.run(LOOKS_NOW, [[ground.stored.sourceId]]);
    });
    expect(await ground.database.row(`select due_at <= now() as due from work where kind = 'look'`)).toEqual({
      due: true,
    });
    await lookOnce(() => devices('a'));
    expect(await state()).toMatchObject({ nextIn: HOUR });
  });
});

describe('what the platform no longer shows', () => {
  beforeEach(async () => {
    await lookOnce(() => devices('a', 'b', 'c', 'd'));
    await pollOnce();
    ground.asked = [];
    ground.now += MINUTE;
  });

  const everyStreamIsAsked = async (): Promise<void> => {
    expect(await streams()).toEqual(['a', 'b', 'c', 'd']);
    await pollOnce();
    expect(ground.asked).toEqual(['a', 'b', 'c', 'd']);
  };

  it('keeps its stream and its coverage, and is told', async () => {
    await lookOnce(() => devices('a', 'b', 'c'));
    expect(await absent()).toEqual(['d']);
    expect(await state()).toMatchObject({ ...WELL, nextIn: HOUR });
    await everyStreamIsAsked();
    await lookOnce(() => devices('a', 'b', 'c', 'd'));
    expect(await absent()).toEqual([]);
  });

  it.each([
    ['nothing', [] as string[]],
    ['little', ['a']],
  ])('is a fault of the look where %s is left, and all streams go on', async (_, left) => {
    await lookOnce(() => devices(...left));
    const told = await state();
    expect(told).toMatchObject({ state: 'active', failures: 0, held: false, lookFailures: 1 });
    expect(told.lookFault).toContain(
      `shows ${counted(left.length, 'sensor')}, and none of ${4 - left.length} of the 4 known streams`,
    );
    expect(told.remedy).toMatch(/rights/);
    // It looks again sooner than after an hour.
    expect(told.nextIn).toBeLessThanOrEqual(30 * SECOND);
    await everyStreamIsAsked();
  });

  it('retires nothing where the list breaks off', async () => {
    await lookOnce(breaksAfter(devices('a', 'new'), serverError()), { sensors: [{ id: 'a' }, { id: 'new' }] });
    expect(await streams()).toEqual(['a', 'b', 'c', 'd', 'new']);
    expect(await absent()).toEqual([]);
  });

  it('and is listed by the operator, is refused alone', async () => {
    const list = { sensors: ['a', 'b', 'c', 'd'].map((id) => ({ id })) };
    await lookOnce(() => devices('a', 'b', 'c', 'x'), list);
    expect(await state()).toMatchObject({
      state: 'active',
      lookFailures: 1,
      lookFault: 'there is no sensor d on source',
      remedy: 'there are, for example: a ; b ; c',
    });
    await everyStreamIsAsked();
  });
});

describe('a look that fails', () => {
  it.each([
    ['a server error', serverError()],
    ['an answer that is none', new BridgeError({ code: 'contract-broken' }, 'html')],
    ['a right that is missing', rightMissing('403', 'grant it')],
    ['options that are wrong', configInvalid('no device x', 'correct it')],
    ['a bug of the adapter', new TypeError('undefined is not a function')],
  ])('by %s leaves the known streams alone, is told, and comes again later and later', async (_, error) => {
    await lookOnce(() => devices('a'));
    const waits: number[] = [];
    for (let round = 1; round <= 9; round += 1) {
      await lookOnce(breaksAfter([], error));
      const told = await state();
      expect(told).toMatchObject({ ...WELL, lookFailures: round, lookFault: error.message });
      waits.push(told.nextIn ?? 0);
    }
    expect(waits[0]).toBeLessThanOrEqual(30 * SECOND);
    expect(waits[4]).toBeGreaterThan(3 * MINUTE);
    expect(waits[8]).toBeGreaterThanOrEqual(HOUR / 2);
    expect(Math.max(...waits)).toBeLessThanOrEqual(HOUR);
    await pollOnce();
    expect(ground.asked).toEqual(['a']);
    await lookOnce(() => devices('a'));
    expect(await state()).toMatchObject({ ...WELL, nextIn: HOUR });
  });

  it('keeps the sensors that it found', async () => {
    await lookOnce(breaksAfter(devices('a', 'b', 'c'), serverError()));
    expect(await streams()).toEqual(['a', 'b', 'c']);
    expect(await state()).toMatchObject({ complete: false });
  });

  it('of a source without streams is a failure of the source, and the first good look ends it', async () => {
    await lookOnce(breaksAfter([], serverError()));
    expect(await state()).toMatchObject({ state: 'active', failures: 1, held: true, fault: 'unavailable' });
    await ground.database.run('update source set held_until = null');
    await lookOnce(breaksAfter([], configInvalid('no database x', 'correct it')));
    expect(await state()).toMatchObject({ state: 'stopped', fault: 'config-invalid' });
    await ground.database.run(`update source set state = 'active'`);
    await lookOnce(() => devices('a'));
    expect(await state()).toMatchObject({ ...WELL, nextIn: HOUR });
  });

  it('by refused credentials stops the source, and by a 429 makes it wait', async () => {
    await lookOnce(() => devices('a'));
    await lookOnce(breaksAfter([], throttled(ground.now + MINUTE, '429')));
    expect(await state()).toMatchObject({ state: 'active', held: true, fault: 'throttled' });
    await ground.database.run('update source set held_until = null');
    await lookOnce(breaksAfter([], credentialsRejected('401', 'check the password')));
    expect(await state()).toMatchObject({ state: 'stopped', fault: 'credentials-rejected' });
  });
});
