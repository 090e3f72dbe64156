import { Plus } from 'lucide';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { changed, useAnswer } from '../client/answers.ts';
import { Refusal, ask } from '../client/api.ts';
import type { Project } from '../client/operations.ts';
import { useList } from '../client/pages.ts';
import { adjust, hrefOf, useRoute } from '../client/route.ts';
import { useRole } from '../client/session.ts';
import { numberOf } from '../client/zone.ts';
import { Button } from '../parts/button.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { Field, Select, wrongOf } from '../parts/field.tsx';
import { ListCard } from '../parts/list-card.tsx';
import { Page } from '../parts/page.tsx';
import { say } from '../parts/toast.tsx';
import { texts } from '../texts.ts';
import { FirstProject } from './first-project.tsx';
import { ProjectPage } from './project.tsx';

const t = texts.projects;

/** The list of projects, or the one of the address. */
export function Projects(): ComponentChild {
  const { path } = useRoute();
  const [, organisation, code] = path;
  if (organisation === undefined || code === undefined) return <ProjectList />;
  return <ProjectPage key={`${organisation}/${code}`} organisation={organisation} code={code} />;
}

const keyOf = ({ organisation, code }: Project): string => `${organisation}/${code}`;

function ProjectList(): ComponentChild {
  const list = useList('listProjects', { query: { limit: 50 } }, keyOf, 30_000);
  const { mayChange } = useRole();
  const isCreating = useRoute().query['create'] !== undefined;
  const setCreating = (creates: boolean): void => adjust({ create: creates ? 'yes' : undefined });
  const create = mayChange && (
    <Button icon={Plus} look="main-one" act={() => setCreating(true)}>
      {t.create}
    </Button>
  );
  return (
    <Page title={texts.nav.projects} about={t.about} actions={list.items?.length !== 0 && create}>
      <ListCard
        label={texts.nav.projects}
        list={list}
        keyOf={keyOf}
        empty={<FirstProject action={create} />}
        columns={[
          {
            title: t.name,
            kind: 'name',
            cell: ({ name, code, organisation }) => (
              <>
                <a dir="auto" href={hrefOf(['projects', organisation, code])}>
                  {name || code}
                </a>
                <span class="under mono">{organisation === 'default' ? code : `${organisation}/${code}`}</span>
              </>
            ),
          },
          { title: t.sources, kind: 'number', cell: ({ sources }) => numberOf(sources) },
          { title: t.series, kind: 'number', cell: ({ series }) => numberOf(series) },
        ]}
      />
      {isCreating && <CreateProject close={() => setCreating(false)} />}
    </Page>
  );
}

function CreateProject({ close }: { close: () => void }): ComponentChild {
  const { answer: organisations } = useAnswer('listOrganisations', { query: { limit: 200 } });
  const [code, setCode] = useState('');
  const [name, setName] = useState('');
  const [organisation, setOrganisation] = useState('default');
  return (
    <FormDialog
      title={t.create}
      verb={t.create}
      fields={['code', 'name']}
      close={close}
      act={async () => {
        const { created } = await ask('createProject', { body: { code, organisation, ...(name !== '' && { name }) } });
        if (!created) throw new Refusal(409, { title: t.exists, errors: [{ pointer: '/code', detail: t.exists }] });
        say(t.created(code));
        changed(['listProjects']);
      }}
    >
      {(refusal) => (
        <>
          <Field
            label={t.code}
            value={code}
            set={setCode}
            hint={t.codeHint}
            isFirst
            isRequired
            wrong={wrongOf(refusal, 'code')}
          />
          <Field label={t.name} value={name} set={setName} wrong={wrongOf(refusal, 'name')} />
          {(organisations?.items.length ?? 0) > 1 && (
            <Select
              label={texts.applications.organisation}
              value={organisation}
              set={setOrganisation}
              options={(organisations?.items ?? []).map(({ id, name: title }) => [id, title || id])}
            />
          )}
        </>
      )}
    </FormDialog>
  );
}
