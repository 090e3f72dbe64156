/**
 * SQL for the next due instant of a row of `source`. It lies on the source's own grid (phase + n × every), so that due times
 * stay spread over the interval and a single poll follows any number of missed ones. core/schedule.ts has the same
 * arithmetic and its tests.
 */
export const NEXT_DUE = `at_instant(((instant_of(now()) - source.phase_us) / source.every_us + 1) * source.every_us + source.phase_us)`;

/** SQL for how long work is left to the queue: then it is due again, because a lost queue loses its jobs. The claim of a poll sets the next due time. */
export const DISPATCHED_FOR = "interval '15 s'";
