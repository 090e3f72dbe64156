/** What became of the points of one hour of a source. */
export interface HourOfPoints {
  /** Hours since the present one: 0 for that. */
  readonly age: number;
  readonly points: number;
  /** Those of `points` that were refused. */
  readonly refused: number;
}

/** Hours besides the present one that are looked at: a sensor that gives points once a day is seen in each of them. */
export const HOURS_OF_REFUSALS = 24;

/** The span is this many whole hours at least, because the present hour has only begun. */
const FEWEST_HOURS = 2;
/** The share of fewer points depends on chance, so the span goes back until it holds as many. */
const ENOUGH_POINTS = 200;
/** Fewer refused points are told by `source refusals` only. */
const FEWEST_REFUSED = 10;
/** What is told goes on until this part of both limits, so that a share about the limit is not told again and again. */
const GOES_ON = 1 / 2;

/**
 * THE rule of refusals: the share of the points that were refused, where it is worth an alert. It is that of the newest two whole hours and
 * the present one, and of as many hours before them as make it 200 points, a day at most: slow sensors give few in an hour. Where all sensors
 * of a source give points at a steady rhythm of at most a day, the answer does not change with the hour.
 * @param share more than this is told, 0..1
 * @param isTold it was told before, and goes on until half of the limits
 * @returns the refused part of the points, 0..1; undefined where it is not worth an alert
 */
export function refusedShare(
  hours: readonly HourOfPoints[],
  { share, isTold }: { readonly share: number; readonly isTold: boolean },
): number | undefined {
  let [points, refused] = [0, 0];
  for (const hour of hours.toSorted((one, other) => one.age - other.age)) {
    // All hours up to this one, also those without points, belong to the span.
    if (hour.age > FEWEST_HOURS && points >= ENOUGH_POINTS) break;
    if (hour.age > HOURS_OF_REFUSALS) break;
    points += hour.points;
    refused += hour.refused;
  }
  const least = isTold ? GOES_ON : 1;
  return refused >= least * FEWEST_REFUSED && refused > least * share * points ? refused / points : undefined;
}

const STEPS = [0.98, 0.95, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01];

/** `more than 30 %`: in steps, because each change of the text of an alert is a write. */
export function shareInWords(share: number): string {
  if (share >= 1) return 'all';
  const step = STEPS.find((one) => share > one);
  return step === undefined ? 'some' : `more than ${Math.round(100 * step)} %`;
}
