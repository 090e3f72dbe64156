import { withContext } from '../../context.ts';
import { platforms } from '../../context-platforms.ts';
import { requestsByHost } from '../../source/host-requests.ts';
import { printJson, printLine, printList } from '../../terminal/output.ts';
import { grouped } from '../../terminal/words.ts';

/** `source requests`. */
export async function sourceRequests(options: { json?: boolean }): Promise<void> {
  const hosts = await withContext(({ database, settings }) =>
    requestsByHost(database, { listed: platforms, paces: settings.egress.hostPaces }),
  );
  if (options.json) printJson(hosts);
  else if (hosts.length === 0) printLine('no sources yet; databridge source apply FILE creates one');
  else {
    const cells = hosts.map(({ host, sources, all, fullestMinute, fullestSecond, allowed, share, failed }) => [
      host,
      sources.length,
      all,
      fullestMinute,
      fullestSecond,
      allowed,
      share === null ? null : `${grouped(Math.round(share * 100))} %`,
      failed,
    ]);
    printList(['host', 'sources', 'hour', 'min', 'sec', 'allowed', 'share', 'failed'], cells, {
      noun: ['host'],
    });
    for (const { host, advice } of hosts) if (advice !== null) printLine(`${host}: ${advice}`);
  }
}
