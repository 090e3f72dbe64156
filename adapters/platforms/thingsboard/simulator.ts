import { runSimulator } from '../../../src/simulator/run.ts';
import { parseOptions } from './simulator/options.ts';
import { ThingsBoard } from './simulator/platform.ts';

await runSimulator((options, clock) => new ThingsBoard(parseOptions(options), clock));
