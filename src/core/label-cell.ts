/** Labels in one cell of CSV, joined by `;`. In a label, `\;` stands for `;` and `\\` for `\`. */
export const labelsCell = (labels: readonly string[]): string =>
  labels.map((label) => label.replaceAll(/[\\;]/g, String.raw`\$&`)).join(';');

/** The labels of a cell that `labelsCell` wrote. A `\` before any other character is itself. */
export const labelsIn = (cell: string): string[] =>
  Array.from(cell.matchAll(/(?:^|;)((?:\\[\\;]|[^;])*)/g), ([, label = '']) => label.replaceAll(/\\([\\;])/g, '$1'));
