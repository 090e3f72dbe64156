import { texts } from '../texts.ts';

/** The name of a reason for which points are refused. */
export const reasonOf = (reason: string): string => texts.reasons[reason as keyof typeof texts.reasons] ?? reason;
