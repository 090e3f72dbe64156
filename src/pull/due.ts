/**
 * The next due instant of a row of `source`, as SQL. It lies on the source's own grid (phase + n × every): due times
 * stay spread over the interval, and however many ticks were missed, one poll follows. The same arithmetic as
 * core/schedule.ts, where it is tested.
 */
export const NEXT_DUE = `at_instant(((instant_of(now()) - source.phase_us) / source.every_us + 1) * source.every_us + source.phase_us)`;
