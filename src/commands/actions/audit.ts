import { listAudit } from '../../access/audit.ts';
import { formatInstant } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { printJson, printLine, table } from '../../terminal/output.ts';
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
  const entries = await withContext({ patient: false }, ({ database }) => listAudit(database, { limit, before }));
  if (options.json) printJson(entries.map((entry) => ({ ...entry, at: formatInstant(entry.at) })));
  else if (entries.length === 0) printLine('no changes');
  else {
    const cells = entries.map(({ id, at, actor, action, subject, detail }) => [
      id,
      formatInstant(at),
      actor,
      action,
      subject,
      short(JSON.stringify(detail), DETAIL_LENGTH),
    ]);
    printLine(table(['id', 'at', 'actor', 'action', 'subject', 'detail'], cells));
  }
}
