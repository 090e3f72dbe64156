/** Every point of a measurement in `[fromUs, toUs)`, microseconds since 1970. */
export interface Select {
  readonly verb: 'SELECT';
  readonly database: string;
  readonly measurement: string;
  readonly fromUs: number;
  readonly toUs: number;
}

export type Statement =
  | Select
  | {
      readonly verb: 'RETENTION POLICIES' | 'MEASUREMENTS' | 'FIELD KEYS' | 'SERIES';
      readonly database: string;
      /** Empty: all. */
      readonly measurements: readonly string[];
      readonly limit: number | undefined;
    };

// Names without quotes and backslashes, and whole microseconds written as nanoseconds: nothing else is simulated.
const select =
  /^SELECT \* FROM "([^"\\]+)"\.(?:"autogen")?\."([^"\\]+)" WHERE time >= (\d+)000 AND time < (\d+)000 GROUP BY \* ORDER BY time ASC$/;
const show =
  /^SHOW (RETENTION POLICIES|MEASUREMENTS|FIELD KEYS|SERIES) ON "([^"\\]+)"(?: FROM ("[^"\\]+"(?:, "[^"\\]+")*))?(?: LIMIT (\d+))?$/;

/** A statement of InfluxQL as the bridge writes it, or the text itself if it is not known here. */
export function parseStatement(text: string): Statement | string {
  const [, database, measurement = '', from, to] = select.exec(text) ?? [];
  if (database !== undefined) {
    return { verb: 'SELECT', database, measurement, fromUs: Number(from), toUs: Number(to) };
  }
  const [, verb, on = '', names, limit] = show.exec(text) ?? [];
  if (verb === undefined) return text;
  return {
    verb: verb as Exclude<Statement['verb'], 'SELECT'>,
    database: on,
    measurements: names?.slice(1, -1).split('", "') ?? [],
    limit: limit === undefined ? undefined : Number(limit),
  };
}
