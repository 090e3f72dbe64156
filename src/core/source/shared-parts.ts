/** At most this many different parts are kept for later ones. */
const MOST_PARTS = 2_000;

/**
 * A function that gives an equal part of another source where it has seen one, because the sources of a bridge are written alike
 * and stay in memory. The parts must not be changed.
 */
export function sharing(most = MOST_PARTS): <T>(part: T) => T {
  const known = new Map<string, unknown>();
  return <T>(part: T): T => {
    if (!isData(part)) return part;
    const key = JSON.stringify(part);
    const before = known.get(key);
    if (before !== undefined) return before as T;
    if (known.size >= most) known.clear();
    known.set(key, part);
    return part;
  };
}

/** Whether JSON tells a value from every other one. */
function isData(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object' || value === null)
    return typeof value === 'string' || typeof value === 'boolean' || value === null;
  const proto: unknown = Object.getPrototypeOf(value);
  return (proto === Object.prototype || Array.isArray(value)) && Object.values(value).every(isData);
}
