import type { Command } from 'commander';
import { listAudit } from '../access/audit.ts';
import { configInvalid } from '../core/errors.ts';
import { formatInstant } from '../core/instant.ts';
import { withContext } from '../context.ts';
import { printJson, printLine, table } from '../terminal/output.ts';
import { short } from '../terminal/words.ts';

const MOST = 10_000;
const DETAIL_LENGTH = 80;

export function addAudit(program: Command): void {
  const audit = program.command('audit').description('who changed what, and when');
  audit
    .command('list')
    .description('list changes, the newest first')
    .option('--limit <count>', 'how many', '50')
    .option('--before <id>', 'only those before this entry: the next page')
    .option('--json', 'print JSON, with all details')
    .addHelpText(
      'after',
      '\nExamples:\n  $ databridge audit list\n  $ databridge audit list --limit 1000 --before 4711 --json',
    )
    .action(async (options: { limit: string; before?: string; json?: boolean }) => {
      const limit = countOf(options.limit, '--limit', MOST);
      const before =
        options.before === undefined ? undefined : countOf(options.before, '--before', Number.MAX_SAFE_INTEGER);
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
    });
}

function countOf(text: string, option: string, most: number): number {
  const count = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (count >= 1 && count <= most) return count;
  throw configInvalid(`${option} ${JSON.stringify(text)} is not a count`, `use 1 to ${most}`, option);
}
