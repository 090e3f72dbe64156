import { summaryOf, writtenChecklist } from './checklist.ts';
import type { Entry } from './checklist.ts';

// Prints how the bridge stands to OWASP ASVS 5.0.0, levels 1 and 2.

const { counts, open } = summaryOf(writtenChecklist() as Entry[]);
const lines = open.map(({ id, words, open: missing }) => `${id.padEnd(8)}${words}\n        missing: ${missing}`);
process.stdout.write(`${[...lines, counts].join('\n')}\n`);
