import { createOperatorLink, pathOfLink } from '../../access/operator-links.ts';
import { formatInstant } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import { actor, printJson, printLine } from '../../terminal/output.ts';

/** `operator link`. */
export async function operatorLink(
  name: string,
  { invite = false, json }: { invite?: boolean; json?: boolean },
): Promise<void> {
  const { token, expiresAt, address } = await withContext(async ({ database, settings: { operator } }) => ({
    ...(await createOperatorLink(database, { name, kind: invite ? 'invite' : 'sign-in' }, actor())),
    address: operator.publicOrigin ?? `http://${operator.host}:${operator.port}`,
  }));
  if (json) printJson({ name, token, path: pathOfLink(token), expiresAt: formatInstant(expiresAt) });
  else {
    printLine(`it signs a browser in as ${name}, once, until ${formatInstant(expiresAt)}:`);
    printLine(`  ${address}${pathOfLink(token)}`);
  }
}
