import { createOperatorLink, pathOfLink } from '../../access/operator-links.ts';
import { configInvalid } from '../../core/errors.ts';
import { formatInstant } from '../../core/instant.ts';
import { withContext } from '../../context.ts';
import type { OperatorSettings } from '../../settings-operator.ts';
import { actor, printJson, printLine } from '../../terminal/output.ts';

/** `operator link`. */
export async function operatorLink(
  name: string,
  { invite = false, json }: { invite?: boolean; json?: boolean },
): Promise<void> {
  const { token, expiresAt, address } = await withContext(async ({ database, settings: { operator } }) => {
    // A link would pass by the rules of the issuer, such as a second factor, so the bridge takes none there.
    if (!operator.takesPasswords)
      throw configInvalid(
        'the bridge takes no links, because operators sign in at their OpenID provider alone',
        'let the operator sign in there, or set DATABRIDGE_OPERATOR_PASSWORDS=on',
      );
    return {
      ...(await createOperatorLink(database, { name, kind: invite ? 'invite' : 'sign-in' }, actor())),
      address: operator.publicOrigin ?? addressOn(operator),
    };
  });
  if (json) printJson({ name, token, path: pathOfLink(token), expiresAt: formatInstant(expiresAt) });
  else {
    printLine(`it signs a browser in as ${name}, once, until ${formatInstant(expiresAt)}:`);
    printLine(`  ${address}${pathOfLink(token)}`);
  }
}

/** The address of the listener for a browser on this host. */
function addressOn({ host, port, tlsCertificate }: Pick<OperatorSettings, 'host' | 'port' | 'tlsCertificate'>): string {
  const scheme = tlsCertificate === undefined ? 'http' : 'https';
  const name = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `${scheme}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
