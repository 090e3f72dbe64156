import type { ComponentChild, ComponentChildren } from 'preact';
import type { ListName, Listed } from '../client/pages.ts';
import type { Answer } from '../client/api.ts';
import { Card, Skeleton, Trouble } from './page.tsx';
import { Table } from './table.tsx';
import type { Column } from './table.tsx';

interface ListCardProps<Name extends ListName> {
  readonly label: string;
  readonly title?: string;
  readonly beside?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly list: Listed<Name>;
  readonly keyOf: (row: Answer<Name>['items'][number]) => string | number;
  readonly columns: readonly (Column<Answer<Name>['items'][number]> | false)[];
  /** Shown where there are no rows. */
  readonly empty: ComponentChild;
}

/** A list with all its states: on its way, refused, empty, and its rows. */
export function ListCard<Name extends ListName>(props: ListCardProps<Name>): ComponentChild {
  const { label, title, beside, actions, list, keyOf, columns, empty } = props;
  const { items, refusal, again, more } = list;
  return (
    <>
      {refusal && <Trouble refusal={refusal} again={again} />}
      {(items !== undefined || !refusal) && (
        <Card title={title} beside={beside} actions={actions}>
          {items === undefined ? (
            <Skeleton again={again} />
          ) : items.length === 0 ? (
            empty
          ) : (
            <Table
              label={label}
              rows={items}
              keyOf={keyOf}
              more={more}
              columns={columns.filter((one) => one !== false)}
            />
          )}
        </Card>
      )}
    </>
  );
}
