/** An amount of data in decimal units: `12 B`, `3.4 MB`, `1.2 GB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let amount = bytes;
  for (; amount >= 1000 && unit < units.length - 1; unit += 1) amount /= 1000;
  return `${unit === 0 ? amount : amount.toFixed(1)} ${units[unit]}`;
}
