import { parseArgs } from 'node:util';
import { SimulatedClock } from './clock.ts';
import type { SimulatedProduct } from './contract.ts';
import { serve } from './serve.ts';

const usage = `usage: node adapters/platforms/NAME/simulator.ts [--port N] [--options JSON] [--clock MS] [--until-stdin-ends]
  --port              0, the default, takes a free port of 127.0.0.1
  --options           the simulator's own options
  --clock             freeze the simulator's clock at this instant, milliseconds since 1970
  --until-stdin-ends  exit when standard input ends, so that no simulator outlives the process that started it
`;

/**
 * The command line of every simulator. Prints a JSON line `{"url": "http://127.0.0.1:…"}` once it listens; ends with exit
 * code 2 and a reason on wrong usage.
 */
export async function runSimulator(simulated: Pick<SimulatedProduct, 'open'>): Promise<void> {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '0' },
        options: { type: 'string', default: '{}' },
        clock: { type: 'string' },
        'until-stdin-ends': { type: 'boolean', default: false },
      },
    });
    const clock = new SimulatedClock();
    if (values.clock !== undefined) clock.change({ nowMs: Number(values.clock) });
    const { url } = await serve(simulated.open(JSON.parse(values.options), clock), clock, {
      port: Number(values.port),
    });
    if (values['until-stdin-ends']) process.stdin.resume().once('end', () => process.exit(0));
    process.stdout.write(`${JSON.stringify({ url })}\n`);
  } catch (cause) {
    process.stderr.write(`${String(cause)}\n${usage}`);
    process.exitCode = 2;
  }
}
