/** Memory for what was pushed and is not stored yet, shared by applications. */
export interface Room {
  /** Takes bytes; false where there is not enough room for that application, and nothing is taken then. */
  take(applicationId: string, bytes: number): boolean;
  give(applicationId: string, bytes: number): void;
  /** How busy that makes us, 0..1: 1 is as much as one application alone may hold. */
  readonly load: () => number;
}

/**
 * An application may hold as much as is left free behind it: one alone gets half of the room, `n` greedy ones get
 * `1/(n + 1)` of it each, and there is always as much for the next one as each of them holds.
 */
export function roomOf(bytes: number): Room {
  const held = new Map<string, number>();
  let taken = 0;
  return {
    take(applicationId, more) {
      const after = (held.get(applicationId) ?? 0) + more;
      if (after > bytes - taken - more) return false;
      held.set(applicationId, after);
      taken += more;
      return true;
    },
    give(applicationId, less) {
      const after = (held.get(applicationId) ?? 0) - less;
      if (after > 0) held.set(applicationId, after);
      else held.delete(applicationId);
      taken -= less;
    },
    load: () => Math.min(1, (2 * taken) / bytes),
  };
}
