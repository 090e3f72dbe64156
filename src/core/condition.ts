/** The conditions of a source, the worst first, each with its meaning for an operator. */
export const CONDITIONS = {
  stopped: 'waits for an operator',
  failing: 'polls or the look for sensors failed, and are tried again; or every point of 24 hours was refused',
  behind: 'later than its schedule, without a fault',
  silent: 'polled in time, and a sensor has never given a reading, or none for much longer than it usually does',
  paused: 'by an operator',
  starting: 'its sensors are not known, or no poll has succeeded yet',
  well: 'as its schedule says, with readings of each sensor',
} as const;

/** One word for the state of a source. */
export type Condition = keyof typeof CONDITIONS;
