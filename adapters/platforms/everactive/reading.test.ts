import { expect, test } from 'vitest';
import { measured } from './reading.ts';

test('the values of a vibration reading have names; settings, spectra and the health of the sensor are none', () => {
  const reading = {
    macAddress: 'bc:5e:a1:00:00:00:00:01',
    timestamp: 1_700_000_100,
    scap: 4.1,
    rssiUplink: -50,
    temperatureMeasurements: [
      { sensorIndex: 1, value: 305.5 },
      { sensorIndex: 0, value: 0 },
    ],
    vibrationalMeasurements: {
      velocity: {
        overallLevels: { axial: 1.5, radial: null },
        maxLevels: { axial: 1 },
        spectralPeaks: { axial: [{ frequency: 59, magnitude: 1 }] },
        configurationMetadata: { units: 'mm/s', sampleRate: 3200 },
      },
      acceleration: { maxLevels: { tangential: 300 } },
    },
    electricalFieldMeasurements: { maxLevel: 40, spectral_peaks: [{ frequency: 60, magnitude: 40 }] },
  };
  expect(measured(reading)).toEqual([
    ['temperature[1]', 305.5],
    ['temperature[0]', 0],
    ['velocity.overall.axial', 1.5],
    ['velocity.overall.radial', null],
    ['velocity.max.axial', 1],
    ['acceleration.max.tangential', 300],
    ['electricalField.max', 40],
  ]);
});

test('the values of an environmental reading, and of a schema that is newer than this adapter', () => {
  const reading = {
    pressureMeasurement: 1017,
    movementMeasurement: { initialAcceleration: { x: -40, y: -63, z: -921 }, movement: true },
    loadCounts: [{ trim: 4, count: 9, measurementTime: 10 }],
    magneticFieldMeasurement: { overallLevel: 3 },
    humidityMeasurements: [{ sensorIndex: 0, value: 'wet' }, 5],
  };
  expect(measured(reading)).toEqual([
    ['pressure', 1017],
    ['movement.x', -40],
    ['movement.y', -63],
    ['movement.z', -921],
    ['magneticField.overall', 3],
    ['humidity[0]', 'wet'],
    ['humidity[1]', 5],
  ]);
});
