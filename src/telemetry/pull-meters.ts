import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { DeliveryMeters } from '../delivery/meters.ts';
import type { PullMeters } from '../pull/meters.ts';

/** Seconds of one step of the planner: three statements and their dispatch. */
const STEPS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Seconds from the first request of a window to its commit. */
const WINDOWS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Counters of the poll path, by platform and lane. */
export function pullMetersOf(registry: Registry): Omit<PullMeters, keyof DeliveryMeters> {
  const registers = [registry];
  const labelNames = ['platform', 'lane'];
  const windows = new Counter({
    registers,
    name: 'databridge_windows_total',
    help: 'Windows that ended: stored, halved, or with the code of the fault that ended them.',
    labelNames: [...labelNames, 'outcome'],
  });
  const durations = new Histogram({
    registers,
    name: 'databridge_window_duration_seconds',
    help: 'Time from the first request of a window to its end, whatever the outcome.',
    labelNames,
    buckets: WINDOWS,
  });
  const phases = new Counter({
    registers,
    name: 'databridge_window_phase_seconds_total',
    help: 'Time that stored windows spent waiting for request slots (wait), for answers (ask), normalising and storing.',
    labelNames: [...labelNames, 'phase'],
  });
  const points = new Counter({
    registers,
    name: 'databridge_points_total',
    help: 'Points that platforms answered, in windows that were stored.',
    labelNames,
  });
  const readings = new Counter({
    registers,
    name: 'databridge_readings_total',
    help: 'Readings of stored windows: new ones, revised ones, and duplicates of stored ones.',
    labelNames: [...labelNames, 'result'],
  });
  const bytes = new Counter({
    registers,
    name: 'databridge_answer_bytes_total',
    help: 'Bytes that platforms sent, in windows that were stored.',
    labelNames,
  });
  const refused = new Counter({
    registers,
    name: 'databridge_refused_points_total',
    help: 'Points of platforms that may not become readings.',
    labelNames: ['platform', 'reason'],
  });
  const slots = new Counter({
    registers,
    name: 'databridge_pace_slots_total',
    help: 'Requests to platforms that got a slot, by how they ended.',
    labelNames: ['kind', 'ending'],
  });
  const refusedSlots = new Counter({
    registers,
    name: 'databridge_pace_slots_refused_total',
    help: 'Requests to platforms that got no slot in time, and were not sent.',
    labelNames: ['kind'],
  });
  const waits = new Counter({
    registers,
    name: 'databridge_pace_wait_seconds_total',
    help: 'Time that requests to platforms waited for their slots.',
    labelNames: ['kind'],
  });
  const steps = new Histogram({
    registers,
    name: 'databridge_planner_step_duration_seconds',
    help: 'Time of one step of the planner.',
    buckets: STEPS,
  });
  const taken = new Counter({
    registers,
    name: 'databridge_planner_jobs_total',
    help: 'Due jobs that the planner of this process gave to the queue.',
    labelNames: ['work'],
  });
  return {
    window({ platform, lane }, outcome, seconds) {
      windows.inc({ platform, lane, outcome });
      durations.observe({ platform, lane }, seconds);
    },
    stored(window) {
      const { platform, lane } = window;
      const labels = { platform, lane };
      points.inc(labels, window.points);
      bytes.inc(labels, window.bytes);
      readings.inc({ ...labels, result: 'new' }, window.fresh);
      readings.inc({ ...labels, result: 'revised' }, window.revised);
      readings.inc({ ...labels, result: 'duplicate' }, window.duplicates);
      phases.inc({ ...labels, phase: 'wait' }, window.waited);
      phases.inc({ ...labels, phase: 'ask' }, window.asked);
      phases.inc({ ...labels, phase: 'normalise' }, window.normalised);
      phases.inc({ ...labels, phase: 'store' }, window.stored);
      for (const [reason, count] of window.refused) refused.inc({ platform, reason }, count);
    },
    slot(kind, ending) {
      slots.inc({ kind, ending });
    },
    waited(kind, seconds, got) {
      waits.inc({ kind }, seconds);
      if (!got) refusedSlots.inc({ kind });
    },
    planned(work, jobs) {
      taken.inc({ work }, jobs);
    },
    step(seconds) {
      steps.observe(seconds);
    },
  };
}

/** Counters of deliveries to remote services. */
export function deliveryMetersOf(registry: Registry): DeliveryMeters {
  const registers = [registry];
  const requests = new Counter({
    registers,
    name: 'databridge_delivery_requests_total',
    help: 'Bodies that remote services took.',
  });
  const readings = new Counter({
    registers,
    name: 'databridge_delivered_readings_total',
    help: 'Readings that remote services took.',
  });
  const refused = new Counter({
    registers,
    name: 'databridge_delivery_refused_readings_total',
    help: 'Readings that remote services refused.',
  });
  const failures = new Counter({
    registers,
    name: 'databridge_delivery_failures_total',
    help: 'Deliveries that failed, by the kind of the fault; their readings are sent again.',
    labelNames: ['kind'],
  });
  return {
    delivered(given) {
      requests.inc(given.requests);
      readings.inc(given.readings - given.refused);
      refused.inc(given.refused);
    },
    failed(kind) {
      failures.inc({ kind });
    },
  };
}
