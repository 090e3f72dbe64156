/**
 * What a platform says about a value, translated to one scale. Platforms that say nothing give no quality, and their
 * readings no precision.
 */
export type Quality = 'good' | 'uncertain' | 'substituted' | 'bad';

/**
 * Quality → precision 0..100 (decisions: normalising). `bad` has a precision only where the source keeps bad data.
 */
export const PRECISION: Readonly<Record<Quality, number>> = { good: 100, substituted: 75, uncertain: 50, bad: 0 };
