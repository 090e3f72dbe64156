/** Number of single-character slips (add, drop, replace, swap two neighbours) between two words. */
function slips(left: string, right: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      // Before the first letter there is undefined, which no letter equals.
      const swapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      current[column] = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforeLast[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    beforeLast = last;
    last = current;
  }
  return last[right.length] ?? 0;
}

/** Words are compared without case, spaces, `_` and `-`: `clientID`, `client_id` and `Client Id` are `clientId`. */
const simplified = (word: string): string => word.toLowerCase().replaceAll(/[\s_-]/g, '');

/** The choice an operator probably meant: the one with the fewest slips; undefined where none is near enough. */
export function nearest(word: string, choices: readonly string[]): string | undefined {
  const written = simplified(word);
  let best: string | undefined;
  let fewest = Math.max(1, Math.floor(written.length / 3)) + 1;
  // No letters are no slip. A word far longer than any choice is none either, and a comparison would cost the square of its length.
  if (written === '' || written.length > 64) return undefined;
  for (const choice of choices) {
    const found = slips(written, simplified(choice));
    if (found < fewest) [best, fewest] = [choice, found];
  }
  const begins = (long: string, short: string): boolean => short.length >= 3 && long.startsWith(short);
  return best ?? choices.find((choice) => begins(simplified(choice), written) || begins(written, simplified(choice)));
}

/** `did you mean "influxdb"? The platforms are: …`, the remedy for a word that is none of the choices. */
export function suggest(word: string, choices: readonly string[], listed: string): string {
  const meant = nearest(word, choices);
  const list = choices.length === 0 ? '' : `${listed}: ${choices.join(', ')}`;
  return meant === undefined ? list : `did you mean "${meant}"? ${list.charAt(0).toUpperCase()}${list.slice(1)}`;
}
