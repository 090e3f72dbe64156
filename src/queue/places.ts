/**
 * A job waits this long for a platform before it gives its place back, ms. Hundreds of platforms that begin to hang at once hold
 * each place for so long, one after the other.
 */
const PATIENCE_MS = 250;

/** Jobs without a place wait for a platform and cost little but a connection, so there may be this many for each place. */
const AWAY_PER_PLACE = 20;

/** The place of one source or stream of a round. */
export interface JobPlace {
  /**
   * Waits for an answer of a platform. Where it takes long, another job gets the place meanwhile. The job works on as one of
   * the few that came back, so it may wait for its turn after the answer, too.
   */
  waitFor<T>(answer: Promise<T>): Promise<T>;
}

/** The places of one kind of work in this process. */
export interface Places {
  /**
   * Works on the items of a round, each as soon as it has a place. Resolves when each item has ended or has given its place
   * back, and of a round of several items at the latest a moment after the last one began: then the rest goes on by itself,
   * and the next round fills the places that are free. Throws the first error of an item that ended before that. Once `signal`
   * is aborted no further item begins.
   */
  round<T>(items: readonly T[], work: (item: T, place: JobPlace) => Promise<void>, signal?: AbortSignal): Promise<void>;
  /** Resolves when every item has ended, also those that gave their place back. */
  ended(): Promise<void>;
}

/**
 * An item has a place while it works, and none while it waits for a platform that does not answer, so that platforms that hang
 * keep no other source waiting. At most `count` items have a place; as many work on after an answer that came late. At most
 * 20 × `count` items are without a place; beyond that an item keeps its place.
 */
export function placesOf(count: number, patienceMs = PATIENCE_MS): Places {
  const underWay = new Set<Promise<void>>();
  const places = turnstile(count);
  const late = turnstile(count);
  const most = count * AWAY_PER_PLACE;
  let away = 0;

  async function run(job: (place: JobPlace) => Promise<void>): Promise<void> {
    const left = Promise.withResolvers<void>();
    let state = 'placed' as 'placed' | 'away' | 'late';
    let waiting = 0;
    let timer: NodeJS.Timeout | undefined;
    let comingBack: Promise<void> | undefined;

    function arm(): void {
      clearTimeout(timer);
      if (waiting > 0 && state !== 'away') timer = setTimeout(leave, patienceMs);
    }

    function leave(): void {
      if (away >= most) {
        arm();
        return;
      }
      if (state === 'late') late.leave();
      else places.leave();
      state = 'away';
      away += 1;
      left.resolve();
    }

    async function comeBack(): Promise<void> {
      await late.enter();
      state = 'late';
      away -= 1;
      comingBack = undefined;
    }

    const place: JobPlace = {
      async waitFor(answer) {
        waiting += 1;
        arm();
        try {
          return await answer;
        } finally {
          waiting -= 1;
          if (state === 'away') await (comingBack ??= comeBack());
          arm();
        }
      },
    };

    const ended = (async () => {
      try {
        await job(place);
      } finally {
        clearTimeout(timer);
        if (state === 'away') away -= 1;
        else (state === 'late' ? late : places).leave();
      }
    })();
    const settled = ended.catch(() => undefined);
    underWay.add(settled);
    void settled.then(() => underWay.delete(settled));
    await Promise.race([ended, left.promise]);
  }

  return {
    async round(items, work, signal) {
      const { promise: overdue, resolve } = Promise.withResolvers<void>();
      const failures: unknown[] = [];
      const ends: Promise<unknown>[] = [];
      for (const item of items) {
        await places.enter();
        if (signal?.aborted) {
          places.leave();
          break;
        }
        ends.push(run((place) => work(item, place)).catch((error: unknown) => failures.push(error)));
      }
      const timer = items.length > 1 ? setTimeout(resolve, patienceMs) : undefined;
      await Promise.race([Promise.all(ends), overdue]);
      clearTimeout(timer);
      if (failures.length > 0) throw failures[0];
    },
    async ended() {
      await Promise.all(underWay);
    },
  };
}

/** Lets `count` in at a time, in the order in which they came. */
function turnstile(count: number): { enter(): Promise<void>; leave(): void } {
  const queue: (() => void)[] = [];
  let inside = 0;
  return {
    async enter() {
      if (inside < count) {
        inside += 1;
        return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      queue.push(resolve);
      await promise;
    },
    leave() {
      const next = queue.shift();
      if (next) next();
      else inside -= 1;
    },
  };
}
