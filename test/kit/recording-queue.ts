import type { Queue, Work } from '../../src/queue/queue.ts';

/** A job that a planner dispatched. */
export interface Dispatched {
  readonly work: Work;
  /** Of a stream for history, otherwise of a source. */
  readonly id: number;
  readonly troubled: boolean;
}

/** A queue that records what it is given and always has room; it refuses all work of one kind. */
export function recordingQueue(refuses?: Work): { readonly queue: Queue; readonly added: Dispatched[] } {
  const added: Dispatched[] = [];
  const queue: Pick<Queue, 'add' | 'room'> = {
    async add(work, ids, troubled = false) {
      if (work === refuses) throw new Error('the queue is away');
      added.push(...ids.map((id) => ({ work, id, troubled })));
    },
    room: async () => ({ poll: Infinity, look: Infinity, history: Infinity, troubled: Infinity }),
  };
  return { queue: queue as Queue, added };
}
