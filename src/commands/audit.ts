import type { Command } from 'commander';
import { listAudit } from '../access/audit.ts';
import { formatInstant } from '../core/instant.ts';
import { withContext } from '../context.ts';
import { printJson, printLine, table } from '../terminal/output.ts';
import { short } from '../terminal/words.ts';
import { wholeNumberUpTo } from './options.ts';

const MOST = 10_000;
const DETAIL_LENGTH = 80;

export function addAudit(program: Command): void {
  const audit = program.command('audit').description('who changed what, and when');
  audit
    .command('list')
    .description('list changes, the newest first')
    .option('--limit <number>', `entries shown, at most ${MOST}`, wholeNumberUpTo(MOST), 50)
    .option(
      '--before <id>',
      'only entries before this one, for the next page',
      wholeNumberUpTo(Number.MAX_SAFE_INTEGER),
    )
    .option('--json', 'print JSON, with all details')
    .addHelpText(
      'after',
      '\nExamples:\n  $ databridge audit list\n  $ databridge audit list --limit 1000 --before 4711 --json',
    )
    .action(async ({ limit, before, ...options }: { limit: number; before?: number; json?: boolean }) => {
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
