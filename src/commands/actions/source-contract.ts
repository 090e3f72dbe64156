import { formatBytes } from '../../core/bytes.ts';
import { formatDuration } from '../../core/duration.ts';
import { SECOND } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { registry } from '../../context-registry.ts';
import { contractOf, receiptOf } from '../../source/contract.ts';
import type { BrokenHour, Contract, Receipt } from '../../source/contract.ts';
import { findSource } from '../../source/find-source.ts';
import { printJson, printLine } from '../../terminal/output.ts';
import { grouped } from '../../terminal/words.ts';

export interface ContractOptions {
  readonly organisation?: string;
  readonly json?: boolean;
}

export interface ReceiptOptions extends ContractOptions {
  readonly month: string;
}

/** `source contract`. */
export async function sourceContract(name: string, options: ContractOptions): Promise<void> {
  const contract = await withContext(async ({ database, settings }) =>
    contractOf(
      { database, registry },
      await findSource(database, { name, organisation: options.organisation }),
      settings.egress.hostPaces,
    ),
  );
  if (options.json) printJson(contract);
  else for (const line of contractText(contract)) printLine(line);
}

/** `source receipt`. */
export async function sourceReceipt(name: string, options: ReceiptOptions): Promise<void> {
  const receipt = await withContext(async ({ database }) => {
    const source = await findSource(database, { name, organisation: options.organisation });
    return await receiptOf({ database, registry }, source, options.month);
  });
  if (options.json) printJson(receipt);
  else for (const line of receiptText(receipt)) printLine(line);
}

const seconds = (length: number): string => formatDuration(length * SECOND);

/** A contract as Markdown. */
export function contractText(contract: Contract): string[] {
  const { requests, quietHours, bytesInADay } = contract;
  return [
    `# What the bridge asks of ${contract.hosts.join(' and ')}`,
    '',
    `Source ${contract.source} of organisation ${contract.organisation}, platform ${contract.platform}.`,
    '',
    `- Requests: at most ${grouped(requests.inASecond)} in any second, ${requests.perSecond} a second on average, ${grouped(requests.inADay)} in a day, and ${requests.atATime} at a time. Polls, backfills, logins and checks count together.`,
    ...contract.hostPaces.map(
      ({ host, perSecond }) =>
        `- ${host}: at most ${perSecond} a second from all sources of the bridge together, evenly spread.`,
    ),
    `- Schedule: every ${seconds(contract.everySeconds)}, windows of at most ${seconds(contract.longestWindowSeconds)}.`,
    ...(quietHours.length === 0 ? ['- Quiet hours: none.'] : []),
    ...quietHours.map(
      ({ from, to, zone, days }) =>
        `- Quiet hours: no request from ${from} to ${to} (${zone}${days === undefined ? '' : `, ${days.join(', ')}`}).`,
    ),
    `- Silence: a 429, a 503 or Retry-After is kept, up to ${seconds(contract.longestSilenceSeconds)}; afterwards the platform is asked more slowly.`,
    `- Bytes: no limit is agreed${bytesInADay === null ? '' : `; ${formatBytes(bytesInADay)} a day on average over the last seven`}.`,
    `- Credentials: ${contract.credentials.map(({ field, value }) => (value === null ? `${field} (secret)` : `${field} ${value}`)).join(', ') || 'none'}. A refused password is sent twice at most.`,
  ];
}

const BROKEN: Readonly<Record<BrokenHour['what'], string>> = {
  rate: 'more requests than the pace allows',
  minute: 'more requests in this minute than the pace allows',
  second: 'more requests in a second of this minute than the pace allows',
  'quiet-hours': 'requests in quiet hours',
};

/** A receipt as Markdown. */
export function receiptText(receipt: Receipt): string[] {
  const { busiestHour, busiestMinute, busiestSecond, broken, kinds, countedFrom } = receipt;
  return [
    `# What the bridge asked in ${receipt.month}`,
    '',
    `Source ${receipt.name} of organisation ${receipt.organisation}, from ${receipt.from} to ${receipt.to}, against the pace of today.`,
    '',
    `- Requests: ${grouped(receipt.requests)}, ${grouped(receipt.requestsInADay)} a day.`,
    countedFrom === null
      ? '- Counted: each request, in the hour and minute of its slot.'
      : `- Counted: from ${countedFrom} on each request, in the hour and minute of its slot. Before, only those of windows that were stored, in the hour in which the window was begun: a window of history that took longer counts in that hour as a whole.`,
    ...(kinds === null
      ? []
      : [
          `- Of the counted ones: ${grouped(kinds.live)} of polls, ${grouped(kinds.history)} of history, ${grouped(kinds.look)} of looks for sensors and checks, ${grouped(kinds.login)} of logins; ${grouped(kinds.failed)} of all failed.`,
        ]),
    `- Bytes: ${formatBytes(receipt.bytes)}.`,
    `- Windows: ${grouped(receipt.windows)} with ${grouped(receipt.readings)} readings.`,
    busiestHour === null
      ? '- Busiest hour: none.'
      : `- Busiest hour: ${busiestHour.hour} with ${grouped(busiestHour.requests)} requests of ${grouped(busiestHour.allowed)} allowed.`,
    busiestMinute === null
      ? '- Busiest minute: none was counted.'
      : `- Busiest minute${countedFrom === null ? '' : ` since ${countedFrom}`}: ${busiestMinute.minute} with ${grouped(busiestMinute.requests)} requests of ${grouped(busiestMinute.allowed)} allowed.`,
    busiestSecond === null
      ? '- Busiest second: none was counted.'
      : `- Busiest second: one in the minute ${busiestSecond.minute} with ${grouped(busiestSecond.requests)} requests of ${grouped(busiestSecond.allowed)} allowed.`,
    broken.length === 0 ? '- The promise was kept in each hour.' : '- The promise was not kept in:',
    ...broken.map(
      ({ hour, what, requests, allowed }) =>
        `  - ${hour}: ${BROKEN[what]}, ${grouped(requests)} instead of ${grouped(allowed)}`,
    ),
  ];
}
