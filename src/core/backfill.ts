/**
 * The time that a backfill asks for. `missing`: what is not covered; `failed`: what could not be read; `refused`: the hours of which
 * points were refused; `all`: covered time, too, so that revised values replace the old ones.
 */
export const KINDS_OF_BACKFILL = ['missing', 'failed', 'refused', 'all'] as const;
export type KindOfBackfill = (typeof KINDS_OF_BACKFILL)[number];

/** `running` also while it waits; `paused` by an operator. */
export const STATES_OF_BACKFILL = ['running', 'paused', 'done', 'cancelled'] as const;
