import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { exampleKinds, examplePlatforms } from '../../test/kit/source-example.ts';
import type { Registry } from '../platform/registry.ts';
import { readConfigs } from './configs.ts';

let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'databridge-table-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

const registry = { platforms: examplePlatforms, kinds: exampleKinds } as unknown as Registry;

const HEAD = `name: hall-3
project: p
kind: user-credentials
platform: influxdb
connection: { url: 'https://host.example', username: u, password: s }
options: { database: d }
schedule: { every: 10s }
`;

const read = async (sensors: string) => {
  const file = join(directory, 'hall-3.yaml');
  await writeFile(file, HEAD + sensors);
  return await readConfigs(file, registry, 0);
};

/** Reads a source whose table holds this; the list of its sensors as written, or its problems as `FILE:LINE COLUMN message; remedy`. */
async function tableOf(content: string | Uint8Array, name = 'tags.csv'): Promise<unknown> {
  await writeFile(join(directory, name), content);
  const { sources, problems } = await read(`sensors: { table: ./${name} }`);
  if (problems.length === 0) return (sources[0] as { raw: { sensors: unknown } }).raw.sensors;
  return problems.map(
    ({ file, line, path, message, remedy }) =>
      `${file.replace(`${directory}/`, '')}:${line} ${path}${path === '' ? '' : ' '}${message}; ${remedy}`,
  );
}

/** The problems without their remedies. */
const faults = async (content: string, name?: string): Promise<unknown> =>
  ((await tableOf(content, name)) as string[]).map((line) => line.replace(/; .*/s, ''));

const PUMP = [
  { id: 'P1.FLOW', as: 'pump-1', values: { value: { as: 'flow', scale: 0.1, offset: -3, labels: ['hall 3', 'a;b'] } } },
  { id: 'P1.STATE', as: 'pump-1', values: { value: { as: 'state', states: { Off: 0, 'On=auto': 1 } } } },
  { id: 'P2' },
];

describe('a table of sensors', () => {
  it('in CSV is another way to write the list', async () => {
    const table = String.raw`tag,sensorId,valueName,scale,offset,labels,states
P1.FLOW,pump-1,flow,0.1,-3,hall 3;a\;b,
P1.STATE,pump-1,state,,,,Off=0;On=auto=1
P2,,,,,,
`;
    expect(await tableOf(table)).toEqual(PUMP);
  });

  it('may come from a spreadsheet of a German office: BOM, CRLF, semicolons, decimal commas, empty rows and columns', async () => {
    const table = [
      '\ufefftag;sensorId;valueName;scale;offset;labels;states;',
      'P1.FLOW;pump-1;flow;0,1;-3;"hall 3;a\\;b";;',
      ';;;;;;;',
      '"P1.STATE";pump-1;state;;;;"Off=0;On=auto=1";',
      'P2;;;;;;;',
      '',
    ];
    expect(await tableOf(table.join('\r\n'))).toEqual(PUMP);
    expect(await tableOf(`sep=;\r\n${table.join('\r\n').slice(1)}`)).toEqual(PUMP);
    expect(await tableOf('tag\tscale\nP1\t0.5\n', 'tags.tsv')).toEqual([
      { id: 'P1', values: { value: { scale: 0.5 } } },
    ]);
  });

  it('in YAML has the columns as keys and the types of the list', async () => {
    const table = `# of the historian
- { tag: P1.FLOW, sensorId: pump-1, valueName: flow, scale: 0.1, offset: -3, labels: [hall 3, a;b] }
- tag: P1.STATE
  sensorId: pump-1
  valueName: state
  states: { Off: 0, On=auto: 1 }
- { tag: P2, sensorId: }
`;
    expect(await tableOf(table, 'tags.yaml')).toEqual(PUMP);
  });

  it('gives several variables of a sensor rows of their own', async () => {
    expect(await tableOf('tag,group,variable,valueName,unit\na,g,x,flow,l/s\na,g,y,,\n')).toEqual([
      { id: 'a', group: 'g', values: { x: { as: 'flow', unit: 'l/s' }, y: {} } },
    ]);
  });

  it('gives the same source as the list does', async () => {
    await writeFile(join(directory, 'tags.csv'), 'tag,sensorId,valueName,scale\na,pump,flow,2\nb,pump,head,\n');
    const [fromTable] = (await read('sensors: { table: tags.csv }')).sources;
    const list = `sensors: [{ id: a, as: pump, values: { value: { as: flow, scale: 2 } } }, { id: b, as: pump, values: { value: { as: head } } }]`;
    expect(fromTable).toEqual((await read(list)).sources[0]);
  });

  it('reads 20,000 rows', async () => {
    const rows = Array.from({ length: 20_000 }, (_, row) => `P${row >> 1}.${row % 2},pump-${row >> 1},v${row % 2}`);
    expect(await tableOf(`tag,sensorId,valueName\n${rows.join('\n')}\n`)).toHaveLength(20_000);
  });
});

describe('a table is refused', () => {
  it('for rows that contradict each other, with both lines', async () => {
    const table = `tag,sensorId,valueName,variable
a,pump,flow,
b,pump,flow,
a,pump,head,
c,fan,,
d,fan,,
e,x,s,one
e,x,t,one
e,y,t,two
`;
    expect(await tableOf(table)).toEqual([
      'tags.csv:3 valueName sensorId "pump" with valueName "flow" is also the name of line 2; give one of them another name',
      'tags.csv:4 tag "a" stands in line 2, too; take one of the two rows out',
      'tags.csv:6 sensorId "fan" is also the sensorId of line 5; give one of them another sensorId, or each of them a valueName',
      'tags.csv:8 tag "e" with the variable "one" stands in line 7, too; take one of the two rows out',
      'tags.csv:9 sensorId is another one than in line 7; give all rows of "e" the same one',
    ]);
  });

  it('for cells that hold something else', async () => {
    const table = `tag,scale,offset,states,valueName
a,1.2.3,,,
,2,,,
b,"1,5",0x10,,
c,0,,On,
d,,,On=1;On=2,flow rate
e,,,,,,lost
`;
    expect(await faults(table)).toEqual([
      'tags.csv:2 scale "1.2.3" is not a number',
      'tags.csv:3 tag is empty',
      'tags.csv:4 scale "1,5" is not a number',
      'tags.csv:4 offset "0x10" is not a number',
      'tags.csv:5 states "On" is not a state with its number',
      'tags.csv:6 states the state "On" stands twice',
      'tags.csv:7 "lost" stands below no column',
    ]);
  });

  it('by the rules of the list, at its own lines', async () => {
    expect(await tableOf('tag,scale,valueName,labels\na,2,,\nb,0,flow rate,x;x\n')).toEqual([
      expect.stringMatching(/^tags\.csv:3 valueName "flow rate" does not have the right form; /),
      'tags.csv:3 scale 0 would make every reading the same; use another factor',
      'tags.csv:3 labels holds a label twice; name each label once',
    ]);
    expect(await faults('- { tag: a }\n-\n  tag: 7\n- { tag: b, scale: "2" }\n', 'tags.yaml')).toEqual([
      'tags.yaml:3 tag is not text',
    ]);
    expect(await faults('- { tag: a }\n- { tag: b, scale: "2" }\n', 'tags.yaml')).toEqual([
      'tags.yaml:2 scale must be a number, not "2"',
    ]);
  });

  it('for a character that cannot be stored', async () => {
    expect(await tableOf('tag,sensorId\na,pump\nb\0,fan\n')).toEqual([
      'tags.csv:3 holds a NUL character; save it as "CSV UTF-8"',
    ]);
    expect(await faults('- { tag: a }\n- { tag: "b\\0" }\n', 'tags.yaml')).toEqual([
      'tags.yaml:2 this text holds NUL or half a surrogate pair',
    ]);
  });

  it('for a number that is written in two ways', async () => {
    expect(await faults('tag;scale\na;1,5\nb;1.500\n')).toEqual([
      'tags.csv:3 scale "1.500" has a decimal point, and line 2 a decimal comma',
    ]);
  });

  it('for its heading', async () => {
    expect(await tableOf('Tag,sensorID\na,b\n')).toEqual([
      expect.stringMatching(/^tags\.csv:1 Tag unknown column; did you mean "tag"\? The columns are: tag, variable/),
      expect.stringMatching(/^tags\.csv:1 sensorID unknown column; did you mean "sensorId"\?/),
      expect.stringMatching(/^tags\.csv:1 tag there is no such column; begin it with a heading/),
    ]);
    expect(await faults('tag,tag\na,b\n')).toEqual(['tags.csv:1 tag stands twice in the heading']);
    expect(await faults('- { tga: a }\n', 'tags.yml')).toEqual([
      'tags.yml:1 tga unknown column',
      'tags.yml:1 tag is empty',
    ]);
  });

  it('where it is no table', async () => {
    expect(await faults('')).toEqual(['tags.csv:1 the table is empty']);
    expect(await faults('tag\n')).toEqual(['tags.csv:1 has no row below its heading']);
    expect(await faults('', 'tags.yaml')).toEqual(['tags.yaml:1 the table is empty']);
    expect(await faults('tag: a\n', 'tags.yaml')).toEqual(['tags.yaml:1 is not a list']);
    expect(await faults('- a\n', 'tags.yaml')).toEqual(['tags.yaml:1 is not a row']);
    expect(await faults('tag\na\n"b\n')).toEqual(['tags.csv:3 a quote is not closed']);
    expect(await faults('tag\na"b\n', 'tags.xlsx')).toEqual(['tags.xlsx:1 is neither CSV nor YAML']);
    const { problems } = await read('sensors: { table: gone.csv }');
    expect(problems).toMatchObject([{ file: join(directory, 'gone.csv'), line: 1, message: 'does not exist' }]);
  });

  it('where a spreadsheet program saved another encoding', async () => {
    expect(await tableOf(Uint8Array.of(0x74, 0x61, 0x67, 0x0a, 0xfc, 0x0a))).toEqual([
      'tags.csv:1 is not UTF-8 text; save it as "CSV UTF-8"',
    ]);
  });

  it('with the first problems only, and their number', async () => {
    const rows = Array.from({ length: 20_000 }, () => 'a,x');
    const lines = (await tableOf(`tag,scale\n${rows.join('\n')}\n`)) as string[];
    expect(lines).toHaveLength(21);
    expect(lines.at(-1)).toMatch(/^tags\.csv:\d+ \d+ more problems from here on; mend those above first$/);
  });
});

test('a source with a wrong table and other wrong fields is told both', async () => {
  await writeFile(join(directory, 'tags.csv'), 'tag\n\n,\n');
  const { problems } = await read('sensors: { table: tags.csv }\npace: { burst: 0 }\n');
  expect(problems.map(({ path, message }) => `${path} ${message}`)).toEqual([
    'pace.burst 0 is too small',
    ' has no row below its heading',
  ]);
  expect((await read('sensors: { table: 5 }')).problems).toMatchObject([{ path: 'sensors.table', line: 8 }]);
});
