import { counted } from '../../core/counted.ts';
import { titleOf } from '../../core/source/source-name.ts';
import type { Sensor } from '../../platform/contract.ts';
import { searchSensors, sensorsBlock } from '../../source/sensor-search.ts';
import type { FoundSensors } from '../../source/sensor-search.ts';
import { sensorsDocument } from '../../source/trial-documents.ts';
import { readSettings } from '../../settings.ts';
import { EXIT, printExactly, printJson, printLine } from '../../terminal/output.ts';
import { grouped, short, wrapped } from '../../terminal/words.ts';
import { localNow } from './source-files.ts';
import { interruptible } from './stop.ts';
import { tryingSources } from './tried-sources.ts';

interface SensorsOptions {
  readonly search?: string;
  readonly limit: number;
  readonly organisation?: string;
  readonly inQuietHours?: boolean;
  readonly tryAgain?: boolean;
  readonly json?: boolean;
}

/** `source sensors`. */
export async function sourceSensors(pathOrName: string, options: SensorsOptions): Promise<void> {
  const json = options.json ?? false;
  const { search = '', limit, inQuietHours, tryAgain } = options;
  const settings = readSettings(process.env);
  const documents: Record<string, unknown>[] = [];
  const given = { pathOrName, organisation: options.organisation, json };
  await interruptible('nothing was saved', (signal) =>
    tryingSources(given, settings, async (sources, { bridge }) => {
      for (const { config, platform } of sources) {
        const parts = { now: localNow, signal, bridge, inQuietHours, tryAgain, ...settings.egress };
        const found = await searchSensors(config, platform, { ...parts, search, limit });
        if (json) documents.push(sensorsDocument(config, found));
        else print(found, { search, heading: sources.length > 1 ? titleOf(config) : undefined });
      }
    }),
  );
  if (json && process.exitCode !== EXIT.usage) printJson(documents);
}

const SENSORS_INDENT = '  ';

function print(found: FoundSensors, { search, heading }: { search: string; heading: string | undefined }): void {
  if (heading !== undefined) printLine(`\n${heading}`);
  for (const sensor of found.sensors) {
    printLine(short(sensor.id, Infinity));
    const about = aboutSensor(sensor);
    if (about !== '') printLine(wrapped(about, SENSORS_INDENT));
  }
  const { yaml, unnameable } = sensorsBlock(found.sensors);
  if (yaml !== '') {
    printLine(`\nto read these and no others, put this into the file of the source:\n`);
    printExactly(yaml);
  }
  if (unnameable > 0)
    printLine(wrapped(`${unnameable} left out of it: the id or group is too long or holds a control character`));
  printLine(wrapped(countsInWords(found, search)));
  printLine(`${found.product}: ${counted(found.requests, 'request')}; nothing was saved`);
}

/** The name, group and variables of a sensor, those that it has. */
function aboutSensor({ name, group, variables = [] }: Sensor): string {
  const parts = [
    ...(name === undefined ? [] : [`name ${name}`]),
    ...(group === undefined ? [] : [`group ${group}`]),
    ...(variables.length === 0 ? [] : [`${variables.length === 1 ? 'variable' : 'variables'} ${variables.join(', ')}`]),
  ];
  return short(parts.join('; '), Infinity);
}

function countsInWords({ sensors, complete, byPlatform, compared, examples }: FoundSensors, search: string): string {
  const shown = grouped(sensors.length);
  const asked = JSON.stringify(search);
  if (!complete) {
    const narrow = search === '' ? 'choose some with --search, or' : 'search for more text, or';
    return `the first ${search === '' ? counted(sensors.length, 'sensor') : `${shown} that match ${asked}`}; there are more: ${narrow} raise --limit`;
  }
  if (byPlatform && sensors.length > 0)
    return `${shown} ${sensors.length === 1 ? 'sensor matches' : 'sensors match'} ${asked}; the platform searched for it`;
  if (byPlatform)
    return `no sensor matches ${asked}; the platform searched for it. Leave out --search to see what there is`;
  if (compared === 0) return 'the platform shows no sensors: check the options and the rights of the credentials';
  if (search === '') return `${counted(sensors.length, 'sensor')}`;
  if (sensors.length > 0) return `${shown} of ${grouped(compared)} sensors match ${asked}`;
  return `none of ${grouped(compared)} sensors matches ${asked}; there are, for example: ${examples.join(' ; ')}`;
}
