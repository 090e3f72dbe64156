import type { SimulatedClock } from '../../../../src/simulator/clock.ts';
import { preciseNowMs, SlidingSecond } from '../../../../src/simulator/recorder.ts';
import type { SimulatedAnswer, SimulatedRequest, SimulatedPlatform } from '../../../../src/simulator/contract.ts';
import { Accounts } from './accounts.ts';
import { customerId, devicePage, devicesWithIds } from './devices.ts';
import type { AccountOptions, ThingsBoardOptions } from './options.ts';
import { authenticationFailed, badRequest, forbidden, notFound, RefusedRequest, tooManyRequests } from './replies.ts';
import { json, refusal, simulatedError } from './replies.ts';
import { historyAnswer, keyNames, values } from './timeseries.ts';
import { IssuedTokens } from './tokens.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** ThingsBoard as far as its published interface is known; it refuses everything else. */
export class ThingsBoard implements SimulatedPlatform {
  readonly #options: ThingsBoardOptions;
  readonly #clock: SimulatedClock;
  readonly #accounts: Accounts;
  readonly #tokens: IssuedTokens;
  readonly #second = new SlidingSecond();
  #rateLimited = 0;

  constructor(options: ThingsBoardOptions, clock: SimulatedClock) {
    this.#options = options;
    this.#clock = clock;
    this.#accounts = new Accounts(options.accounts, options.lockAfter);
    this.#tokens = new IssuedTokens(clock, { access: options.accessSeconds, refresh: options.refreshSeconds });
  }

  answer(request: SimulatedRequest): SimulatedAnswer {
    try {
      this.#limitRate();
      return this.#route(request);
    } catch (cause) {
      if (cause instanceof RefusedRequest) return refusal(cause, this.#clock.nowMs(), this.#options.errorTimestamp);
      throw cause;
    }
  }

  errorAnswer(status: number): SimulatedAnswer {
    return simulatedError(status, this.#clock.nowMs(), this.#options.errorTimestamp);
  }

  invalidateTokens(tokens: 'all' | 'access'): void {
    this.#tokens.invalidate(tokens);
  }

  state(): { accounts: unknown; rateLimited: number } {
    return { accounts: this.#accounts.state(), rateLimited: this.#rateLimited };
  }

  #route(request: SimulatedRequest): SimulatedAnswer {
    const call = `${request.method} ${request.path}`;
    if (call === 'GET /api/noauth/userPasswordPolicy') return json({ minimumLength: 6 });
    if (call === 'POST /api/auth/login') return this.#logIn(request);
    if (call === 'POST /api/auth/token') return this.#renew(request);
    const account = this.#accountOf(request);
    if (call === 'GET /api/auth/user') return json(userOf(account));
    const lister = /^GET \/api\/(?:tenant|customer\/([^/]+))\/deviceInfos$/.exec(call);
    if (lister) return this.#devices(request, account, lister[1]);
    if (call === 'GET /api/devices') return json(devicesWithIds(this.#options.truth, request.query));
    const telemetry = /^GET \/api\/plugins\/telemetry\/DEVICE\/([^/]+)\/(.+)$/.exec(call);
    if (telemetry) return this.#telemetry(request, telemetry[1] ?? '', telemetry[2] ?? '');
    throw notFound(request.path);
  }

  #accountOf(request: SimulatedRequest): AccountOptions {
    const key = /^ApiKey (\S+)$/.exec(String(request.headers['x-authorization'] ?? ''))?.[1];
    if (key !== undefined) return this.#accounts.ofKey(key);
    return this.#accounts.of(this.#tokens.check(bearerOf(request), 'access'));
  }

  #logIn(request: SimulatedRequest): SimulatedAnswer {
    const { username, password } = textFields(request, ['username', 'password']);
    const { authority } = this.#accounts.logIn(username ?? '', password ?? '');
    return json(this.#tokens.issuePair(username ?? '', authority));
  }

  #renew(request: SimulatedRequest): SimulatedAnswer {
    // The product checks the header here too, so a client that sends its expired token cannot renew it.
    if (request.headers['x-authorization'] !== undefined) this.#tokens.check(bearerOf(request), 'access');
    const { refreshToken } = textFields(request, ['refreshToken']);
    const { username, authority } = this.#accounts.of(this.#tokens.check(refreshToken ?? '', 'refresh'));
    return json(this.#tokens.issuePair(username, authority));
  }

  /** A tenant administrator lists all devices, a customer user the devices of their customer. */
  #devices(request: SimulatedRequest, account: AccountOptions, customer: string | undefined): SimulatedAnswer {
    const isTenant = account.authority === 'TENANT_ADMIN';
    if (customer === undefined ? !isTenant : !isTenant && customer !== customerId) throw forbidden();
    if (customer !== undefined && customer !== customerId) throw notFound('Customer');
    return json(devicePage(this.#options.truth, request.query, this.#options.unsortedDevices));
  }

  #telemetry(request: SimulatedRequest, deviceId: string, call: string): SimulatedAnswer {
    const { truth, historyPath, deletedDevice } = this.#options;
    if (!uuid.test(deviceId)) throw badRequest(`Not a UUID: ${deviceId}`);
    const device = truth.devices.find(({ id }) => id === deviceId);
    const bad = request.badSensors.find((one) => one.device === deviceId);
    if (!device || bad?.as === 'missing') {
      if (deletedDevice === 'not-found') throw notFound('Device');
      if (call === 'keys/timeseries') return json([]);
      if (/^values\/timeseries(\/history)?$/.test(call)) return json({});
      throw notFound(request.path);
    }
    if (bad?.as === 'forbidden') throw forbidden();
    if (bad) return this.errorAnswer(500);
    const place = { options: this.#options, device, nowMs: this.#clock.nowMs() };
    if (call === 'keys/timeseries') return keyNames(place);
    if (call === 'values/timeseries' && historyPath !== 'history-only') return values(place, request);
    if (call === 'values/timeseries/history' && historyPath !== 'old-only') return historyAnswer(place, request);
    throw notFound(request.path);
  }

  /** Refused requests do not count, so a client that waits a second is always let in again. */
  #limitRate(): void {
    const { requestsPerSecond } = this.#options;
    const nowMs = preciseNowMs();
    if (requestsPerSecond === 0) return;
    if (this.#second.count(nowMs) >= requestsPerSecond) {
      this.#rateLimited += 1;
      throw tooManyRequests();
    }
    this.#second.add(nowMs);
  }
}

function bearerOf(request: SimulatedRequest): string {
  const token = /^Bearer (\S+)$/.exec(String(request.headers['x-authorization'] ?? ''))?.[1];
  if (token === undefined) throw authenticationFailed();
  return token;
}

function userOf({ username, authority }: AccountOptions): unknown {
  const own = authority === 'CUSTOMER_USER' ? { customerId: { entityType: 'CUSTOMER', id: customerId } } : {};
  return { name: username, email: username, authority, ...own };
}

/** The named texts of a JSON body; 400 if it is not sent as JSON or a text is missing. */
function textFields({ headers, body }: SimulatedRequest, names: readonly string[]): Record<string, string> {
  if (!headers['content-type']?.startsWith('application/json')) throw badRequest('The body must be application/json');
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    throw badRequest('The body is not JSON');
  }
  const fields = Object(parsed) as Record<string, unknown>;
  for (const name of names) if (typeof fields[name] !== 'string') throw badRequest(`${name} is missing`);
  return fields as Record<string, string>;
}
