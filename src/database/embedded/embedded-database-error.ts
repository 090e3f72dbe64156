/** What an operator can always do instead of repairing the embedded server. */
export const OWN_SERVER = 'set DATABASE_URL to a PostgreSQL server of your own';

/**
 * The embedded PostgreSQL cannot be had. `message` says what happened (with the end of the server's log where there is
 * one), `remedy` what a person can do about it. Never holds the password.
 */
export class EmbeddedDatabaseError extends Error {
  override readonly name = 'EmbeddedDatabaseError';
  readonly remedy: string;

  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}
