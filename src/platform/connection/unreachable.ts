import { BridgeError, contractBroken } from '../../core/errors.ts';
import type { Unreachable } from '../../core/errors.ts';
import { requestName } from './layer.ts';
import type { Phase, PlatformRequest } from './layer.ts';

/** The remedies for a platform that cannot be reached. */
export const UNREACHABLE_REMEDIES: Readonly<Record<Unreachable, string>> = {
  name: 'check the spelling of the host in the address, and that this machine can resolve names of the plant network',
  refused: 'check address and port, that the platform is running, and that no firewall turns this machine away',
  'time-out': 'check that a firewall lets this machine through and that the platform is not overloaded',
  tls: 'check the certificate of the platform; name the authority of the plant in tls.ca',
  reset: 'nothing to do if it passes; otherwise look for a proxy or firewall that cuts connections',
  status: 'the platform itself reports trouble: look at its own log, or wait',
  blocked: 'give the address of a platform; addresses like this one are of no platform and cannot be allowed',
  proxy: 'check DATABRIDGE_EGRESS_PROXY, that the proxy runs, and that it lets this machine through to the platform',
};

/** The error for a platform that could not be reached or that broke off. */
export function unavailable(
  why: Unreachable,
  message: string,
  remedy: string = UNREACHABLE_REMEDIES[why],
): BridgeError {
  return new BridgeError({ code: 'unavailable', why }, message, { remedy });
}

/** Codes of getaddrinfo, the kernel and node, each with the words an operator reads. */
const CODES: Readonly<Record<string, readonly [why: Unreachable, words: string]>> = {
  ENOTFOUND: ['name', 'the host name is not known'],
  ENODATA: ['name', 'the host name has no address'],
  EAI_AGAIN: ['name', 'the name server did not answer'],
  EAI_FAIL: ['name', 'the name server failed'],
  EAI_NONAME: ['name', 'the host name is not known'],
  EAI_NODATA: ['name', 'the host name has no address'],
  ECONNREFUSED: ['refused', 'connection refused'],
  EHOSTUNREACH: ['refused', 'no route to the host'],
  ENETUNREACH: ['refused', 'no route to the network'],
  EADDRNOTAVAIL: ['refused', 'this machine has no address to reach it from'],
  EACCES: ['refused', 'this machine forbids the connection'],
  EPERM: ['refused', 'this machine forbids the connection'],
  ETIMEDOUT: ['time-out', 'no answer'],
  ECONNRESET: ['reset', 'the connection broke off'],
  ECONNABORTED: ['reset', 'the connection broke off'],
  EPIPE: ['reset', 'the connection broke off'],
  ERR_STREAM_PREMATURE_CLOSE: ['reset', 'the connection broke off'],
  HPE_INVALID_EOF_STATE: ['reset', 'the answer broke off'],
  HPE_CLOSED_CONNECTION: ['reset', 'the connection was closed and then used'],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['tls', 'its certificate is self-signed'],
  SELF_SIGNED_CERT_IN_CHAIN: ['tls', 'its certificate comes from an authority that is not trusted'],
  UNABLE_TO_GET_ISSUER_CERT: ['tls', 'its certificate comes from an authority that is not trusted'],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['tls', 'its certificate comes from an authority that is not trusted'],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: [
    'tls',
    'its certificate comes from an authority that is not trusted, or without the certificates between',
  ],
  CERT_HAS_EXPIRED: ['tls', 'its certificate has expired'],
  CERT_NOT_YET_VALID: ['tls', 'its certificate is not valid yet'],
  ERR_TLS_CERT_ALTNAME_INVALID: ['tls', 'its certificate is for another name'],
};

/** An error of the network in an operator's words, or undefined. */
export const networkWords = (error: unknown): string | undefined => CODES[codeOf(error)]?.[1];

const TRUST_AUTHORITY =
  "name the certificate of the authority in tls.ca of the source: the absolute path of a PEM file, or its text; it may be the one of the company's own authority, or of a proxy that opens TLS";

const TLS_REMEDIES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'name this very certificate in tls.ca of the source, once its owner has confirmed it',
  SELF_SIGNED_CERT_IN_CHAIN: TRUST_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: TRUST_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: TRUST_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `let the platform send the certificates between its own and its authority, too; otherwise ${TRUST_AUTHORITY}`,
  CERT_HAS_EXPIRED: 'the platform needs a new certificate; also check the clocks of both machines',
  CERT_NOT_YET_VALID: 'check the clocks of both machines',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use the host name the certificate was made for, or give that name in tls.serverName',
};

/**
 * The BridgeError for an error of node when a request or the body of its answer fails.
 * Source of the codes: nodejs.org/api/errors.html, X509 codes of nodejs.org/api/tls.html, llhttp's HPE_ codes.
 */
export function explainTransport(error: unknown, phase: Phase, request: PlatformRequest): BridgeError {
  if (error instanceof BridgeError) return error;
  const where = phase === 'connect' ? `connecting to ${request.url.origin}` : requestName(request);
  const code = codeOf(error);
  const secure = request.url.protocol === 'https:';
  if (phase !== 'body' && !secure && looksLikeTls(error)) return speaksTls(where);
  if (phase !== 'body' && secure && /wrong.version.number|packet length too long|http.request/i.test(textOf(error))) {
    return unavailable('tls', `${where}: the port speaks plain http, not https`, 'begin the address with http://');
  }
  if (code === 'HPE_HEADER_OVERFLOW') return contractBroken(`${where}: the head of the answer is too large`);
  const known = CODES[code];
  if (known) {
    const [why, words] = known;
    if (why === 'reset' && phase === 'head') return brokenOff(where, secure);
    return unavailable(
      why,
      `${where}: ${phase === 'body' && why === 'reset' ? 'the answer broke off' : words}`,
      TLS_REMEDIES[code],
    );
  }
  if (code.startsWith('HPE_')) return contractBroken(`${where}: the answer is not HTTP (${code})`);
  if (
    code === 'EPROTO' ||
    /^(ERR_SSL|ERR_TLS|ERR_OSSL|CERT_|CRL_|UNABLE_TO_|HOSTNAME_|INVALID_(CA|PURPOSE))/.test(code)
  ) {
    return unavailable('tls', `${where}: no secure connection could be agreed on (${code})`, TLS_REMEDIES[code]);
  }
  return new BridgeError({ code: 'bug' }, `${where}: ${textOf(error)}`, { cause: error });
}

/** The error for a port that expects TLS and was asked in plain http. */
export const speaksTls = (where: string): BridgeError =>
  unavailable('tls', `${where}: the port speaks https, not plain http`, 'begin the address with https://');

/** The remedy also names https, because some TLS servers close the connection when they are asked in plain http. */
const brokenOff = (where: string, secure: boolean): BridgeError =>
  unavailable(
    'reset',
    `${where}: the connection was closed before an answer came`,
    secure ? UNREACHABLE_REMEDIES.reset : `${UNREACHABLE_REMEDIES.reset}; if it stays, the port may want https://`,
  );

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
}

/** Whether a TLS alert or handshake record (RFC 8446, 5.1) came where the head of an answer was expected. */
function looksLikeTls(error: unknown): boolean {
  if (!(error instanceof Error) || !('rawPacket' in error) || !Buffer.isBuffer(error.rawPacket)) return false;
  const [type, major] = error.rawPacket;
  return (type === 0x15 || type === 0x16) && major === 0x03;
}
