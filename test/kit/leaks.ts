/** What the kit has open right now: processes, directories, listeners. A test that forgets one fails. */
interface Held {
  readonly name: string;
  /** Whether it is still there; asked anew each time. */
  readonly present: () => boolean;
  /** Makes it go away at once. */
  readonly destroy: () => void;
}

const held = new Set<Held>();

/** Puts something under watch; the returned function takes it off again. */
export function watchForLeaks(name: string, present: () => boolean, destroy: () => void): () => void {
  const entry: Held = { name, present, destroy };
  held.add(entry);
  return () => {
    held.delete(entry);
  };
}

/** Names of everything that was started or made and is still there. */
export function leaks(): string[] {
  return [...held].filter((entry) => entry.present()).map((entry) => entry.name);
}

/**
 * For `afterAll`: throws an error naming whatever was left behind, after destroying it, so that one
 * careless test does not disturb the next file.
 */
export function assertNothingLeaked(): void {
  const names = leaks();
  for (const entry of held) if (entry.present()) entry.destroy();
  held.clear();
  if (names.length > 0) throw new Error(`left behind by the tests: ${names.join(', ')}`);
}
