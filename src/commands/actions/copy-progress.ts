import { formatBytes } from '../../core/bytes.ts';
import { counted } from '../../core/counted.ts';
import type { CopyState } from '../../database/backup/back-up.ts';
import { SILENT, startProgress } from '../../terminal/progress.ts';
import type { TaskState } from '../../terminal/progress.ts';

/** A bar on a terminal, and nothing elsewhere. */
export function startCopyProgress(json: boolean): {
  readonly update: (state: CopyState) => void;
  readonly stop: () => void;
} {
  const progress = json || !process.stderr.isTTY ? SILENT : startProgress({ share: 0, facts: [] });
  return {
    update: (state) => progress.update(taskState(state)),
    stop: () => progress.stop(),
  };
}

const taskState = ({ share, ...counts }: CopyState): TaskState => ({ share, facts: countsInWords(counts) });

/** `28 tables`, `1,234 rows`, `4.5 MB`. */
export const countsInWords = ({ tables, rows, bytes }: Omit<CopyState, 'share'>): string[] => [
  counted(tables, 'table'),
  counted(rows, 'row'),
  formatBytes(bytes),
];
