/** The quality of a value as a platform writes it, such as `Good` or 192. */
export type Quality = string | number;

/**
 * The precision 0..100 that stands for each quality of a platform; by custom 100 for good, 75 for substituted and 50 for
 * uncertain. `refuse`: the value is bad, and becomes a reading, of precision 0, only where the source keeps bad data. A quality
 * that the table does not have is refused.
 */
export type QualityTable = Readonly<Record<Quality, number | 'refuse'>>;
