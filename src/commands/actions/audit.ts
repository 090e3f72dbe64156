import { listAudit, olderAudit } from '../../access/audit.ts';
import { counted } from '../../core/counted.ts';
import { formatInstant } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { printJson, printLine, printTable } from '../../terminal/output.ts';
import { short } from '../../terminal/words.ts';

const DETAIL_LENGTH = 80;

/** `audit list`. */
export async function auditList({
  limit,
  before,
  ...options
}: {
  limit: number;
  before?: number;
  json?: boolean;
}): Promise<void> {
  const { entries, older } = await withContext({ patient: false }, async ({ database }) => {
    const newest = await listAudit(database, { limit, before });
    return { entries: newest, older: await olderAudit(database, newest.at(-1)?.id ?? 0) };
  });
  if (options.json) printJson(entries.map((entry) => ({ ...entry, at: formatInstant(entry.at) })));
  else if (entries.length === 0) printLine('no changes');
  else {
    const cells = entries.map(({ id, at, actor, action, subject, detail }) => [
      id,
      formatInstant(at),
      actor,
      action,
      subject,
      short(JSON.stringify(detail).replaceAll(',"', ', "'), DETAIL_LENGTH),
    ]);
    printTable(['id', 'at', 'actor', 'action', 'subject', 'detail'], cells);
    if (older > 0)
      printLine(`\n${counted(older, 'older change')} not shown (--limit, or --before ${entries.at(-1)?.id})`);
  }
}
