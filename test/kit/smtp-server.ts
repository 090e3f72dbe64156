import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { watchForLeaks } from './leaks.ts';

/** A mail as a server got it. */
export interface Mail {
  readonly from: string;
  readonly to: readonly string[];
  /** Header and body, without the dots that the protocol adds. */
  readonly text: string;
  /** What the client signed in with, as `user:password`; undefined where it did not. */
  readonly signedInAs: string | undefined;
}

export interface SmtpServer {
  readonly port: number;
  readonly mails: Mail[];
  /** What a client said that the protocol does not allow. */
  readonly violations: string[];
  close(): Promise<void>;
}

/**
 * A mail server without TLS that is strict about RFC 5321: commands in their order, one at a time, lines that end with CR LF. It
 * refuses the recipients of `refused` and takes mails only from signed-in clients where `needsUser` is set.
 */
export async function startSmtpServer({
  port = 0,
  refused = [],
  needsUser = false,
}: {
  readonly port?: number;
  readonly refused?: readonly string[];
  readonly needsUser?: boolean;
} = {}): Promise<SmtpServer> {
  const mails: Mail[] = [];
  const violations: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    serve(socket);
  });
  function serve(socket: Socket): void {
    let state: 'new' | 'ready' | 'from' | 'to' | 'data' = 'new';
    let mail = { from: '', to: [] as string[] };
    let signedInAs: string | undefined;
    let held = '';
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    const wrong = (line: string): void => {
      violations.push(`${state}: ${line}`);
      say('503 bad sequence of commands');
    };
    function command(line: string): void {
      const [verb = ''] = line.toUpperCase().split(' ');
      const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
      if (verb === 'EHLO') {
        state = 'ready';
        say('250-test.example');
        say('250-AUTH PLAIN');
        say('250 8BITMIME');
      } else if (verb === 'AUTH' && state === 'ready') {
        const [, user = '', password = ''] = Buffer.from(line.split(' ')[2] ?? '', 'base64')
          .toString()
          .split('\0');
        signedInAs = `${user}:${password}`;
        say('235 authenticated');
      } else if (verb === 'MAIL' && state === 'ready') {
        if (needsUser && signedInAs === undefined) return say('530 authentication required');
        mail = { from: address, to: [] };
        state = 'from';
        say('250 ok');
      } else if (verb === 'RCPT' && (state === 'from' || state === 'to')) {
        if (refused.includes(address)) return say('550 no such mailbox');
        mail.to.push(address);
        state = 'to';
        say('250 ok');
      } else if (verb === 'DATA' && state === 'to') {
        state = 'data';
        say('354 go on');
      } else if (verb === 'STARTTLS') {
        say('454 TLS not available');
      } else if (verb === 'RSET') {
        state = 'ready';
        say('250 ok');
      } else if (verb === 'QUIT') {
        say('221 bye');
        socket.end();
      } else wrong(line);
    }
    socket.on('data', (part) => {
      held += part.toString();
      for (;;) {
        const end = held.indexOf(state === 'data' ? '\r\n.\r\n' : '\r\n');
        if (end === -1) return;
        const text = held.slice(0, end);
        held = held.slice(end + (state === 'data' ? 5 : 2));
        if (/(?<!\r)\n/.test(text)) violations.push(`${state}: a line feed without carriage return`);
        if (state === 'data') {
          mails.push({ ...mail, text: text.replaceAll(/^\.\./gm, '.'), signedInAs });
          state = 'ready';
          say('250 queued');
        } else command(text);
      }
    });
    say('220 test.example');
  }
  await new Promise<void>((resolve) => {
    server.listen(port, '127.0.0.1', resolve);
  });
  const forget = watchForLeaks(
    'an SMTP server',
    () => server.listening,
    () => server.close(),
  );
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    violations,
    close: () =>
      new Promise((resolve) => {
        forget();
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
