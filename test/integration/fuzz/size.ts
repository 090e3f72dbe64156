/** How many requests are wanted over all routes; undefined in an ordinary run of the tests. */
const WANTED = process.env['DATABRIDGE_FUZZ'];

/**
 * Requests of an ordinary run for each part. It draws the same ones each time, so more of them only cost more: a new fault is the soak's
 * to find. An operator's request costs as much as ten of most others.
 */
const USUAL = { data: 5_000, token: 2_500, operator: 5_000, push: 2_500 } as const;

/** The share of each part in a soak. */
const SHARES = { data: 0.5, token: 0.22, operator: 0.1, push: 0.18 } as const;

/** The requests of a part of the fuzz, in whole rounds. */
export const requestsOf = (part: keyof typeof USUAL, round: number): number =>
  Math.ceil((WANTED === undefined ? USUAL[part] : SHARES[part] * Number(WANTED)) / round) * round;

/**
 * An ordinary run draws the same requests each time, but for the ids that the servers make: it judges the change that is to land, and a
 * request that fails by the luck of the draw would blame the wrong one. A soak draws new ones, and its report names the seed.
 */
export const FUZZ_SEED = Number(
  process.env['DATABRIDGE_FUZZ_SEED'] ?? (WANTED === undefined ? 20_261_122 : Math.floor(Math.random() * 2 ** 31)),
);
