import { instantOrNull } from './instant.ts';
import type { Instant } from './instant.ts';
import { REFUSALS } from './reading.ts';
import type { RefusalReason } from './reading.ts';
import { remedyOf } from './refusal-remedies.ts';
import type { RemedyReader } from './refusal-remedies.ts';

/** The refusals that an operator asks for; an undefined bound, sensor or reason leaves none out. */
export interface RefusalChoice {
  readonly reason?: RefusalReason | undefined;
  /** The name that the platform, or the sender of a push, gives it. */
  readonly sensor?: string | undefined;
  readonly from?: Instant | undefined;
  /** The first instant after the wanted ones. */
  readonly to?: Instant | undefined;
  /** The `placeOfVariable` of the last variable of the page before. */
  readonly after?: readonly string[] | undefined;
}

/** Refused points: how many, and the instants of the first and the last one. */
export interface ReasonSum {
  readonly reason: RefusalReason;
  readonly refused: number;
  /** Number of variables that they are of. */
  readonly series: number;
  /** Null where no point has an instant that could be read. */
  readonly first: Instant | null;
  readonly last: Instant | null;
}

/** A refused point with its value as text, shortened. */
export interface ShownRefusal {
  readonly sensor: string;
  readonly variable: string;
  readonly at: Instant | null;
  readonly raw: string;
}

/** The refused points of one variable and reason. */
export interface RefusalSum extends Omit<ReasonSum, 'series'> {
  readonly sensor: string;
  readonly variable: string;
  /** A few of them, spread over time. */
  readonly examples: readonly Pick<ShownRefusal, 'at' | 'raw'>[];
}

/** Where a variable stands among those with refused points, which begin with the most points. */
export const placeOfVariable = ({
  refused,
  project = '',
  reason,
  sensor,
  variable,
}: Pick<RefusalSum, 'refused' | 'reason' | 'sensor' | 'variable'> & Partial<OfProject>): readonly string[] => [
  String(refused),
  project,
  reason,
  sensor,
  variable,
];

/** The code of the project that a refused push was sent to. */
export interface OfProject {
  readonly project: string;
}

/** Refused points by variable and by reason. */
export interface RefusalSums {
  readonly series: readonly (RefusalSum & Partial<OfProject>)[];
  readonly reasons: readonly ReasonSum[];
}

/** Refused points as a JSON document, with each instant as text, and the remedies for the reader. */
export const refusalsDocument = ({ series, reasons }: RefusalSums, reader: RemedyReader) => ({
  reasons: reasons.map((sum) => ({
    ...sum,
    first: instantOrNull(sum.first),
    last: instantOrNull(sum.last),
    meaning: REFUSALS[sum.reason],
    remedy: remedyOf(sum.reason, reader),
  })),
  series: series.map((sum) => ({
    ...sum,
    first: instantOrNull(sum.first),
    last: instantOrNull(sum.last),
    examples: sum.examples.map(({ at, raw }) => ({ at: instantOrNull(at), raw })),
  })),
});
