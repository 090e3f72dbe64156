import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { changed, useAnswer } from '../client/answers.ts';
import { ask } from '../client/api.ts';
import type { ApplicationSecret } from '../client/operations.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { Field, Select, wrongOf } from '../parts/field.tsx';
import { texts } from '../texts.ts';
import { ShownOnce } from '../parts/shown-once.tsx';

const t = texts.applications;

/** Creates an application; its secret is shown once. */
export function CreateApplication({ close }: { close: () => void }): ComponentChild {
  const { answer: organisations } = useAnswer('listOrganisations', { query: { limit: 200 } });
  const { answer: projects } = useAnswer('listProjects', { query: { limit: 200 } });
  const [name, setName] = useState('');
  const [organisation, setOrganisation] = useState('default');
  const [chosen, choose] = useState<readonly string[]>([]);
  const [made, setMade] = useState<ApplicationSecret>();
  if (made !== undefined) {
    return <ShownOnce title={t.created(made.name)} id={made.applicationId} secret={made.secret} close={close} />;
  }
  const own = (projects?.items ?? []).filter((project) => project.organisation === organisation);
  return (
    <FormDialog
      title={t.create}
      verb={t.create}
      fields={['name']}
      closesWhenDone={false}
      close={close}
      act={async () => {
        const body = { name, organisation, ...(chosen.length > 0 && { projects: chosen }) };
        setMade(await ask('createApplication', { body }));
        changed(['listApplications']);
      }}
    >
      {(refusal) => (
        <>
          <Field
            label={t.name}
            value={name}
            set={setName}
            hint={t.nameHint}
            isFirst
            isRequired
            wrong={wrongOf(refusal, 'name')}
          />
          {(organisations?.items.length ?? 0) > 1 && (
            <Select
              label={t.organisation}
              value={organisation}
              set={(id) => {
                setOrganisation(id);
                choose([]);
              }}
              options={(organisations?.items ?? []).map(({ id, name: title }) => [id, title || id])}
            />
          )}
          <fieldset>
            <legend>{t.projects}</legend>
            <p class="small quiet">{t.projectsHint}</p>
            {own.map(({ code, name: title }) => (
              <label key={code} class="choice">
                <input
                  type="checkbox"
                  checked={chosen.includes(code)}
                  onChange={() =>
                    choose(chosen.includes(code) ? chosen.filter((one) => one !== code) : [...chosen, code])
                  }
                />
                <span>
                  <bdi>{title || code}</bdi> <span class="quiet mono">{code}</span>
                </span>
              </label>
            ))}
          </fieldset>
        </>
      )}
    </FormDialog>
  );
}
