/** How many requests are wanted over all routes; undefined in an ordinary run of the tests. */
const WANTED = process.env['DATABRIDGE_FUZZ'];

/** Requests of an ordinary run for each part. An operator's request costs as much as ten of most others. */
const USUAL = { data: 25_000, token: 11_000, operator: 5_000, push: 9_000 } as const;
const ALL = Object.values(USUAL).reduce((sum, share) => sum + share, 0);

/** The requests of a part of the fuzz, in whole rounds. */
export const requestsOf = (part: keyof typeof USUAL, round: number): number =>
  Math.ceil((USUAL[part] * (WANTED === undefined ? 1 : Number(WANTED) / ALL)) / round) * round;

/**
 * An ordinary run draws the same requests each time, but for the ids that the servers make: it judges the change that is to land, and a
 * request that fails by the luck of the draw would blame the wrong one. A soak draws new ones, and its report names the seed.
 */
export const FUZZ_SEED = Number(
  process.env['DATABRIDGE_FUZZ_SEED'] ?? (WANTED === undefined ? 20_261_122 : Math.floor(Math.random() * 2 ** 31)),
);
