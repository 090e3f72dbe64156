import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { BridgeError } from '../../core/errors.ts';
import { tooMuch } from '../../core/errors.ts';
import { cancelled, requestName } from './layer.ts';
import type { Phase, PlatformRequest } from './layer.ts';
import { formatMs } from './limits.ts';
import type { RequestLimits } from './limits.ts';
import { unavailable } from './unreachable.ts';

/** The time limits of one request and the caller's signal: the first one that is reached calls `stop`. */
export interface Deadlines {
  readonly phase: Phase;
  /** Watches a started request, which got its socket, until it is connected. */
  connecting(started: ClientRequest, socket: Socket): void;
  answered(raw: IncomingMessage): void;
  /** A piece of the body has arrived. */
  readonly arrived: () => void;
  end(): void;
}

/** `proxy`: the name of the proxy that the request goes through. */
export function startDeadlines(
  limits: RequestLimits,
  request: PlatformRequest,
  stop: (why: BridgeError) => void,
  proxy?: string,
): Deadlines {
  const { signal } = request.conversation;
  let phase: Phase = 'connect';
  let raw: IncomingMessage | undefined;
  let progress = 0;
  let ended = false;
  let step = setTimeout(stepDue, limits.connectMs);
  const total = setTimeout(totalOver, limits.totalMs);

  const timedOut = (message: string): void => stop(unavailable('time-out', message));

  /** Data that has arrived is read first, because after a blocked event loop timers run before the network. */
  function stepDue(): void {
    const before = progress;
    setImmediate(() => {
      if (ended) return;
      if (progress === before) stepOver();
      else step.refresh();
    });
  }

  function stepOver(): void {
    if (phase === 'connect') {
      const within = `no answer within ${formatMs(limits.connectMs)}`;
      if (proxy === undefined) timedOut(`connecting to ${request.url.origin}: ${within}`);
      else stop(unavailable('proxy', `connecting to ${request.url.origin} through the proxy ${proxy}: ${within}`));
    } else if (phase === 'head') {
      timedOut(`${requestName(request)}: no answer in ${formatMs(limits.headersMs)}, though connected`);
    } else if (raw !== undefined && (raw.complete || raw.readableLength > 0)) {
      // The platform has sent data and the bridge is slow to read it, so only the total counts.
      step.refresh();
    } else {
      timedOut(`${requestName(request)}: the answer stopped and nothing more came for ${formatMs(limits.idleMs)}`);
    }
  }

  function totalOver(): void {
    const message = `${requestName(request)}: not finished within ${formatMs(limits.totalMs)}`;
    // Data was flowing but there was too much of it: half the window takes half the time.
    if (phase === 'body') stop(tooMuch(message));
    else timedOut(message);
  }

  const aborted = (): void => stop(cancelled(`${requestName(request)}: cancelled`));
  signal.addEventListener('abort', aborted, { once: true });

  function enter(next: Phase, milliseconds: number): void {
    if (phase === next) return;
    phase = next;
    progress += 1;
    clearTimeout(step);
    step = setTimeout(stepDue, milliseconds);
  }

  return {
    get phase() {
      return phase;
    },
    connecting(started, socket) {
      const connected = (): void => enter('head', limits.headersMs);
      const secure = request.url.protocol === 'https:';
      // A tunnel of a proxy is connected before it is given to the request.
      if (!socket.connecting && (started.reusedSocket || !secure)) connected();
      else socket.once(secure ? 'secureConnect' : 'connect', connected);
    },
    answered(message) {
      raw = message;
      enter('body', limits.idleMs);
    },
    arrived() {
      progress += 1;
      step.refresh();
    },
    end() {
      ended = true;
      clearTimeout(step);
      clearTimeout(total);
      signal.removeEventListener('abort', aborted);
    },
  };
}
