import { z } from 'zod';

const refusal = z.object({ Error: z.string().optional(), Reason: z.string().optional() });

/** The words of an error: `{OperationId, Error, Reason, Resolution, Parameters}`. */
export function platformRefusal(data: unknown): string {
  const { Error: error, Reason } = refusal.safeParse(data).data ?? {};
  return (Reason ?? error ?? 'it gave no reason').slice(0, 500);
}
