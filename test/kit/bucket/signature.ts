import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A request as it arrived, before anything of it is believed. */
export interface Arrived {
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  /** Names and values of the query, decoded, in their order. */
  readonly query: readonly (readonly [string, string])[];
  /** Names in lower case; a header that was sent twice is joined by commas. */
  readonly headers: ReadonlyMap<string, string>;
}

/** What a client signs with. */
export interface Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary keys: each request has to bring it. */
  readonly sessionToken?: string;
}

/** The signature of a request: the first link of the chain that signs the chunks of its body. */
export interface Seed {
  readonly signature: string;
  /** Signs a text of the chain; hex. */
  sign(algorithm: string, previous: string, ...hashes: readonly string[]): string;
}

/** The answer to a request that is not served: an error of S3 by its code, with the elements that S3 adds to it. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly elements: Readonly<Record<string, string>>;
  constructor(status: number, code: string, message: string, elements: Readonly<Record<string, string>> = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.elements = elements;
  }
}

const ALGORITHM = 'AWS4-HMAC-SHA256';
const MOST_SKEW_MS = 900_000;

export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();

/** The percent-encoding of Signature Version 4: everything but unreserved characters, in capitals. */
export const encode = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.codePointAt(0)?.toString(16).toUpperCase()}`,
  );

/** The text behind a percent-encoding. @throws Refusal where it is none. */
export function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new Refusal(400, 'InvalidURI', "Couldn't parse the specified URI.");
  }
}

/**
 * Checks the Authorization header as the specification of Signature Version 4 for S3 has it.
 *
 * @param now ms since 1970, of the store
 * @throws Refusal with the code and the elements of S3
 */
export function checkSignature(
  request: Arrived,
  { keys, region, now }: { readonly keys: readonly Keys[]; readonly region: string; readonly now: number },
): Seed {
  const { headers } = request;
  if (request.query.some(([name]) => name.toLowerCase() === 'x-amz-signature'))
    throw new Refusal(501, 'NotImplemented', 'This simulator takes no signature in the query.');
  const authorization = headers.get('authorization');
  if (authorization === undefined) throw new Refusal(403, 'AccessDenied', 'Access Denied');
  const { accessKeyId, scope, signedHeaders, signature } = partsOf(authorization);
  const [date = '', scopeRegion = '', service, end] = scope;
  if (service !== 's3') throw malformed(`incorrect service "${service}". This endpoint belongs to "s3".`);
  if (end !== 'aws4_request') throw malformed(`incorrect terminal "${end}". This endpoint uses "aws4_request".`);
  if (scopeRegion !== region)
    throw malformed(`the region '${scopeRegion}' is wrong; expecting '${region}'`, { Region: region });
  const found = keys.find((each) => each.accessKeyId === accessKeyId);
  if (found === undefined) {
    const message = 'The AWS Access Key Id you provided does not exist in our records.';
    throw new Refusal(403, 'InvalidAccessKeyId', message, { AWSAccessKeyId: accessKeyId });
  }
  const at = checkTime(headers.get('x-amz-date'), date, now);
  checkSigned(headers, signedHeaders);

  const payload = headers.get('x-amz-content-sha256');
  if (payload === undefined)
    throw new Refusal(400, 'InvalidRequest', 'Missing required header for this request: x-amz-content-sha256');
  const canonical = [
    request.method,
    encode(decode(request.path)).replaceAll('%2F', '/'),
    canonicalQuery(request.query),
    ...signedHeaders.map((name) => `${name}:${headers.get(name)?.trim().replaceAll(/ +/g, ' ')}`),
    '',
    signedHeaders.join(';'),
    payload,
  ].join('\n');
  const place = [date, region, 's3', 'aws4_request'].join('/');
  const key = ['s3', 'aws4_request'].reduce(hmac, hmac(hmac(`AWS4${found.secretAccessKey}`, date), region));
  const toSign = [ALGORITHM, at, place, sha256(canonical)].join('\n');
  if (!same(hmac(key, toSign).toString('hex'), signature)) {
    const message =
      'The request signature we calculated does not match the signature you provided. Check your key and signing method.';
    throw new Refusal(403, 'SignatureDoesNotMatch', message, {
      AWSAccessKeyId: accessKeyId,
      StringToSign: toSign,
      SignatureProvided: signature,
      CanonicalRequest: canonical,
    });
  }
  if (headers.get('x-amz-security-token') !== found.sessionToken)
    throw new Refusal(400, 'InvalidToken', 'The provided token is malformed or otherwise invalid.');
  return {
    signature,
    sign: (algorithm, previous, ...hashes) =>
      hmac(key, [algorithm, at, place, previous, ...hashes].join('\n')).toString('hex'),
  };
}

/** Compares two signatures in hex. */
export const same = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

function malformed(problem: string, elements: Readonly<Record<string, string>> = {}): Refusal {
  return new Refusal(
    400,
    'AuthorizationHeaderMalformed',
    `The authorization header is malformed; ${problem}`,
    elements,
  );
}

/** The three parts of the header; S3 takes them with and without a space after the comma. */
function partsOf(authorization: string): {
  readonly accessKeyId: string;
  readonly scope: readonly string[];
  readonly signedHeaders: readonly string[];
  readonly signature: string;
} {
  if (!authorization.startsWith(`${ALGORITHM} `))
    throw new Refusal(
      400,
      'InvalidRequest',
      `The authorization mechanism you have provided is not supported. Please use ${ALGORITHM}.`,
    );
  const parts = new Map(
    authorization
      .slice(ALGORITHM.length)
      .split(',')
      .map((part) => [part.slice(0, part.indexOf('=')).trim(), part.slice(part.indexOf('=') + 1).trim()]),
  );
  const credential = parts.get('Credential');
  const signedHeaders = parts.get('SignedHeaders');
  const signature = parts.get('Signature');
  if (parts.size !== 3 || credential === undefined || signedHeaders === undefined || signature === undefined)
    throw malformed('it has to be Credential, SignedHeaders and Signature.');
  const [accessKeyId = '', ...scope] = credential.split('/');
  if (scope.length !== 4 || !/^\d{8}$/.test(scope[0] ?? ''))
    throw malformed('the Credential is mal-formed; expecting "<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request".');
  if (!/^[0-9a-f]{64}$/.test(signature)) throw malformed('the Signature is no SHA-256 in hex.');
  return { accessKeyId, scope, signedHeaders: signedHeaders.split(';'), signature };
}

/** The time of the request, which belongs to the day of the scope and is near the time of the store. */
function checkTime(time: string | undefined, day: string, now: number): string {
  const [, date, hour, minute, second] = /^(\d{8})T(\d\d)(\d\d)(\d\d)Z$/.exec(time ?? '') ?? [];
  if (time === undefined || date === undefined)
    throw new Refusal(403, 'AccessDenied', 'AWS authentication requires a valid Date or x-amz-date header');
  if (date !== day)
    throw malformed(`Invalid credential date "${day}". This date is not the same as X-Amz-Date: "${date}".`);
  const at = Date.parse(`${date.replace(/(....)(..)(..)/, '$1-$2-$3')}T${hour}:${minute}:${second}Z`);
  if (!(Math.abs(at - now) <= MOST_SKEW_MS)) {
    const message = 'The difference between the request time and the current time is too large.';
    throw new Refusal(403, 'RequestTimeTooSkewed', message, {
      RequestTime: time,
      ServerTime: new Date(now).toISOString(),
      MaxAllowedSkewMilliseconds: String(MOST_SKEW_MS),
    });
  }
  return time;
}

/** The host and all headers of Amazon have to be signed, in their order, and each signed one has to be there. */
function checkSigned(headers: ReadonlyMap<string, string>, signed: readonly string[]): void {
  const ordered = signed.every(
    (name, index) => name === name.toLowerCase() && (index === 0 || (signed[index - 1] ?? '') < name),
  );
  if (!ordered) throw malformed('SignedHeaders have to be sorted and in lower case.');
  const absent = signed.filter((name) => !headers.has(name));
  if (absent.length > 0) throw malformed(`signed headers are not in the request: ${absent.join(', ')}.`);
  const unsigned = [...headers.keys()].filter(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signed.includes(name),
  );
  if (unsigned.length > 0) {
    const message = 'There were headers present in the request which were not signed';
    throw new Refusal(403, 'AccessDenied', message, { HeadersNotSigned: unsigned.join(', ') });
  }
}

/** By encoded names, and by values where a name is there twice. */
function canonicalQuery(query: Arrived['query']): string {
  return query
    .map(([name, value]) => [encode(name), encode(value)] as const)
    .toSorted(([one, oneValue], [other, otherValue]) => compare(one, other) || compare(oneValue, otherValue))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

/** By code points, as the specification sorts. */
const compare = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));
