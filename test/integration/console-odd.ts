import type { Client } from 'pg';
import type { TruthSpec } from '../../src/simulator/truth.ts';
import { device, livingPlant } from './plant-simulator.ts';

// Names and texts that come from platforms, clients and operators, and must neither break a page nor become a part of it.

/** Texts that a page which takes them for markup, script, an address or an order of words would follow. */
export const ATTACKS: readonly string[] = [
  `"><img src=x onerror="globalThis.hacked=1">`,
  `<script>globalThis.hacked=1</script>`,
  `</textarea></title><svg/onload=globalThis.hacked=1>`,
  `javascript:globalThis.hacked=1`,
  `{{constructor.constructor('globalThis.hacked=1')()}}\${globalThis.hacked=1}`,
  `' autofocus onfocus='globalThis.hacked=1`,
  `<style>*{display:none}</style>`,
  `<base href=//attack.example/><link rel=stylesheet href=//attack.example/a.css>`,
  `__proto__`,
];

const ARABIC = 'مضخة المياه الرئيسية في القاعة الثالثة';
const HEBREW = 'משאבה (3) ראשית';
const EMOJI = '🏭👩🏽‍🔧🇩🇪';
const full = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length);

/** Names of `length` characters, or as written where they are no longer. */
export const oddNames = (length: number): readonly string[] => [
  full('Pumpe im Keller der Halle ', length).trimEnd(),
  full('unbroken', length),
  full(`${ARABIC} `, length).trimEnd(),
  HEBREW,
  `${EMOJI} `.repeat(Math.floor(length / (EMOJI.length + 1))).trimEnd(),
  `${HEBREW} \u202Ebackwards`,
  ...ATTACKS,
];

/** A plant with a name that is written from right to left, and with attacks as the words of an alarm. */
export const oddPlant = (): TruthSpec =>
  livingPlant([
    device(1, 60_000),
    {
      ...device(2, 60_000, []),
      name: HEBREW,
      keys: [{ name: 'alarm', kind: 'text', everyMs: 60_000, words: ATTACKS }],
    },
  ]);

/** Gives a bridge with a source `hall-3` of a project `hall` odd names of each kind that the API takes. */
export async function addOddNames(client: Client): Promise<void> {
  const run = async (text: string, values: readonly unknown[]): Promise<void> =>
    void (await client.query(text, [...values]));
  await run(
    `insert into application (id, organisation_id, name, secret_hash)
     select 'app_' || lpad(to_hex(at), 20, '0'), 'default', name, '' from unnest($1::text[]) with ordinality as one (name, at)`,
    [oddNames(200)],
  );
  await run(
    `insert into ml_project (organisation_id, code, name)
     select 'default', 'odd-' || at || repeat('x', 120), name from unnest($1::text[]) with ordinality as one (name, at)`,
    [oddNames(200)],
  );
  await run(
    `insert into operator_account (name, role) values (repeat('a', 100), 'viewer'), ('b@' || repeat('long.', 19) || 'org', 'operator')`,
    [],
  );
  await run(
    `insert into operator_token (id, operator_id, name, hash, expires_at)
     select 'tok_' || lpad(to_hex(at), 20, '0'), operator_account.id, one.name, decode(md5(one.name), 'hex'), now() + interval '1 day'
     from unnest($1::text[]) with ordinality as one (name, at), operator_account where operator_account.name = 'admin'`,
    [oddNames(200)],
  );
  for (const [table, more, values] of [
    ['series', ', owner', `, ''`],
    ['held_name', '', ''],
  ])
    await run(
      `insert into ${table} (project_id, sensor_id, value_name${more})
       select id, odd, reverse(odd)${values} from ml_project, unnest($1::text[]) as odd where code = 'hall'`,
      [oddNames(300)],
    );
  await run(
    `insert into audit (actor, action, subject, detail)
     select 'operator:' || repeat('a', 100), 'application.created', name, jsonb_build_object('name', name, 'before', null, 'after', jsonb_build_object('labels', name))
     from unnest($1::text[]) as name`,
    [oddNames(200)],
  );
  await run(
    `insert into alert (kind, organisation, subject, severity, what, remedy, since, opened_at, owner, note)
     select 'names', 'default', left(name, 128), 'warning', name, name, now() - interval '5 minutes', now(), 'operator:admin', name
     from unnest($1::text[]) as name`,
    [oddNames(200)],
  );
  await run(
    `update source set last_fault = jsonb_build_object('code', 'unavailable', 'message', $1::text, 'remedy', $1::text, 'at', now())`,
    [ATTACKS.join(' ')],
  );
}
