import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { S3Client } from '@aws-sdk/client-s3';
import { BridgeError, configInvalid } from '../core/errors.ts';
import type { ArchiveBucket } from '../database/archive-place.ts';

/** Of a request: the client tries so often, with growing waits between that are told apart by chance. */
export const ATTEMPTS = 5;
const CONNECTING_MS = 5_000;
/** An answer, or a part of one, is awaited this long. */
const SILENCE_MS = 30_000;

/** A client that takes nothing from the machine's configuration of AWS. The secret is read now. */
export async function bucketClient({ endpoint, region, keyId, secret, caFile }: ArchiveBucket): Promise<S3Client> {
  const ca = caFile === undefined ? undefined : await readFile(caFile).catch((error: Error) => noAuthority(error));
  return new S3Client({
    region,
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    credentials: { accessKeyId: keyId, secretAccessKey: await secret() },
    maxAttempts: ATTEMPTS,
    retryMode: 'standard',
    // Files are sent with a checksum. Else the client sends one with each request, also to read, which not every store takes.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    // What comes is compared with the checksum of the manifest.
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECTING_MS,
      socketTimeout: SILENCE_MS,
      httpsAgent: new Agent({ keepAlive: true, ...(ca !== undefined && { ca }) }),
    },
  });
}

function noAuthority({ message }: Error): never {
  throw configInvalid(
    `DATABRIDGE_ARCHIVE_CA: ${message}`,
    'name a file that the bridge can read',
    'DATABRIDGE_ARCHIVE_CA',
  );
}

/** What a store says of itself in an error. */
export const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

const KEYS = /^(?:InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|InvalidToken)$/;
const REGION =
  /^(?:PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|TemporaryRedirect)$/;
const BUSY =
  /^(?:SlowDown|ServiceUnavailable|InternalError|RequestTimeout|TimeoutError|ConditionalRequestConflict|OperationAborted|RequestAborted)$/;
const TLS = /CERT|SELF_SIGNED|UNABLE_TO_|ERR_TLS|EPROTO/;
const BROKEN = /^(?:ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|ERR_STREAM_PREMATURE_CLOSE)/;

/** The error of a request as an operator needs it. `work`: what was done, with the name of the object. */
export function bucketError(error: unknown, work: string): unknown {
  if (error instanceof BridgeError || !(error instanceof Error) || ('syscall' in error && 'path' in error))
    return error;
  const status = statusOf(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const said = [error.name, code].find((name) => !/^(?:Error|UnknownError|Unknown|S3ServiceException)?$/.test(name));
  const message = `${work}: ${[status, said, error.message.split('\n')[0]].filter(Boolean).join(' ')}`;
  const invalid = (remedy: string, path: string): BridgeError => configInvalid(message, remedy, path);
  if (TLS.test(code))
    return invalid('name the file of the authority of the store, where it has its own', 'DATABRIDGE_ARCHIVE_CA');
  if (error.name === 'NoSuchBucket')
    return invalid('make the bucket, or correct DATABRIDGE_ARCHIVE', 'DATABRIDGE_ARCHIVE');
  if (error.name === 'RequestTimeTooSkewed')
    return invalid('set the clock of this host by NTP', 'DATABRIDGE_ARCHIVE_ENDPOINT');
  if (REGION.test(error.name) || status === 301)
    return invalid('set DATABRIDGE_ARCHIVE_REGION to the region of the bucket', 'DATABRIDGE_ARCHIVE_REGION');
  if (KEYS.test(error.name))
    return invalid('correct DATABRIDGE_ARCHIVE_KEY_ID and DATABRIDGE_ARCHIVE_SECRET', 'DATABRIDGE_ARCHIVE_SECRET');
  if (status === 401 || status === 403)
    return invalid(
      'let the key of DATABRIDGE_ARCHIVE_KEY_ID list the bucket, and get, put and delete objects under the prefix; or correct the key and its secret',
      'DATABRIDGE_ARCHIVE_KEY_ID',
    );
  if (
    (status ?? 0) >= 500 ||
    status === 429 ||
    status === 408 ||
    BUSY.test(error.name) ||
    BROKEN.test(code) ||
    error.message === 'aborted'
  )
    return new BridgeError(
      {
        code: 'unavailable',
        why:
          status === undefined ? (/TimeoutError|ETIMEDOUT/.test(error.name + code) ? 'time-out' : 'reset') : 'status',
        ...(status !== undefined && { status }),
      },
      message,
      {
        remedy: 'see whether the store of DATABRIDGE_ARCHIVE answers; nothing is lost, and the next run tries again',
        cause: error,
      },
    );
  if (status !== undefined && status >= 400)
    return invalid('correct DATABRIDGE_ARCHIVE and the settings of its bucket', 'DATABRIDGE_ARCHIVE');
  return error;
}
