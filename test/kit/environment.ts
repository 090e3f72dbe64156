let outside: NodeJS.ProcessEnv | undefined;

/**
 * The environment of the tests, also while a command runs in this process with another one. A new process is given this one:
 * tests run beside each other, and it would keep the settings of the other test's bridge.
 */
export const testEnvironment = (): NodeJS.ProcessEnv => outside ?? process.env;

/** Gives this process another environment until the returned function is called; one at a time. */
export function enterEnvironment(environment: NodeJS.ProcessEnv): () => void {
  const before = process.env;
  outside = before;
  process.env = environment;
  return () => {
    process.env = before;
    outside = undefined;
  };
}
