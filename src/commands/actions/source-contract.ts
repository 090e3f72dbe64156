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

interface ContractOptions {
  readonly organisation?: string;
  readonly json?: boolean;
}

/** `source contract`. */
export async function sourceContract(name: string, options: ContractOptions): Promise<void> {
  const contract = await withContext(async ({ database }) =>
    contractOf({ database, registry }, await findSource(database, { name, organisation: options.organisation })),
  );
  if (options.json) printJson(contract);
  else for (const line of contractText(contract)) printLine(line);
}

/** `source receipt`. */
export async function sourceReceipt(
  name: string,
  options: ContractOptions & { readonly month: string },
): Promise<void> {
  const receipt = await withContext(async ({ database }) => {
    const source = await findSource(database, { name, organisation: options.organisation });
    return await receiptOf({ database, registry }, source, options.month);
  });
  if (options.json) printJson(receipt);
  else for (const line of receiptText(receipt)) printLine(line);
}

const seconds = (length: number): string => formatDuration(length * SECOND);

function contractText(contract: Contract): string[] {
  const { requests, quietHours, bytesInADay } = contract;
  return [
    `# What the bridge asks of ${contract.hosts.join(' and ')}`,
    '',
    `Source ${contract.source} of organisation ${contract.organisation}, platform ${contract.platform}.`,
    '',
    `- Requests: at most ${grouped(requests.inASecond)} in any second, ${requests.perSecond} a second on average, ${grouped(requests.inADay)} in a day, and ${requests.atATime} at a time. Polls, backfills, logins and checks count together.`,
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
  'quiet-hours': 'requests in quiet hours',
};

function receiptText(receipt: Receipt): string[] {
  const { busiestHour, broken } = receipt;
  return [
    `# What the bridge asked in ${receipt.month}`,
    '',
    `Source ${receipt.name} of organisation ${receipt.organisation}, from ${receipt.from} to ${receipt.to}, against the pace of today.`,
    '',
    `- Requests: ${grouped(receipt.requests)}, ${grouped(receipt.requestsInADay)} a day; those of windows, without looks for sensors and checks.`,
    `- Bytes: ${formatBytes(receipt.bytes)}.`,
    `- Windows: ${grouped(receipt.windows)}, ${grouped(receipt.failures)} of them with a fault; ${grouped(receipt.readings)} readings.`,
    busiestHour === null
      ? '- Busiest hour: none.'
      : `- Busiest hour: ${busiestHour.hour} with ${grouped(busiestHour.requests)} requests of ${grouped(busiestHour.allowed)} allowed.`,
    `- Busiest second: requests are not kept by the second; the pace lets no second have more than ${grouped(receipt.busiestSecondAtMost)}.`,
    broken.length === 0 ? '- The promise was kept in each hour.' : '- The promise was not kept in:',
    ...broken.map(
      ({ hour, what, requests, allowed }) =>
        `  - ${hour}: ${BROKEN[what]}, ${grouped(requests)} instead of ${grouped(allowed)}`,
    ),
  ];
}
