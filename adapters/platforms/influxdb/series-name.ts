/** A series of InfluxDB: its measurement, and its tags that have a value, in any order. */
export interface Series {
  readonly measurement: string;
  readonly tags: readonly (readonly [key: string, value: string])[];
}

/**
 * A series as one text: `temperature,hall=3,line=paint shop`. Tags are sorted by key (code units). `\`, `,` and `=`
 * inside a name or value are written `\\`, `\,` and `\=`, control characters `\u{7}`; nothing else is escaped, so
 * two series never share a text. InfluxDB's own series key leaves backslashes as they are and is ambiguous.
 */
export function seriesName({ measurement, tags }: Series): string {
  const sorted = tags.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return [escape(measurement), ...sorted.map(([key, value]) => `${escape(key)}=${escape(value)}`)].join(',');
}

/** The reverse of `seriesName`; undefined where the text is not the name of a series. */
export function parseSeriesName(name: string): Series | undefined {
  const [measurement, ...tags] = splitAt(name, ',').map((part) => splitAt(part, '=').map(unescape));
  if (measurement?.length !== 1 || tags.some((tag) => tag.length !== 2)) return undefined;
  return { measurement: measurement[0] as string, tags: tags as [string, string][] };
}

/**
 * A row of SHOW SERIES as a series. InfluxDB puts a backslash before `,` and space in names and before `=` in tags, and
 * leaves every other backslash alone. No name ends in a backslash, because line protocol cannot write it [ran].
 */
export function parseSeriesKey(key: string): Series {
  const [measurement = '', ...tags] = key.split(/(?<!\\),/);
  return {
    measurement: measurement.replaceAll(/\\([, ])/g, '$1'),
    tags: tags.map((tag) => {
      const [name = '', value = ''] = tag.split(/(?<!\\)=(.*)/su).map((part) => part.replaceAll(/\\([,= ])/g, '$1'));
      return [name, value];
    }),
  };
}

/** Text as part of a series name. */
export const escape = (text: string): string =>
  text
    .replaceAll(/[\\,=]/g, '\\$&')
    .replaceAll(/\p{Cc}/gu, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);

/** The reverse of `escape`. */
export const unescape = (text: string): string =>
  text.replaceAll(/\\(?:u\{([0-9a-f]+)\}|(.))/gsu, (_match, code: string | undefined, character: string) =>
    code === undefined ? character : String.fromCodePoint(Number.parseInt(code, 16)),
  );

function splitAt(text: string, separator: string): string[] {
  const parts: string[] = [];
  let from = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === separator) {
      parts.push(text.slice(from, index));
      from = index + 1;
    }
  }
  return [...parts, text.slice(from)];
}
