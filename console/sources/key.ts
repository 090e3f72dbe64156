/** A source in links and selections. */
export const keyOfSource = ({ organisation, name }: { readonly organisation: string; readonly name: string }): string =>
  `${organisation}/${name}`;
