import type { Command } from 'commander';
import { helpBelow } from './help.ts';
import { whenRun } from './when-run.ts';

/** `api`: serves `/v0` without polling. */
export function addApi(program: Command): void {
  program
    .command('api')
    .description('run the API (/v0) without polling: take pushed readings, issue tokens, serve operators')
    .addHelpText(
      'after',
      helpBelow({
        examples: [
          'databridge api',
          'DATABRIDGE_API_HOST=0.0.0.0 DATABRIDGE_API_TLS_CERT=api.pem \\\nDATABRIDGE_API_TLS_KEY=api.key databridge api',
        ],
        notes: [
          'The API listens on DATABRIDGE_API_HOST and DATABRIDGE_API_PORT (default 127.0.0.1:8080). On an address other than loopback it needs TLS, or DATABRIDGE_API_ALLOW_PLAIN=true behind a proxy that speaks TLS. The operator API listens on DATABRIDGE_OPERATOR_HOST and DATABRIDGE_OPERATOR_PORT (default 127.0.0.1:8081).',
          'Ctrl-C or SIGTERM ends it: requests under way are answered within DATABRIDGE_DRAIN_SECONDS (default 25).',
        ],
        exitCodes: '0 ended by a signal, 1 failed or its port is taken, 2 invalid configuration',
      }),
    )
    .action(whenRun(async () => (await import('./actions/api.ts')).api));
}
