import { Eye } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { lines } from '../client/api.ts';
import { momentOf, numberOf, valueOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { useAction } from '../parts/dialog.tsx';
import { Select } from '../parts/field.tsx';
import { Figures, Notice, Trouble } from '../parts/page.tsx';
import { reasonOf } from '../parts/reason.ts';
import { Table } from '../parts/table.tsx';
import { texts } from '../texts.ts';
import type { Tried } from './check.tsx';

const t = texts.preview;

interface Fault {
  readonly message: string;
  readonly remedy?: string | null;
}

/** What the bridge says of a preview. */
export interface Previewed {
  readonly complete: boolean;
  readonly readings: number;
  readonly series: number;
  readonly requests: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly examples: readonly { sensor: string; variable: string; reason: string; at: string | null; raw: string }[];
  readonly sample: readonly { sensorId: string; valueName: string; date: string; value: number }[];
  readonly windows: readonly { stream: string; from: string; to: string; readings: number }[];
  readonly unreadable: readonly { stream: string; message: string }[];
  readonly failed: readonly { sensor: string; message: string }[];
  readonly missing: Fault | null;
  readonly overload: Fault | null;
}

async function read(tried: Tried, from: string): Promise<Previewed | undefined> {
  const query = { from, limit: 20 };
  const all =
    'yaml' in tried
      ? lines('previewDocument', { query, body: tried.yaml })
      : lines('previewSource', { params: tried, query });
  let found: Previewed | undefined;
  for await (const { result } of all) found = result as Previewed;
  return found;
}

/** Reads a stretch as polls would, and shows what would be stored and refused. */
export function Preview({ of, seen }: { of: Tried; seen?: (previewed: Previewed) => void }): ComponentChild {
  const [from, setFrom] = useState('1h');
  const [found, setFound] = useState<Previewed>();
  const { submit, refusal, isBusy } = useAction(async () => {
    const previewed = await read(of, from);
    setFound(previewed);
    if (previewed) seen?.(previewed);
  });
  return (
    <div class="stack">
      <div class="tools">
        <Select
          label={t.from}
          isSilent
          value={from}
          set={setFrom}
          options={(['10m', '1h', '6h', '1d'] as const).map((key) => [key, t.last[key]])}
        />
        <Button icon={Eye} isBusy={isBusy} act={submit}>
          {found ? t.again : t.verb}
        </Button>
      </div>
      {refusal && <Trouble refusal={refusal} />}
      {found && <Found of={found} />}
    </div>
  );
}

function Found({ of }: { of: Previewed }): ComponentChild {
  const refused = Object.values(of.refused).reduce((all, count) => all + count, 0);
  return (
    <>
      <Figures
        of={[
          [t.readings, numberOf(of.readings)],
          [t.series, numberOf(of.series)],
          [t.refused, numberOf(refused)],
          [t.requests, numberOf(of.requests)],
        ]}
      />
      {[of.missing, of.overload].map(
        (fault) =>
          fault && (
            <Notice key={fault.message} tone="warn" remedy={fault.remedy}>
              {fault.message}
            </Notice>
          ),
      )}
      {[
        ...of.unreadable.map(({ stream, message }) => [stream, message]),
        ...of.failed.map(({ sensor, message }) => [sensor, message]),
      ].map(([name, message]) => (
        <Notice key={name} tone="bad">
          <bdi>{name}</bdi>: {message}
        </Notice>
      ))}
      {of.examples.length > 0 && (
        <Table
          label={t.refused}
          rows={of.examples}
          keyOf={({ sensor, reason, at }) => `${sensor} ${reason} ${at}`}
          columns={[
            {
              title: t.sensor,
              kind: 'name',
              cell: ({ sensor, variable }) => (
                <span class="mono">
                  <bdi>{sensor}</bdi> <bdi>{variable}</bdi>
                </span>
              ),
            },
            { title: t.reason, cell: ({ reason }) => reasonOf(reason) },
            { title: t.at, cell: ({ at }) => (at ? momentOf(at) : '–') },
            { title: t.raw, cell: ({ raw }) => <code dir="auto">{raw}</code> },
          ]}
        />
      )}
      {of.sample.length > 0 && (
        <Table
          label={t.readings}
          rows={of.sample}
          keyOf={({ sensorId, valueName, date }) => `${sensorId} ${valueName} ${date}`}
          columns={[
            { title: t.sensor, kind: 'name', cell: ({ sensorId }) => <bdi class="mono">{sensorId}</bdi> },
            { title: t.value, cell: ({ valueName }) => <bdi class="mono">{valueName}</bdi> },
            { title: t.at, cell: ({ date }) => momentOf(date) },
            { title: t.number, kind: 'number', cell: ({ value }) => valueOf(value) },
          ]}
        />
      )}
    </>
  );
}
