import { Radio } from 'lucide';
import type { ComponentChild } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { lines } from '../client/api.ts';
import { numberOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { useAction } from '../parts/dialog.tsx';
import { Card, Empty, Skeleton, Trouble } from '../parts/page.tsx';
import { Table } from '../parts/table.tsx';
import { Search } from '../parts/search.tsx';
import { texts } from '../texts.ts';
import { useDraft } from './draft.ts';
import { StepButtons } from './step-buttons.tsx';
import type { StepProps } from './step-buttons.tsx';

const t = texts.register;

interface Found {
  readonly complete: boolean;
  readonly compared: number;
  readonly requests: number;
  readonly sensors: readonly {
    readonly id: string;
    readonly name: string | null;
    readonly group: string | null;
    readonly variables: readonly string[] | null;
  }[];
}

/** The sensors that the platform shows to these credentials. */
export function SensorsStep({ next, back }: StepProps): ComponentChild {
  const { yaml } = useDraft();
  const [text, setText] = useState('');
  const [found, setFound] = useState<Found>();
  const { submit, refusal, isBusy } = useAction(async () => {
    for await (const { result } of lines('searchDocument', { query: { search: text, limit: 100 }, body: yaml }))
      setFound(result as Found);
  });
  useEffect(() => void submit(), []);
  return (
    <>
      <Card
        title={texts.sensors.title}
        beside={
          found && <span class="small quiet">{t.found(numberOf(found.sensors.length), numberOf(found.compared))}</span>
        }
      >
        <form
          class="tools body"
          onSubmit={(event) => {
            event.preventDefault();
            void submit();
          }}
        >
          <Search label={t.searchSensors} value={text} set={setText} most={200} />
          <Button type="submit" isBusy={isBusy}>
            {t.look}
          </Button>
        </form>
        {refusal && <Trouble refusal={refusal} again={() => void submit()} />}
        {found === undefined ? (
          !refusal && <Skeleton again={() => void submit()} />
        ) : found.sensors.length === 0 ? (
          <Empty icon={Radio} title={t.noSensors}>
            {t.noSensorsAbout}
          </Empty>
        ) : (
          <Table
            label={texts.sensors.title}
            rows={found.sensors}
            keyOf={({ id }) => id}
            columns={[
              { title: t.sensorId, kind: 'name', cell: ({ id }) => <bdi class="mono">{id}</bdi> },
              { title: t.sensorName, cell: ({ name }) => <bdi>{name ?? '–'}</bdi> },
              { title: t.sensorGroup, cell: ({ group }) => <bdi>{group ?? '–'}</bdi> },
              { title: t.variables, cell: ({ variables }) => variables?.join(', ') ?? '–' },
            ]}
          />
        )}
      </Card>
      <StepButtons next={next} back={back} />
    </>
  );
}
