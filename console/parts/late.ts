import { useEffect, useState } from 'preact/hooks';

/** An answer that is not there by then is late, ms: most take a moment, and an operator begins to wonder. */
const LATE_MS = 8_000;

/** Whether something is awaited and late; `turn` begins the waiting anew. */
export function useLate(isAwaited: boolean, turn = 0): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    const timer = isAwaited ? setTimeout(() => setLate(true), LATE_MS) : undefined;
    return () => clearTimeout(timer);
  }, [isAwaited, turn]);
  return isAwaited && isLate;
}
