import { run } from './run.ts';
import { parseOptions } from './thingsboard/options.ts';
import { ThingsBoard } from './thingsboard/platform.ts';

await run((options, clock) => new ThingsBoard(parseOptions(options), clock));
