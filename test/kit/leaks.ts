/** A process, a directory or a listener that the kit holds open. A test that does not close it fails. */
interface Held {
  readonly name: string;
  /** Whether it is still there; asked anew each time. */
  readonly present: () => boolean;
  /** Makes it go away at once. */
  readonly destroy: () => void;
}

const held = new Set<Held>();

/** Watches something until the returned function is called. */
export function watchForLeaks(name: string, present: () => boolean, destroy: () => void): () => void {
  const entry: Held = { name, present, destroy };
  held.add(entry);
  return () => {
    held.delete(entry);
  };
}

/** Names of all processes, directories and listeners that are still there. */
export function leaks(): string[] {
  return [...held].filter((entry) => entry.present()).map((entry) => entry.name);
}

/**
 * For `afterAll`: destroys all that the tests of the file left behind, so that it does not disturb the next file, and throws an
 * error that names it.
 */
export function assertNothingLeaked(): void {
  const names = leaks();
  for (const entry of held) if (entry.present()) entry.destroy();
  held.clear();
  if (names.length > 0) throw new Error(`left behind by the tests: ${names.join(', ')}`);
}
