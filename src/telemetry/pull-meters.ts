import { Counter, Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import type { DeliveryMeters } from '../delivery/meters.ts';
import type { PullMeters } from '../pull/meters.ts';
import { Tally } from './tally.ts';

/** Seconds of one step of the planner: three statements and their dispatch. */
const STEPS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Seconds from the first request of a window to its commit. */
const WINDOWS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** Counters of the poll path, by platform and lane. */
export function pullMetersOf(registry: Registry): Omit<PullMeters, keyof DeliveryMeters> {
  const registers = [registry];
  const labelNames = ['platform', 'lane'];
  const windows = new Tally({
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
  const phases = new Tally({
    registers,
    name: 'databridge_window_phase_seconds_total',
    help: 'Time that stored windows spent waiting for request slots (wait), for answers (ask), normalising and storing.',
    labelNames: [...labelNames, 'phase'],
  });
  const points = new Tally({
    registers,
    name: 'databridge_points_total',
    help: 'Points that platforms answered, in windows that were stored.',
    labelNames,
  });
  const readings = new Tally({
    registers,
    name: 'databridge_readings_total',
    help: 'Readings of stored windows: new ones, revised ones, and duplicates of stored ones.',
    labelNames: [...labelNames, 'result'],
  });
  const bytes = new Tally({
    registers,
    name: 'databridge_answer_bytes_total',
    help: 'Bytes that platforms sent, in windows that were stored.',
    labelNames,
  });
  const refused = new Tally({
    registers,
    name: 'databridge_refused_points_total',
    help: 'Points of platforms that may not become readings.',
    labelNames: ['platform', 'reason'],
  });
  const slots = new Tally({
    registers,
    name: 'databridge_pace_slots_total',
    help: 'Requests to platforms that got a slot, by how they ended.',
    labelNames: ['kind', 'ending'],
  });
  const refusedSlots = new Tally({
    registers,
    name: 'databridge_pace_slots_refused_total',
    help: 'Requests to platforms that got no slot in time, and were not sent.',
    labelNames: ['kind'],
  });
  const waits = new Tally({
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
  const taken = new Tally({
    registers,
    name: 'databridge_planner_jobs_total',
    help: 'Due jobs that the planner of this process gave to the queue.',
    labelNames: ['work'],
  });
  return {
    window({ platform, lane }, outcome, seconds) {
      windows.add(1, platform, lane, outcome);
      durations.observe({ platform, lane }, seconds);
    },
    stored(window) {
      const { platform, lane } = window;
      points.add(window.points, platform, lane);
      bytes.add(window.bytes, platform, lane);
      readings.add(window.fresh, platform, lane, 'new');
      readings.add(window.revised, platform, lane, 'revised');
      readings.add(window.duplicates, platform, lane, 'duplicate');
      phases.add(window.waited, platform, lane, 'wait');
      phases.add(window.asked, platform, lane, 'ask');
      phases.add(window.normalised, platform, lane, 'normalise');
      phases.add(window.stored, platform, lane, 'store');
      for (const [reason, count] of window.refused) refused.add(count, platform, reason);
    },
    slot(kind, ending) {
      slots.add(1, kind, ending);
    },
    waited(kind, seconds, got) {
      waits.add(seconds, kind);
      if (!got) refusedSlots.add(1, kind);
    },
    planned(work, jobs) {
      taken.add(jobs, work);
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
