/** A field of a pushed reading. */
export type Field = 'sensorId' | 'valueName' | 'date' | 'value' | 'precision' | 'labels';

/** At most this many unknown fields are named; all of them are counted. */
export const UNKNOWN_LISTED = 20;

/** Characters of a name that is listed. */
const LONGEST_LISTED = 128;

/** The fields of a reading. */
export const FIELDS: ReadonlySet<string> = new Set<Field>([
  'sensorId',
  'valueName',
  'date',
  'value',
  'precision',
  'labels',
]);

/** A name without what typing errors change: case, blanks, `_` and `-`. */
const plain = (name: string): string => name.replaceAll(/[\s_-]/g, '').toLowerCase();

const PLAIN_FIELDS: ReadonlySet<string> = new Set([...FIELDS].map(plain));

/** Longer names are no typing errors. */
const LONGEST_MISSPELT = 32;

const isMisspelt = (name: string): boolean => name.length <= LONGEST_MISSPELT && PLAIN_FIELDS.has(plain(name));

/** The fields of a body that no reading has. */
export function otherFields(): {
  /** Counts the unknown fields of an element. @returns a field that is one of a reading, but for case, blanks, `_` and `-` */
  misspeltIn(element: object): string | undefined;
  unknown(): { readonly unknownFields: number; readonly unknownFieldNames: readonly string[] };
} {
  /** Names that were looked at; many elements have the same. */
  const names = new Set<string>();
  let unknownFields = 0;
  return {
    misspeltIn(element) {
      let misspelt: string | undefined;
      for (const name in element) {
        if (FIELDS.has(name)) continue;
        if (!names.has(name) && isMisspelt(name)) {
          misspelt ??= name;
          continue;
        }
        unknownFields += 1;
        if (names.size < UNKNOWN_LISTED) names.add(name);
      }
      return misspelt;
    },
    unknown: () => ({ unknownFields, unknownFieldNames: [...names].map((name) => name.slice(0, LONGEST_LISTED)) }),
  };
}
