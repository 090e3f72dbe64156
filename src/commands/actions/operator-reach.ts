import { setOperatorOrganisations, signOutOperators } from '../../access/operators.ts';
import { configInvalid } from '../../core/errors.ts';
import { withContext } from '../../context.ts';
import { actor, printJson, printLine } from '../../terminal/output.ts';

interface AsJson {
  readonly json?: boolean;
}

/** `operator organisations`. */
export async function operatorOrganisations(
  name: string,
  { organisation, all, json }: AsJson & { organisation?: string[]; all?: boolean },
): Promise<void> {
  if (organisation === undefined && !all) {
    throw configInvalid(
      'it is not said which organisations',
      'name them with --organisation, or say --all',
      'organisation',
    );
  }
  const changed = await withContext(({ database }) => setOperatorOrganisations(database, name, organisation, actor()));
  const seen = organisation?.join(' ') ?? 'all organisations';
  if (json) printJson({ name, organisations: organisation ?? null, changed });
  else printLine(changed ? `operator ${name} sees ${seen} now` : `operator ${name} sees ${seen} already`);
}

/** `operator sign-out`. */
export async function operatorSignOut(
  name: string | undefined,
  { all, json }: AsJson & { all?: boolean },
): Promise<void> {
  if ((name === undefined) !== (all === true)) {
    throw configInvalid('it is not said whose sessions end', 'name one operator, or say --all', 'name');
  }
  const sessions = await withContext(({ database }) => signOutOperators(database, name, actor()));
  if (json) printJson({ name: name ?? null, sessions });
  else printLine(`${sessions} ${sessions === 1 ? 'session' : 'sessions'} ended`);
}
