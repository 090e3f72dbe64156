/** A set that keeps the keys that were added last. */
export interface NewestKeys {
  add(key: string): void;
  has(key: string): boolean;
  delete(key: string): void;
}

/** Remembers at most `most` keys; the key that was added the longest time ago is forgotten first. */
export function newestKeys(most = 50_000): NewestKeys {
  const keys = new Set<string>();
  return {
    add(key) {
      keys.delete(key);
      if (keys.size >= most) keys.delete(keys.values().next().value ?? '');
      keys.add(key);
    },
    has: (key) => keys.has(key),
    delete: (key) => void keys.delete(key),
  };
}
