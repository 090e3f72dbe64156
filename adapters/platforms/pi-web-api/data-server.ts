import { z } from 'zod';
import { BridgeError, configInvalid, rightMissing } from '../../../src/core/errors.ts';
import { answer } from '../../../src/platform/answer.ts';
import type { Http } from '../../../src/platform/contract.ts';
import type { PiOptions } from './options.ts';

export interface DataServer {
  readonly name: string;
  readonly webId: string;
}

const serverList = z.object({ Items: z.array(z.object({ Name: z.string().min(1), WebId: z.string().min(1) })) });

/** The data servers that the credentials may see: the question that only PI Web API answers. */
async function dataServers(http: Http): Promise<readonly DataServer[]> {
  const { status, data } = await http.get<unknown>('/dataservers', {
    params: { selectedFields: 'Items.Name;Items.WebId' },
    expect: [404],
  });
  if (status === 404) {
    throw new BridgeError({ code: 'contract-broken' }, 'this is not PI Web API: it has no data servers', {
      remedy: 'check connection.url: the address of PI Web API usually ends in /piwebapi',
    });
  }
  const { Items } = answer(serverList, data, 'this is not PI Web API: its data servers');
  return Items.map(({ Name, WebId }) => ({ name: Name, webId: WebId }));
}

/** The data server of the source. */
export async function dataServerOf(http: Http, { dataServer }: PiOptions): Promise<DataServer> {
  const servers = await dataServers(http);
  const names = servers.map(({ name }) => name).join(', ');
  if (servers.length === 0) {
    throw rightMissing(
      'PI Web API shows no data server',
      'let the administrator of the PI system map the user or client of this source to an identity that may read points',
    );
  }
  const chosen = servers.filter(
    ({ name }) => dataServer === undefined || name.toLowerCase() === dataServer.toLowerCase(),
  );
  const [server] = chosen;
  if (server !== undefined && chosen.length === 1) return server;
  throw configInvalid(
    server === undefined ? `there is no data server ${dataServer}` : 'PI Web API shows several data servers',
    `set options.dataServer to one of: ${names}`,
    'options.dataServer',
  );
}

/** Throws `credentials-rejected {right}` where the credentials may read nothing at all, and not one point only. */
export async function expectSomeRight(http: Http): Promise<void> {
  await dataServers(http);
}
