import type { NumberedColumn } from './rows.ts';
import { spansOf } from './pushed-spans.ts';

/** A push that waits for its commit. */
export interface Waiting {
  readonly applicationId: string;
  readonly readings: number;
  readonly columns: readonly NumberedColumn[];
}

/** Pushes that wait, in one line for each application. */
export interface PushedQueue<W extends Waiting> {
  add(push: W): void;
  /** Takes a push out before its turn, if it is still here. */
  remove(push: W): void;
  /** Takes the pushes of the next commit: at most `mostReadings` together, or a single larger push. Empty when none waits. */
  next(mostReadings: number): W[];
  /** Readings that wait. */
  readonly readings: number;
}

/** Readings that an application may add to a commit in one turn. An empty push counts as one reading. */
const READINGS_A_TURN = 1_000;

interface Line<W> {
  readonly pushes: W[];
  credit: number;
}

/**
 * Deficit round robin: applications take turns, and each turn is worth the same number of readings. Readings that an
 * application could not use, because its push is larger, count for its next turn. Its pushes keep their order of arrival.
 */
export function pushedQueue<W extends Waiting>(): PushedQueue<W> {
  /** In the order of turns. */
  let lines = new Map<string, Line<W>>();
  let readings = 0;

  return {
    get readings() {
      return readings;
    },
    add(push) {
      readings += push.readings;
      const line = lines.get(push.applicationId);
      if (line) line.pushes.push(push);
      else lines.set(push.applicationId, { pushes: [push], credit: 0 });
    },
    remove(push) {
      const line = lines.get(push.applicationId);
      const place = line?.pushes.indexOf(push) ?? -1;
      if (!line || place < 0) return;
      line.pushes.splice(place, 1);
      readings -= push.readings;
      if (line.pushes.length === 0) lines.delete(push.applicationId);
    },
    next(mostReadings) {
      const group: W[] = [];
      const spans = spansOf();
      const meeting: [string, Line<W>][] = [];
      let room = mostReadings;
      for (let turn = first(lines); turn !== undefined; turn = first(lines)) {
        const [id, line] = turn;
        line.credit += READINGS_A_TURN;
        const end = takeTurn(line);
        const [head] = line.pushes;
        if (head) line.credit = Math.min(line.credit, Math.max(READINGS_A_TURN, head.readings));
        // The application for whose push there was no room begins the next commit.
        if (end === 'full') break;
        lines.delete(id);
        if (end === 'meets') meeting.push(turn);
        else if (line.pushes.length > 0) lines.set(id, line);
      }
      lines = new Map([...meeting, ...lines]);
      for (const push of group) readings -= push.readings;
      return group;

      function takeTurn(line: Line<W>): 'done' | 'meets' | 'full' {
        for (let push = line.pushes[0]; push !== undefined; push = line.pushes[0]) {
          const cost = Math.max(1, push.readings);
          if (cost > line.credit) return 'done';
          if (group.length > 0 && cost > room) return 'full';
          if (!spans.claim(push.columns)) return 'meets';
          line.pushes.shift();
          line.credit -= cost;
          room -= cost;
          group.push(push);
        }
        return 'done';
      }
    },
  };
}

const first = <K, V>(map: ReadonlyMap<K, V>): [K, V] | undefined => map.entries().next().value;
