import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import ipaddr from 'ipaddr.js';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { BridgeError, configInvalid } from '../core/errors.ts';
import type { ApiSettings } from '../settings-api.ts';
import type { Certificate } from './certificate.ts';

/**
 * Throws `config-invalid` where tokens and secrets would travel in clear over a network: plain HTTP is for this host
 * alone, unless the operator says that something in front of it speaks TLS.
 */
export function assertPrivate({ host, allowPlain }: ApiSettings, certificate: Certificate | undefined): void {
  if (certificate !== undefined || allowPlain || isLoopback(host)) return;
  throw configInvalid(
    `the API would speak plain HTTP on ${host}`,
    'set DATABRIDGE_API_TLS_CERT and DATABRIDGE_API_TLS_KEY, or leave DATABRIDGE_API_HOST at 127.0.0.1 behind a proxy; ' +
      'DATABRIDGE_API_ALLOW_PLAIN=true where a proxy on another host or a container port needs it',
    'DATABRIDGE_API_HOST',
  );
}

function isLoopback(host: string): boolean {
  if (host === 'localhost') return true;
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback';
}

/** Listens, and answers with the address. Throws `unavailable` where the port is taken. */
export async function listen(app: FastifyInstance, { host, port }: ApiSettings, tls: boolean): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      throw new BridgeError({ code: 'unavailable', why: 'refused' }, `${host}:${port} is taken`, {
        remedy: 'stop the other program, or set DATABRIDGE_API_PORT to a free port',
        cause: error,
      });
    }
    throw configInvalid(
      `the API cannot listen on ${host}:${port}: ${message}`,
      'set DATABRIDGE_API_HOST and DATABRIDGE_API_PORT to what this host has',
      'DATABRIDGE_API_HOST',
    );
  }
  const address = app.server.address() as AddressInfo;
  const shown = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `${tls ? 'https' : 'http'}://${shown}:${address.port}`;
}

const WATCH_MS = 30_000;

/** Takes a renewed certificate into use without a restart. What cannot be used is left alone, with a warning. */
export function followCertificate(
  app: FastifyInstance,
  certificate: Certificate,
  log: Logger,
  everyMs = WATCH_MS,
): { stop(): void } {
  let usedAt = certificate.changedAt();
  const timer = setInterval(() => {
    try {
      const changedAt = certificate.changedAt();
      if (changedAt === usedAt) return;
      (app.server as unknown as TlsServer).setSecureContext(certificate.read());
      usedAt = changedAt;
      log.info('the renewed certificate of the API is in use');
    } catch (error) {
      log.warn(
        { reason: (error as Error).message },
        'the certificate of the API changed and cannot be used; the old one stays',
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
