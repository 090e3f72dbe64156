import type { SimulatedAnswer, Simulator } from './contract.ts';

/**
 * The endpoints with which a test drives any simulator; they are not recorded and no fault hits them.
 *
 * - `POST /__admin/faults` takes a `SimulatedFault` or an array of them and answers `{ids}`; `GET` lists them with their
 *   hits; `DELETE /__admin/faults` switches all off, `DELETE /__admin/faults/ID` a single fault.
 * - `GET /__admin/log` answers every `RecordedRequest`, `GET /__admin/stats` the `RequestStatistics`; `POST
 *   /__admin/reset` starts both afresh.
 * - `GET /__admin/clock` answers `{nowMs}`; `POST /__admin/clock` takes a `ClockChange`.
 * - `POST /__admin/invalidate-tokens` makes every token issued so far worthless; `GET /__admin/state` answers
 *   `SimulatedPlatform.state`.
 */
export function administer(simulator: Simulator, method: string, path: string, body: string): SimulatedAnswer {
  try {
    const result = perform(simulator, `${method} ${path.slice('/__admin/'.length)}`, body);
    return { status: result === undefined ? 404 : 200, body: JSON.stringify(result ?? { message: `no ${path}` }) };
  } catch (cause) {
    return { status: 400, body: JSON.stringify({ message: cause instanceof Error ? cause.message : String(cause) }) };
  }
}

function perform({ platform, clock, recorder, faults }: Simulator, call: string, body: string): unknown {
  switch (call) {
    case 'POST faults':
      return { ids: [JSON.parse(body) as unknown].flat().map((fault) => faults.switchOn(fault)) };
    case 'GET faults':
      return faults.list();
    case 'DELETE faults':
      faults.switchOff();
      return {};
    case 'GET log':
      return recorder.log();
    case 'GET stats':
      return recorder.statistics();
    case 'POST reset':
      recorder.reset();
      return {};
    case 'POST clock':
      clock.change(JSON.parse(body));
      return { nowMs: clock.nowMs() };
    case 'GET clock':
      return { nowMs: clock.nowMs() };
    case 'POST invalidate-tokens':
      platform.invalidateTokens('all');
      return {};
    case 'GET state':
      return platform.state();
    default: {
      const id = /^DELETE faults\/(\d+)$/.exec(call)?.[1];
      if (id === undefined) return undefined;
      faults.switchOff(Number(id));
      return {};
    }
  }
}
