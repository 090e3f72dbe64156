import { audit } from '../access/audit.ts';
import { configInvalid } from '../core/errors.ts';
import type { FullName } from '../core/near-names.ts';
import { titleOf } from '../core/source/source-name.ts';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { nameOfSeries } from '../ingest/new-names.ts';
import { MOST_RENAMED, renamedNames } from '../ingest/renamed-names.ts';
import { nameInWords } from './near-series.ts';
import { projectRoom } from './project-room.ts';
import type { WantedProject } from './project-room.ts';

/** The lines that an operator adds to the file of a source, so that a variable gets the name of a series. */
export interface RenameInFile {
  readonly source: string;
  readonly yaml: string;
}

/** A name that applications push, and the name of the series that its readings go to. */
interface PushedRename {
  readonly from: FullName;
  readonly to: FullName;
}

/** The answer to a rename. */
export interface Renamed {
  /** Names that applications push for series of other names from now on. */
  readonly pushed: readonly PushedRename[];
  /** The applications that pushed them. Only they can send those readings again. */
  readonly applications: readonly string[];
  /** One for each source that brought some of the names. They stay held back until the file is applied. */
  readonly files: readonly RenameInFile[];
}

interface Held extends FullName, Record<string, unknown> {
  readonly source: string | null;
  readonly organisation: string | null;
  readonly application: string | null;
  readonly holder: string | null;
}

/**
 * Maps held names to series that the project has: one name, or all valueNames of a sensorId where none is given. A name that
 * applications push is mapped here. A source has one place for its names, its file, so the answer has the lines for it.
 *
 * Throws `config-invalid` for an unknown project, where no such name is held, and where the project has no such series.
 */
export async function renameHeld(
  database: Database,
  project: WantedProject,
  { sensorId, valueName }: { readonly sensorId: string; readonly valueName?: string | undefined },
  as: { readonly sensorId: string; readonly valueName?: string | undefined },
  actor: string,
): Promise<Renamed> {
  const { id } = await projectRoom(database, project);
  return await database.transaction(async (client) => {
    // Projects are locked before series, as everywhere.
    await client.query('select from ml_project where id = $1 for no key update', [id]);
    const held = await rowsOf<Held>(
      client,
      `select sensor_id as "sensorId", value_name as "valueName", source.name as source, source.organisation_id as organisation,
         application_id as application, holder
       from held_name left join source on source.id = source_id
       where held_name.project_id = $1 and sensor_id = $2 and ($3::text is null or value_name = $3) order by 1, 2
       for update of held_name`,
      [id, sensorId, valueName ?? null],
    );
    if (held.length === 0) {
      throw configInvalid('no such name is held back', 'databridge project names PROJECT lists them', 'sensorId');
    }
    const renames = held.map((from) => ({
      from,
      to: { sensorId: as.sensorId, valueName: as.valueName ?? from.valueName },
    }));
    const known = await rowsOf<FullName & Record<string, unknown>>(
      client,
      `select sensor_id as "sensorId", value_name as "valueName" from series where project_id = $1 and sensor_id = $2`,
      [id, as.sensorId],
    );
    const missing = renames.find(({ to }) => known.every((one) => one.valueName !== to.valueName));
    if (missing !== undefined) {
      throw configInvalid(
        `project ${project.code} has no series ${nameInWords(missing.to)}`,
        'name a series that it has; databridge project release lets a new name in',
        'as',
      );
    }
    const byApplications = renames.filter(({ from }) => from.application !== null);
    // Several applications may push one name.
    const pushed = [...new Map(byApplications.map((rename) => [nameOfSeries(rename.from), rename])).values()];
    if (pushed.length > 0) {
      await client.query(
        `with renamed as (
           insert into renamed_name (project_id, sensor_id, value_name, to_sensor_id, to_value_name)
           select $1::int, * from unnest($2::text[], $3::text[], $4::text[], $5::text[]) order by 2, 3
           on conflict (project_id, sensor_id, value_name) do update
             set to_sensor_id = excluded.to_sensor_id, to_value_name = excluded.to_value_name
           returning sensor_id, value_name)
         delete from held_name using renamed where held_name.project_id = $1 and application_id is not null
           and held_name.sensor_id = renamed.sensor_id and held_name.value_name = renamed.value_name`,
        [
          id,
          pushed.map(({ from }) => from.sensorId),
          pushed.map(({ from }) => from.valueName),
          pushed.map(({ to }) => to.sensorId),
          pushed.map(({ to }) => to.valueName),
        ],
      );
      const [count] = await rowsOf<{ renamed: number }>(
        client,
        'select count(*) as renamed from renamed_name where project_id = $1',
        [id],
      );
      if ((count?.renamed ?? 0) > MOST_RENAMED) throw tooMany();
      // Processes forget the names that they remember.
      await client.query('update hand_over set count = count + 1');
      const { organisation, code } = project;
      await audit(client, actor, 'project.renamed', code, {
        organisation,
        sensorId,
        valueName,
        as,
        names: pushed.length,
      });
    }
    const plain = ({ sensorId: sensor, valueName: value }: FullName): FullName => ({
      sensorId: sensor,
      valueName: value,
    });
    return {
      pushed: pushed.map(({ from, to }) => ({ from: plain(from), to })),
      applications: [...new Set(byApplications.flatMap(({ from }) => from.application ?? []))].sort(),
      files: filesOf(renames),
    };
  });
}

/** The names that are pushed to a project for series of other names, in the order of the names. Throws `config-invalid` for an unknown project. */
export async function pushedRenames(database: Database, project: WantedProject): Promise<PushedRename[]> {
  const { id } = await projectRoom(database, project);
  return [...(await renamedNames(database, id))]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, to]) => {
      const [sensorId = '', valueName = ''] = name.split('\n');
      return { from: { sensorId, valueName }, to };
    });
}

const tooMany = (): Error =>
  configInvalid(
    `a project can have at most ${MOST_RENAMED} renamed names`,
    'correct the names in the program that sends them, and end renames with databridge project unrename',
  );

/** Ended renames whose former series stand in the audit. */
const MOST_NOTED = 20;

/** Ends the mapping of a pushed name, or of all valueNames of a sensorId. It counts as a new name then. Returns their number. */
export async function unrename(
  database: Database,
  project: WantedProject,
  { sensorId, valueName }: { readonly sensorId: string; readonly valueName?: string | undefined },
  actor: string,
): Promise<number> {
  const { id } = await projectRoom(database, project);
  return await database.transaction(async (client) => {
    const ended = await rowsOf<FullName & { as: FullName }>(
      client,
      `delete from renamed_name where project_id = $1 and sensor_id = $2 and ($3::text is null or value_name = $3)
       returning sensor_id as "sensorId", value_name as "valueName",
         jsonb_build_object('sensorId', to_sensor_id, 'valueName', to_value_name) as as`,
      [id, sensorId, valueName ?? null],
    );
    if (ended.length === 0) {
      throw configInvalid(
        'no such name is renamed',
        'databridge project names PROJECT --renamed lists them',
        'sensorId',
      );
    }
    await client.query('update hand_over set count = count + 1');
    const { organisation, code } = project;
    await audit(client, actor, 'project.unrenamed', code, {
      organisation,
      sensorId,
      valueName,
      names: ended.length,
      before: ended.slice(0, MOST_NOTED),
    });
    return ended.length;
  });
}

/** The lines for the file of each source, with the sensor and variable as its platform calls them. */
function filesOf(renames: readonly { readonly from: Held; readonly to: FullName }[]): RenameInFile[] {
  const bySource = new Map<string, Map<string, { readonly as: string; readonly values: string[] }>>();
  for (const { from, to } of renames) {
    if (from.source === null || from.holder === null) continue;
    const [sensor, variable] = JSON.parse(from.holder) as [string, string];
    const title = titleOf({ name: from.source, organisation: from.organisation ?? 'default' });
    const sensors = bySource.get(title) ?? new Map<string, { readonly as: string; readonly values: string[] }>();
    bySource.set(title, sensors);
    const values: string[] = sensors.get(sensor)?.values ?? [];
    if (to.valueName !== from.valueName) values.push(`      ${yamlText(variable)}: { as: ${yamlText(to.valueName)} }`);
    sensors.set(sensor, { as: to.sensorId, values });
  }
  return [...bySource].map(([source, sensors]) => ({
    source,
    yaml: [
      'sensors:',
      ...[...sensors].flatMap(([id, { as, values }]) => [
        `  - id: ${yamlText(id)}`,
        ...(as === id ? [] : [`    as: ${yamlText(as)}`]),
        ...(values.length > 0 ? ['    values:', ...values] : []),
      ]),
    ].join('\n'),
  }));
}

/** JSON text is YAML text, whatever it holds. */
const yamlText = (text: string): string => JSON.stringify(text);
