/** When a key has points. All instants follow from these numbers; none is stored. */
export interface Rhythm {
  /** A point at every multiple of this since 1970, so points lie exactly on seconds, minutes and hours. */
  readonly everyMs: number;
  /** Also a point 1 ms before each of those. */
  readonly edges?: boolean;
  /** Also a point every `stepMs` for `lengthMs`, beginning `offsetMs` after every multiple of `everyMs`. */
  readonly burst?: {
    readonly everyMs: number;
    readonly offsetMs: number;
    readonly lengthMs: number;
    readonly stepMs: number;
  };
}

/** The first instant of the rhythm at or after `atMs`. */
export function instantAtOrAfter(rhythm: Rhythm, atMs: number): number {
  const candidates = [Math.ceil(atMs / rhythm.everyMs) * rhythm.everyMs];
  if (rhythm.edges) candidates.push(Math.ceil((atMs + 1) / rhythm.everyMs) * rhythm.everyMs - 1);
  if (rhythm.burst) {
    const { everyMs, offsetMs, lengthMs, stepMs } = rhythm.burst;
    const startMs = Math.floor((atMs - offsetMs) / everyMs) * everyMs + offsetMs;
    const stepped = startMs + Math.ceil((atMs - startMs) / stepMs) * stepMs;
    candidates.push(stepped < startMs + lengthMs ? stepped : startMs + everyMs);
  }
  return Math.min(...candidates);
}

/** The last instant of the rhythm at or before `atMs`. */
export function instantAtOrBefore(rhythm: Rhythm, atMs: number): number {
  const candidates = [Math.floor(atMs / rhythm.everyMs) * rhythm.everyMs];
  if (rhythm.edges) candidates.push(Math.floor((atMs + 1) / rhythm.everyMs) * rhythm.everyMs - 1);
  if (rhythm.burst) {
    const { everyMs, offsetMs, lengthMs, stepMs } = rhythm.burst;
    const startMs = Math.floor((atMs - offsetMs) / everyMs) * everyMs + offsetMs;
    const insideMs = Math.min(atMs - startMs, lengthMs - 1);
    candidates.push(startMs + Math.floor(insideMs / stepMs) * stepMs);
  }
  return Math.max(...candidates);
}
