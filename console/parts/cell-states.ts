/** The states of a bin of time, as the bridge writes them. */
export type CellState = 'd' | 'e' | 'm' | 'a' | 'r' | 'f' | 'b' | 'n';

/** Neighbours with one state. */
export interface Run {
  readonly state: CellState;
  readonly at: number;
  readonly count: number;
}

/** `b12d300m` as its runs. */
export function runsOf(states: string): Run[] {
  let at = 0;
  return [...states.matchAll(/([a-z])(\d*)/g)].map(([, state, digits]) => {
    const run = { state: state as CellState, at, count: digits === '' ? 1 : Number(digits) };
    at += run.count;
    return run;
  });
}

/** The state of each bin, in order. */
export function cellsOf(states: string): CellState[] {
  return runsOf(states).flatMap(({ state, count }) => Array.from({ length: count }, () => state));
}
