import { BridgeError, configInvalid } from '../../core/errors.ts';
import { isMapping } from '../../core/source/path.ts';
import type { adviceDocument } from '../../source/advise.ts';
import type { Contract, Receipt } from '../../source/contract.ts';
import type { Applied } from '../../source/registration.ts';
import type { traceDocument } from '../../source/trace.ts';
import { printJson, printLine } from '../../terminal/output.ts';
import { bridgeAt } from './bridge-elsewhere.ts';
import type { ApiDocument, BridgeElsewhere } from './bridge-elsewhere.ts';
import { apiPathOf, sourceNamed } from './elsewhere-sources.ts';
import { assertAdvised, printAdvice } from './source-advise.ts';
import type { AdviseOptions } from './source-advise.ts';
import { contractText, receiptText } from './source-contract.ts';
import type { ContractOptions, ReceiptOptions } from './source-contract.ts';
import { printTrace } from './source-trace.ts';
import type { TraceOptions } from './source-trace.ts';

/** Asks for a document of a source. */
async function documentOf<Document>(
  bridge: BridgeElsewhere,
  name: string,
  {
    organisation,
    part,
    query = {},
  }: { organisation?: string | undefined; part: string; query?: Record<string, string> },
): Promise<Document> {
  const path = apiPathOf(await sourceNamed(bridge, name, organisation));
  return (await bridge.send('GET', `${path}/${part}?${new URLSearchParams(query)}`)) as unknown as Document;
}

/** `source contract` of a bridge elsewhere. */
export const contractElsewhere =
  (url: string) =>
  async (name: string, { organisation, json }: ContractOptions): Promise<void> => {
    const contract = await documentOf<Contract>(await bridgeAt(url), name, { organisation, part: 'contract' });
    if (json) printJson(contract);
    else for (const line of contractText(contract)) printLine(line);
  };

/** `source receipt` of a bridge elsewhere. */
export const receiptElsewhere =
  (url: string) =>
  async (name: string, { organisation, month, json }: ReceiptOptions): Promise<void> => {
    const bridge = await bridgeAt(url);
    const receipt = await documentOf<Receipt>(bridge, name, { organisation, part: 'receipt', query: { month } });
    if (json) printJson(receipt);
    else for (const line of receiptText(receipt)) printLine(line);
  };

/** `source trace` of a bridge elsewhere. */
export const traceElsewhere =
  (url: string) =>
  async (name: string, { organisation, sensor, at, json }: TraceOptions): Promise<void> => {
    const wanted = { organisation, part: 'trace', query: { sensor, at } };
    printTrace(await documentOf<ReturnType<typeof traceDocument>>(await bridgeAt(url), name, wanted), json);
  };

/** `source advise` of a bridge elsewhere. */
export const adviseElsewhere =
  (url: string) =>
  async (name: string, options: AdviseOptions): Promise<void> => {
    const { organisation, share, apply = false, dryRun = false } = options;
    assertAdvised(options);
    const bridge = await bridgeAt(url);
    const advised = await documentOf<ReturnType<typeof adviceDocument>>(bridge, name, {
      organisation,
      part: 'advice',
      query: { share: String(share / 100) },
    });
    printAdvice(advised, apply ? await appliedElsewhere(bridge, advised, dryRun) : undefined, options);
  };

/** Applies an advice as a change of the configuration that is shown, in which each secret stays the stored one. */
async function appliedElsewhere(
  bridge: BridgeElsewhere,
  { name, organisation, advice, revisionTag }: ReturnType<typeof adviceDocument>,
  dryRun: boolean,
): Promise<Applied> {
  if (advice === null) throw configInvalid('there is no advice to apply', 'let it poll for longer');
  const shown = await bridge.send('GET', apiPathOf({ name, organisation }));
  const config: unknown = shown['config'];
  if (!isMapping(config))
    throw new BridgeError(
      { code: 'config-invalid' },
      `the configuration of ${name} is too long to be changed from here`,
      {
        remedy: `write settle ${advice.settle} and overlap ${advice.overlap} into its file, and apply that`,
      },
    );
  const schedule = isMapping(config['schedule']) ? config['schedule'] : {};
  const changed = { ...config, schedule: { ...schedule, settle: advice.settle, overlap: advice.overlap } };
  const query = new URLSearchParams({ dryRun: String(dryRun) });
  const applied: ApiDocument = await bridge.send('POST', `/sources/apply?${query}`, changed, revisionTag);
  return applied as unknown as Applied;
}
