/**
 * A job waits this long for a platform before it gives its place back, ms. Hundreds of platforms that begin to hang at once hold
 * each place for so long, one after the other.
 */
const PATIENCE_MS = 250;

/** Jobs without a place wait for a platform and cost little but a connection, so there may be this many for each place. */
const AWAY_PER_PLACE = 20;

/** The place of one job. */
export interface JobPlace {
  /**
   * Waits for an answer of a platform. Where it takes long, another job gets the place meanwhile. The job works on as one of
   * the few that came back, so it may wait for its turn after the answer, too.
   */
  waitFor<T>(answer: Promise<T>): Promise<T>;
}

/** The places of one kind of job in this process. */
export interface Places {
  /** Runs a job. Resolves when it has ended or has given its place back; then it goes on by itself. Throws as the job does. */
  run(job: (place: JobPlace) => Promise<void>): Promise<void>;
  /** Resolves when every job has ended, also those that gave their place back. */
  ended(): Promise<void>;
}

/**
 * Jobs have a place while they work, and none while they wait for a platform that does not answer, so that platforms that hang
 * keep no other source waiting. The caller begins at most `count` jobs at a time, which is a new one for each that gave its
 * place back; as many work on after an answer that came late. At most 20 × `count` jobs are without a place; beyond
 * that a job keeps its place.
 */
export function placesOf(count: number, patienceMs = PATIENCE_MS): Places {
  const underWay = new Set<Promise<void>>();
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
        if (state === 'late') late.leave();
      }
    })();
    const settled = ended.catch(() => undefined);
    underWay.add(settled);
    void settled.then(() => underWay.delete(settled));
    await Promise.race([ended, left.promise]);
  }

  return {
    run,
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
