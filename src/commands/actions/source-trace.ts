import { withContext } from '../../context.ts';
import { findSource } from '../../source/find-source.ts';
import { traceDocument, traceOf } from '../../source/trace.ts';
import { EXIT, printJson, printLine } from '../../terminal/output.ts';
import { parseTime } from '../options.ts';

export interface TraceOptions {
  readonly organisation?: string;
  readonly sensor: string;
  readonly at: string;
  readonly json?: boolean;
}

/** `source trace`. */
export async function sourceTrace(name: string, { organisation, sensor, at, json }: TraceOptions): Promise<void> {
  const traced = await withContext(async ({ database, clock }) => {
    const instant = parseTime(at, clock.now(), '--at');
    return await traceOf(database, await findSource(database, { name, organisation }), { sensor, at: instant });
  });
  printTrace(traceDocument(traced), json);
}

/** Prints what became of a point, and sets the exit code. */
export function printTrace(traced: ReturnType<typeof traceDocument>, json: boolean | undefined): void {
  if (traced.fate !== 'stored') process.exitCode = EXIT.failed;
  if (json) {
    printJson(traced);
    return;
  }
  printLine(`${traced.sensor} at ${traced.at}: ${traced.message}`);
  for (const { sensorId, valueName, value } of traced.readings) printLine(`  ${sensorId} ${valueName}: ${value}`);
  if (traced.fate !== 'stored') {
    const beside = [
      traced.before === null ? '' : `before it ${traced.before}`,
      traced.after === null ? '' : `after it ${traced.after}`,
    ].filter(Boolean);
    if (beside.length > 0) printLine(`  nearest readings: ${beside.join(', ')}`);
  }
  if (traced.remedy !== null) printLine(`  try: ${traced.remedy}`);
}
