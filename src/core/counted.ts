/** A number with its noun: `1 source`, `1,002 sources`, `1 query`, `2 queries`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
