import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { createTransport } from 'nodemailer';
import { guardEgress } from '../platform/connection/egress.ts';
import type { AllowedHosts } from '../platform/connection/egress.ts';
import type { AlertMessage } from './message.ts';
import type { EmailTarget } from './rules.ts';

/** Each step of a mail server has so long, ms. */
const PATIENCE_MS = 10_000;

/**
 * Sends a message as one e-mail, through the egress guard. `none` is for a server that speaks no TLS. The mail has an id of its
 * message, so that a mailbox shows one that was sent again once. @returns the mailboxes that the server refused
 */
export async function mailMessage(
  { to, from, server, port, security, user, password }: EmailTarget,
  allowHosts: AllowedHosts,
  { id, title, text }: AlertMessage,
): Promise<readonly string[]> {
  const socket = await guardedSocket(server, port, allowHosts);
  const transport = createTransport({
    host: server,
    port,
    // nodemailer wraps the socket in TLS itself.
    connection: socket,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: { servername: server },
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    dnsTimeout: PATIENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user !== undefined && { auth: { user, pass: password ?? '' } }),
  });
  try {
    const { rejected } = await transport.sendMail({
      from,
      to: [...to],
      subject: title,
      text,
      messageId: `<${id}@databridge>`,
    });
    return rejected.map(String);
  } finally {
    transport.close();
    socket.destroy();
  }
}

/** A connection to the very address that the guard checked. */
function guardedSocket(host: string, port: number, allowHosts: AllowedHosts): Promise<Socket> {
  const guard = guardEgress(allowHosts);
  const blocked = guard.check(host);
  if (blocked !== undefined) return Promise.reject(blocked);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, lookup: guard.lookup, timeout: PATIENCE_MS });
    socket.once('connect', () => {
      socket.setTimeout(0);
      resolve(socket);
    });
    // It stays, because an error without a listener would end the process.
    socket.on('error', reject);
    socket.once('timeout', () => socket.destroy(new Error(`${host}:${port} does not answer`)));
  });
}
