import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Certificate, makeCertificate } from './certificate.ts';
import { freePort } from './free-port.ts';
import { type InfluxClient, influxClient, type InfluxUser, quoteName, quoteText } from './influx-client.ts';
import { type Server, startServer } from './server.ts';

export interface InfluxOptions {
  /** Created at start; the reader may read each of them and nothing else. Default `['plant']`. */
  readonly databases?: readonly string[];
  /** `[http] max-row-limit`: longer answers that are not chunked are cut, with HTTP 200. Default 0: no limit. */
  readonly maxRowLimit?: number;
  /** Serve https with a self-signed certificate. */
  readonly tls?: boolean;
}

/** A running InfluxDB; the methods of the client act as its administrator. */
export interface Influx extends Server, InfluxClient {
  /** `http://127.0.0.1:<port>`, or https. */
  readonly url: string;
  readonly admin: InfluxUser;
  /** May read the databases and not write. Its password holds characters that need quoting somewhere. */
  readonly reader: InfluxUser;
  /** PEM of the certificate to trust, with `tls`. */
  readonly certificate?: string;
}

const admin: InfluxUser = { username: 'plant admin', password: 'admin of a test' };
const reader: InfluxUser = { username: 'reader', password: `re:ad "only" 'test' 100% \\ &?#=+/` };

/** Starts a real `influxd` 1.x with authentication, on loopback only, with its two users and its databases. */
export async function startInflux(options: InfluxOptions = {}): Promise<Influx> {
  const port = await freePort();
  const url = `${options.tls ? 'https' : 'http'}://127.0.0.1:${port}`;
  let certificate: string | undefined;
  const server = await startServer('influx', async (directory) => {
    const keys = options.tls ? await makeCertificate(directory) : undefined;
    certificate = keys && (await readFile(keys.certificatePath, 'utf8'));
    const configuration = join(directory, 'influxdb.conf');
    await writeFile(configuration, configurationText(directory, port, options.maxRowLimit ?? 0, keys));
    return {
      name: 'influxd',
      command: 'influxd',
      args: ['run', '-config', configuration],
      env: { PATH: process.env['PATH'], HOME: directory },
      ready: () => answers(url, certificate),
    };
  });
  const client = influxClient(url, admin, certificate);
  try {
    const [name, password] = [quoteName(admin.username), quoteText(admin.password)];
    await client.query(`CREATE USER ${name} WITH PASSWORD ${password} WITH ALL PRIVILEGES`);
    await client.query(`CREATE USER ${quoteName(reader.username)} WITH PASSWORD ${quoteText(reader.password)}`);
    for (const database of options.databases ?? ['plant']) {
      await client.query(`CREATE DATABASE ${quoteName(database)}`);
      await client.query(`GRANT READ ON ${quoteName(database)} TO ${quoteName(reader.username)}`);
    }
  } catch (error) {
    await server.stop();
    throw error;
  }
  return { ...server, ...client, url, admin, reader, ...(certificate === undefined ? {} : { certificate }) };
}

function configurationText(directory: string, port: number, maxRowLimit: number, keys?: Certificate): string {
  const text = (value: string): string => JSON.stringify(value);
  return `
reporting-disabled = true
bind-address = "127.0.0.1:0"

[meta]
  dir = ${text(join(directory, 'meta'))}
  logging-enabled = false

[data]
  dir = ${text(join(directory, 'data'))}
  wal-dir = ${text(join(directory, 'wal'))}
  query-log-enabled = false

[monitor]
  store-enabled = false

[subscriber]
  enabled = false

[continuous_queries]
  enabled = false

[http]
  bind-address = "127.0.0.1:${port}"
  auth-enabled = true
  log-enabled = false
  max-row-limit = ${maxRowLimit}
  max-body-size = 0
  https-enabled = ${keys !== undefined}
  https-certificate = ${text(keys?.certificatePath ?? '')}
  https-private-key = ${text(keys?.keyPath ?? '')}

[logging]
  level = "warn"
  suppress-logo = true
`;
}

/** True as soon as a query is answered; `/ping` is answered earlier than queries are. */
async function answers(url: string, certificate: string | undefined): Promise<boolean> {
  // Before the first user exists any statement is refused with 401 or 403, which is an answer too.
  return await influxClient(url, admin, certificate)
    .query('SHOW DATABASES')
    .then(
      () => true,
      (error: Error) => /: 40[13] /.test(error.message),
    );
}
