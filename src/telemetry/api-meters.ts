import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { ApiMeters } from '../api/meters.ts';

/** Seconds: a push of one reading takes some milliseconds, and a push is answered after 30 s at the latest unless told otherwise. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counters of both APIs. No label holds a text of a client. */
export function apiMetersOf(registry: Registry): ApiMeters {
  const registers = [registry];
  const requests = new Counter({
    registers,
    name: 'databridge_api_requests_total',
    help: 'Requests to the APIs that were answered.',
    labelNames: ['api', 'route', 'method', 'status'],
  });
  const durations = new Histogram({
    registers,
    name: 'databridge_api_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer.',
    labelNames: ['api', 'route'],
    buckets: DURATIONS,
  });
  const received = new Counter({
    registers,
    name: 'databridge_api_received_bytes_total',
    help: 'Bytes of requests, heads included, bodies as they were packed.',
    labelNames: ['api'],
  });
  const sent = new Counter({
    registers,
    name: 'databridge_api_sent_bytes_total',
    help: 'Bytes of answers, heads included.',
    labelNames: ['api'],
  });
  const readings = new Counter({
    registers,
    name: 'databridge_pushed_readings_total',
    help: 'Readings that were pushed and stored: new ones, revised ones, and duplicates of stored ones.',
    labelNames: ['result'],
  });
  const refused = new Counter({
    registers,
    name: 'databridge_pushed_refused_readings_total',
    help: 'Readings that were pushed and refused.',
    labelNames: ['reason'],
  });
  const unauthenticated = new Counter({
    registers,
    name: 'databridge_api_refused_authentications_total',
    help: 'Authentications of the push API that were refused.',
    labelNames: ['reason'],
  });
  const problems = new Counter({
    registers,
    name: 'databridge_api_problems_total',
    help: 'Requests of the push API that were answered with a problem, by its type.',
    labelNames: ['problem'],
  });
  return {
    request(answered) {
      const { api, route = 'none', status } = answered;
      const method = METHODS.has(answered.method) ? answered.method : 'other';
      requests.inc({ api, route, method, status });
      durations.observe({ api, route }, answered.seconds);
      received.inc({ api }, answered.received);
      sent.inc({ api }, answered.sent);
    },
    pushed({ accepted, duplicates, revised, refused: reasons }) {
      if (accepted > 0) readings.inc({ result: 'new' }, accepted);
      if (duplicates > 0) readings.inc({ result: 'duplicate' }, duplicates);
      if (revised > 0) readings.inc({ result: 'revised' }, revised);
      for (const [reason, count] of reasons) refused.inc({ reason }, count);
    },
    unauthenticated(reason) {
      unauthenticated.inc({ reason });
    },
    problem(name) {
      problems.inc({ problem: name });
    },
  };
}
