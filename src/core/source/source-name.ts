/** The organisation of sources and projects that name none. */
export const DEFAULT_ORGANISATION = 'default';

/** The key of a source. Names are unique in their organisation only. */
export interface SourceName {
  readonly name: string;
  readonly organisation: string;
}

/** A source in words: its name, with its organisation in front unless that is the default one. No name holds a `/`. */
export const titleOf = ({ name, organisation }: SourceName): string =>
  organisation === DEFAULT_ORGANISATION ? name : `${organisation}/${name}`;

/** The arguments by which a command on one source finds it. */
export const argumentsOf = ({ name, organisation }: SourceName): string =>
  organisation === DEFAULT_ORGANISATION ? name : `${name} --organisation ${organisation}`;
