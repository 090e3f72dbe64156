import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { accessOf } from '../access/access.ts';
import type { StoredSealing } from '../access/stored-sealing.ts';
import type { SharedClock } from '../database/clock.ts';
import type { Database } from '../database/database.ts';
import { inTime } from '../database/patience.ts';
import type { PrepareReadings } from '../ingest/prepare.ts';
import { intakeOf } from '../ingest/pushed-intake.ts';
import { pushUsesOf } from '../ingest/pushed-use.ts';
import { roomOf } from '../ingest/pushed-room.ts';
import type { Settings } from '../settings.ts';
import { unnamedProxy } from '../settings-api.ts';
import { certificateOf } from './certificate.ts';
import type { ApiMeters } from './meters.ts';
import { assertPrivate, followCertificate, listen } from './listen.ts';
import { apiServer } from './server.ts';

/** The parts of the process that the API needs. */
export interface ApiGround {
  readonly settings: Settings;
  readonly database: Database;
  readonly clock: SharedClock;
  readonly sealing: StoredSealing;
  readonly prepareReadings: PrepareReadings;
  readonly log: Logger;
  /** Undefined where the process is not monitored. */
  readonly meters?: ApiMeters | undefined;
}

/** The API while it listens. */
export interface RunningApi {
  readonly url: string;
  /** Address of the page that describes it; undefined where the settings switch it off. */
  readonly page: string | undefined;
  readonly server: FastifyInstance;
  /** Takes no new requests, answers those under way, then ends. */
  close(): Promise<void>;
}

/** Throws `config-invalid` where the settings of the API cannot be right. Starts nothing. */
export const assertApiSettings = ({ api }: Settings): void => {
  const certificate = certificateOf(api);
  certificate?.read();
  assertPrivate(api, certificate);
};

/** How often the sums of pushes are written, ms. */
const USES_MS = 5_000;

/** Starts the API. Throws `config-invalid` for wrong settings, `unavailable` where its port is taken. */
export async function openApi(ground: ApiGround): Promise<RunningApi> {
  const { settings, database, prepareReadings, log } = ground;
  assertApiSettings(settings);
  const trouble = unnamedProxy(settings.api);
  if (trouble !== undefined) log.warn({ remedy: trouble.remedy }, trouble.message);
  const certificate = certificateOf(settings.api);
  // One application alone may hold half of the room, so that half has to hold two of the largest bodies.
  const room = roomOf(Math.max(settings.api.waitingBytes, 4 * settings.api.bodyBytes));
  const intake = intakeOf({ database, prepareReadings, waitMs: settings.api.waitMs, now: ground.clock.now });
  const uses = pushUsesOf(database);
  const access = accessOf({ ...ground, load: room.load });
  const app = await apiServer({ ...ground, settings: settings.api, access, intake, uses, room, certificate });
  try {
    const url = await listen(app, settings.api, certificate !== undefined);
    // A sum that cannot be written now is written with the next ones.
    const writing = setInterval(() => void uses.flush().catch(() => undefined), USES_MS).unref();
    const following = certificate && followCertificate(app, certificate, { ...settings.api, log });
    return {
      url,
      page: settings.api.docs ? `${url}/docs` : undefined,
      server: app,
      async close() {
        following?.stop();
        clearInterval(writing);
        await app.close();
        await intake.idle();
        await inTime(USES_MS, uses.flush()).catch(() => undefined);
      },
    };
  } catch (error) {
    await app.close();
    throw error;
  }
}
