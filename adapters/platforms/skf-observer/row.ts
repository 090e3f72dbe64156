import { z } from 'zod';

/** The values of one row. Names are in lower case, see answer.ts. */
export const measurements = z.array(
  z.object({ channelname: z.string(), direction: z.string().nullish(), level: z.unknown() }),
);

/** Channel and direction are words of the installation, in its language. `Speed` is that of the machine. */
export function variablesOf(row: {
  readonly speed?: unknown;
  readonly measurements: z.output<typeof measurements>;
}): (readonly [variable: string, value: unknown])[] {
  const speed: (readonly [string, unknown])[] = row.speed === undefined ? [] : [['Speed', row.speed]];
  const levels = row.measurements.map(
    ({ channelname, direction, level }) => [[channelname, direction].filter(Boolean).join(' '), level] as const,
  );
  return [...speed, ...levels];
}
