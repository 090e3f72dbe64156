/**
 * The quality a platform gives a value, translated to one scale. Readings of a platform without qualities have no
 * precision.
 */
export type Quality = 'good' | 'uncertain' | 'substituted' | 'bad';

/**
 * Quality → precision 0..100 (decisions: normalising). `bad` has a precision only where the source keeps bad data.
 */
export const PRECISION: Readonly<Record<Quality, number>> = { good: 100, substituted: 75, uncertain: 50, bad: 0 };
