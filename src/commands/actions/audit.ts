import { listAudit, olderAudit } from '../../access/audit.ts';
import type { AuditChoice } from '../../access/audit.ts';
import { counted } from '../../core/counted.ts';
import { configInvalid } from '../../core/errors.ts';
import { formatInstant } from '../../core/instant.ts';
import type { Difference } from '../../core/source/difference.ts';
import { isMapping } from '../../core/source/path.ts';
import { withContext } from '../../context.ts';
import { printJson, printLine, printTable } from '../../terminal/output.ts';
import { short } from '../../terminal/words.ts';
import { parseTime } from '../options.ts';

interface AuditOptions extends Omit<AuditChoice, 'from' | 'to'> {
  readonly limit: number;
  readonly from?: string;
  readonly to?: string;
  readonly json?: boolean;
}

const DETAIL_LENGTH = 80;

/** `audit list`. */
export async function auditList({ limit, from, to, json, ...options }: AuditOptions): Promise<void> {
  const { source } = options;
  if (options.organisation !== undefined && source === undefined) {
    throw configInvalid('--organisation is that of a source', 'name the source with --source', '--organisation');
  }
  const { entries, older } = await withContext(async ({ database, clock }) => {
    const instant = (text: string | undefined, option: string) =>
      text === undefined ? undefined : parseTime(text, clock.now(), option);
    const choice = { ...options, from: instant(from, '--from'), to: instant(to, '--to') };
    const newest = await listAudit(database, { ...choice, limit });
    return { entries: newest, older: await olderAudit(database, choice, newest.at(-1)?.id ?? 0) };
  });
  if (json) printJson(entries.map((entry) => ({ ...entry, at: formatInstant(entry.at) })));
  else if (entries.length === 0) printLine(source === undefined ? 'no changes' : `no changes of a source ${source}`);
  else {
    const cells = entries.map(({ id, at, actor, action, subject, detail }) => [
      id,
      formatInstant(at),
      actor,
      action,
      subject,
      short(detailInWords(detail), DETAIL_LENGTH),
    ]);
    printTable(['id', 'at', 'actor', 'action', 'subject', 'detail'], cells);
    if (older > 0)
      printLine(`\n${counted(older, 'older change')} not shown (--limit, or --before ${entries.at(-1)?.id})`);
  }
}

/** The changed fields of a source; for other changes everything that is recorded. */
function detailInWords(detail: unknown): string {
  const differences = isMapping(detail) ? detail['differences'] : undefined;
  if (!Array.isArray(differences) || differences.length === 0) return JSON.stringify(detail).replaceAll(',"', ', "');
  return (differences as Difference[])
    .map(({ path, before, after }) => `${path}: ${before ?? 'not set'} → ${after ?? 'not set'}`)
    .join(', ');
}
