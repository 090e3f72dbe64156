import { withContext } from '../../context.ts';
import { platforms } from '../../context-platforms.ts';
import { requestsByHost } from '../../source/host-requests.ts';
import { printJson, printLine, printList } from '../../terminal/output.ts';
import { grouped } from '../../terminal/words.ts';

/** `source requests`. */
export async function sourceRequests(options: { json?: boolean }): Promise<void> {
  const hosts = await withContext(({ database }) => requestsByHost(database, platforms));
  if (options.json) printJson(hosts);
  else if (hosts.length === 0) printLine('no sources yet; databridge source apply FILE creates one');
  else {
    const cells = hosts.map(({ host, sources, all, fullestMinute, allowed, share, failed }) => [
      host,
      sources.length,
      all,
      fullestMinute,
      allowed,
      share === null ? null : `${grouped(Math.round(share * 100))} %`,
      failed,
    ]);
    printList(['host', 'sources', 'last hour', 'minute', 'allowed', 'share', 'failed'], cells, { noun: ['host'] });
  }
}
