import { expect } from 'vitest';
import { expectFailure, onGround } from './on-ground.ts';
import type { SubjectRules } from './on-ground.ts';
import { differences, expectTruth, truthIn } from './oracle.ts';
import type { Sensor } from '../../../src/platform/contract.ts';
import { httpOf, read, sensorsOf, streamsOf } from './reading.ts';
import type { Outcome } from './reading.ts';
import type { Subject } from './subject.ts';
import { numbersAt, spread, truthOf, windowOf } from './truths.ts';

const MANY = 120;

const plantOf = (subject: Subject, count: number) =>
  truthOf(
    subject,
    Array.from({ length: count }, () => numbersAt(spread(subject, windowOf(subject), 3))),
  );

/** Nothing that was read is wrong. The other sensors are read, unless the failure is one of the whole platform. */
function expectOthers(subject: Subject, count: number, bad: number, outcome: Outcome, mustRead: boolean): void {
  const truth = plantOf(subject, count);
  const devices = truth.devices.filter((_, index) => index !== bad);
  const others = truthIn(subject, { ...truth, devices }, windowOf(subject));
  const read = new Set(outcome.rows.map(([sensorId, valueName, at]) => JSON.stringify([sensorId, valueName, at])));
  const isSeparate = subject.platform.facts.sensorsPerRead === 1 || outcome.failedAlone.length > 0 || mustRead;
  const expected = isSeparate ? others : new Map([...others].filter(([place]) => read.has(place)));
  expect(differences(expected, outcome)).toEqual([]);
  expect(outcome.failedAlone.length).toBeLessThanOrEqual(1);
}

const oneBad =
  (as: 'missing' | 'forbidden' | 'broken') =>
  async (subject: Subject): Promise<void> => {
    const truth = plantOf(subject, 3);
    await onGround(subject, { truth }, async (ground) => {
      const streams = await streamsOf(ground);
      ground.simulator.faults.switchOn({ kind: 'bad-sensor', device: truth.devices[1]?.id ?? '', as });
      const outcome = await read(ground, windowOf(subject), { streams });
      // Any other code would stop the whole source for one sensor, or keep it waiting.
      expectFailure(ground, outcome, 'contract-broken', 'unavailable');
      expectOthers(subject, 3, 1, outcome, as === 'missing');
    });
  };

/** Discovery, and one bad sensor among many. */
export const SENSOR_RULES: SubjectRules = {
  'sensors that are asked for by their ids are the listed ones': async (subject) => {
    await onGround(subject, { truth: plantOf(subject, 12) }, async (ground) => {
      const { platform, options } = ground.source;
      const listed = await sensorsOf(ground);
      if (platform.find === undefined) return;
      const chosen = [listed[3], listed[7]].filter((sensor) => sensor !== undefined);
      const ids = [...chosen.map(({ id }) => id), `${chosen[0]?.id}-that-is-not-there`];
      const found: Sensor[] = [];
      for await (const sensor of platform.find(httpOf(ground), options, ids)) found.push(sensor);
      const inOrder = (sensors: readonly Sensor[]) => sensors.toSorted((one, other) => (one.id < other.id ? -1 : 1));
      expect(inOrder(found)).toEqual(inOrder(chosen));
    });
  },

  'a search of the platform finds every sensor that matches, and no other': async (subject) => {
    await onGround(subject, { truth: plantOf(subject, 12) }, async (ground) => {
      const { platform, options } = ground.source;
      const listed = await sensorsOf(ground);
      const [name = ''] = listed.map(({ id, name: called }) => called ?? id).slice(7);
      const [id = ''] = listed.map((sensor) => sensor.id).slice(4);
      for (const text of [name.slice(1).toUpperCase(), id.slice(-3), 'no such sensor', '*', '?', '%', '_', '\\']) {
        const matches = ({ id: one, name: called = '' }: Sensor) =>
          [one, called].some((part) => part.toLowerCase().includes(text.toLowerCase()));
        const found: Sensor[] = [];
        for await (const sensor of platform.search?.(httpOf(ground), options, text) ?? listed) found.push(sensor);
        const ids = (sensors: readonly Sensor[]) => sensors.map((sensor) => JSON.stringify(sensor)).toSorted();
        expect(ids(found.filter(matches)), text).toEqual(ids(listed.filter(matches)));
        expect(listed, text).toEqual(expect.arrayContaining(found));
      }
    });
  },

  'every sensor of a large plant is found once and read': async (subject) => {
    const { sensorsPerRead } = subject.platform.facts;
    const count = sensorsPerRead >= MANY && sensorsPerRead <= 1000 ? sensorsPerRead + 1 : MANY;
    const truth = plantOf(subject, count);
    await onGround(subject, { truth }, async (ground) => {
      const found = (await sensorsOf(ground)).map(({ group, id }) => JSON.stringify([group, id]));
      expect(new Set(found).size, 'sensors that come twice').toBe(found.length);
      expectTruth(subject, truth, windowOf(subject), await read(ground, windowOf(subject)));
    });
  },

  'a plant without sensors has none, and no error': async (subject) => {
    await onGround(subject, { truth: truthOf(subject, []) }, async (ground) => {
      expect(await sensorsOf(ground)).toEqual([]);
    });
  },

  'a sensor that may not be read does not hide the others from a look': async (subject) => {
    const truth = plantOf(subject, 3);
    await onGround(subject, { truth }, async (ground) => {
      const all = (await sensorsOf(ground)).map(({ id }) => id);
      const bad = truth.devices[1];
      if (bad === undefined) throw new Error('the plant has three devices');
      ground.simulator.faults.switchOn({ kind: 'bad-sensor', device: bad.id, as: 'forbidden' });
      const found = (await sensorsOf(ground)).map(({ id }) => id);
      const hidden = bad.keys.map((key) => subject.product.seriesOf(bad, key).sensorId);
      expect(all.filter((id) => !found.includes(id) && !hidden.includes(id))).toEqual([]);
    });
  },

  'a sensor that was deleted is not an empty one': async (subject) => {
    await onGround(subject, { truth: plantOf(subject, 3) }, async (ground) => {
      const streams = await streamsOf(ground);
      const truth = plantOf(subject, 3);
      ground.change({ ...truth, devices: truth.devices.filter((_, index) => index !== 1) });
      const outcome = await read(ground, windowOf(subject), { streams });
      expectFailure(ground, outcome);
      expectOthers(subject, 3, 1, outcome, true);
    });
  },

  'one sensor among many that is missing does not look empty': oneBad('missing'),
  'one sensor among many that may not be read does not look empty': oneBad('forbidden'),
  'one sensor among many that breaks the platform does not look empty': oneBad('broken'),
};
