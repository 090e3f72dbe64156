/** The remedy that always works: another server instead of the embedded one. */
export const OWN_SERVER = 'set DATABASE_URL to a PostgreSQL server of your own';

/**
 * The embedded PostgreSQL cannot be used. `message` describes the fault, with the end of the server's log where there is a
 * log; `remedy` tells an operator how to repair it. Neither holds the password.
 */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}
