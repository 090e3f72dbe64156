// One recorder for all simulated platforms: the demo ships with it, these simulators do not ship.
export * from '../../src/demo/recorder.ts';
