import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { BridgeError, configInvalid } from '../core/errors.ts';
import type { ListenSettings } from '../settings-api.ts';
import type { Certificate } from './certificate.ts';

/**
 * Throws `config-invalid` where tokens and secrets would travel in clear over a network. Plain HTTP is allowed on loopback
 * only, unless the operator states that a proxy in front of the API speaks TLS.
 */
export function assertPrivate(settings: ListenSettings, certificate: Certificate | undefined): void {
  const { title, variables, host, allowPlain } = settings;
  if (certificate !== undefined || allowPlain || listensLocally(host)) return;
  throw configInvalid(
    `${title} would speak plain HTTP on ${host}`,
    `set DATABRIDGE_${variables}_TLS_CERT and DATABRIDGE_${variables}_TLS_KEY, or leave DATABRIDGE_${variables}_HOST at 127.0.0.1 behind a proxy; ` +
      `set DATABRIDGE_${variables}_ALLOW_PLAIN=true only where a proxy on another host or a container port needs it`,
    `DATABRIDGE_${variables}_HOST`,
  );
}

/** Whether an address or name of a listener is reached from this machine alone. */
export function listensLocally(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/** Listens and returns the URL. Throws `unavailable` where the port is taken, `config-invalid` where the address is wrong. */
export async function listen(app: FastifyInstance, settings: ListenSettings, tls: boolean): Promise<string> {
  const { title, variables, host, port, sharesPort } = settings;
  try {
    await app.listen({ host, port, ...(sharesPort && { reusePort: true }) });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      const share = sharesPort
        ? `, or start that one with DATABRIDGE_${variables}_SHARE_PORT=true as the same user`
        : '';
      throw new BridgeError({ code: 'unavailable', why: 'refused' }, `${host}:${port} is taken`, {
        remedy: `stop the other program, or set DATABRIDGE_${variables}_PORT to a free port${share}`,
        cause: error,
      });
    }
    if (code === 'ENOTSUP') {
      throw configInvalid(
        `this system lets no two processes listen on one port`,
        `leave DATABRIDGE_${variables}_SHARE_PORT out, and start the processes on several ports behind a proxy`,
        `DATABRIDGE_${variables}_SHARE_PORT`,
      );
    }
    throw configInvalid(
      `${title} cannot listen on ${host}:${port}: ${message}`,
      `set DATABRIDGE_${variables}_HOST to an address of this host and DATABRIDGE_${variables}_PORT to a port this user may open`,
      `DATABRIDGE_${variables}_HOST`,
    );
  }
  const address = app.server.address() as AddressInfo;
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${tls ? 'https' : 'http'}://${shown}:${address.port}`;
}

/** How often the files of the certificate are looked at, ms. */
const WATCH_MS = 30_000;

/** Takes a renewed certificate into use without a restart. Where it cannot be used, warns and keeps the old one. */
export function followCertificate(
  app: FastifyInstance,
  certificate: Certificate,
  { title, log, everyMs = WATCH_MS }: { readonly title: string; readonly log: Logger; readonly everyMs?: number },
): { stop(): void } {
  let usedAt = certificate.changedAt();
  const timer = setInterval(() => {
    try {
      const changedAt = certificate.changedAt();
      if (changedAt === usedAt) return;
      (app.server as unknown as TlsServer).setSecureContext(certificate.read());
      usedAt = changedAt;
      log.info(`the renewed certificate of ${title} is in use`);
    } catch (error) {
      log.warn(
        { reason: (error as Error).message },
        `the certificate of ${title} changed and cannot be used; the old one stays`,
      );
    }
  }, everyMs);
  timer.unref();
  return {
    stop: () => {
      clearInterval(timer);
    },
  };
}
