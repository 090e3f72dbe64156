export const FORMATS = ['ndjson', 'csv'] as const;

/** The format of a file of readings. */
export type Format = (typeof FORMATS)[number];
