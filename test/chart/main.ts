import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { describeSettings, readSettings } from '../../src/settings.ts';
import { EXIT, printLine } from '../../src/terminal/output.ts';
import { openEmbeddedDatabase } from '../../src/database/embedded/index.ts';
import { makeCertificate } from '../kit/certificate.ts';
import { freePort } from '../kit/free-port.ts';
import { isInstalled } from '../kit/installed.ts';
import { startRedis } from '../kit/redis.ts';
import { startCluster } from '../kit/shared-server.ts';
import { makeTempDirectory } from '../kit/temp-directory.ts';
import { type Deployment, disagreements, kubernetesObject, type KubernetesObject } from './kubernetes.ts';
import { startPod, type Surroundings } from './pod.ts';

// Renders the chart with each file of `values`, or with those that are named, holds what came out against Kubernetes and the settings, and
// starts each workload once.

const CHART = join(import.meta.dirname, '..', '..', 'config', 'helm', 'databridge');
const VALUES = join(import.meta.dirname, 'values');
const named = process.argv.slice(2);

/** What a process may take to close after its drain, s (`src/commands/actions/up.ts`). */
const CLOSING_SECONDS = 11;

/** Longer than a workload takes to be ready on a busy machine, ms. */
const PATIENCE_MS = 120_000;

await using stack = new AsyncDisposableStack();
const directory = await makeTempDirectory('chart');
stack.defer(async () => await directory.remove());
await chmod(directory.path, 0o755);
const renderer = join(directory.path, 'render');
if (!built())
  printLine(
    'skipped: needs Go with sprig (Debian: golang-go golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev)',
  );
else process.exitCode = (await checkAll()) ? EXIT.done : EXIT.failed;

function built(): boolean {
  if (!isInstalled('go')) return false;
  // The packages of Debian are no modules.
  const env = { ...process.env, GO111MODULE: 'off', GOPATH: '/usr/share/gocode', GOCACHE: join(directory.path, 'go') };
  const { status, stderr } = spawnSync('go', ['build', '-o', renderer, join(import.meta.dirname, 'render.go')], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) printLine(stderr);
  return status === 0;
}

async function checkAll(): Promise<boolean> {
  const started = process.getuid?.() === 0 && isInstalled('socat') && isInstalled('nsenter');
  if (!started) printLine('no workload is started: that needs root, socat and nsenter');
  let good = true;
  for (const file of (await readdir(VALUES)).toSorted()) {
    const name = basename(file, '.yaml');
    if (named.length > 0 && !named.includes(name)) continue;
    const objects = rendered(join(VALUES, file));
    const deployments = objects.filter((each) => each.kind === 'Deployment');
    const faults = [...disagreements(objects), ...deployments.flatMap(faultsOf)];
    printLine(`${name}: ${objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ')}`);
    if (started && faults.length === 0) faults.push(...(await startAll(name, deployments)));
    for (const fault of faults) printLine(`  wrong: ${fault}`);
    good &&= faults.length === 0;
  }
  return good;
}

/** Without `null` documents, which Helm leaves out. */
function rendered(values: string): KubernetesObject[] {
  const text = execFileSync(renderer, [CHART, 'hall', values], { encoding: 'utf8' });
  return parseAllDocuments(text)
    .map((document) => {
      if (document.errors.length > 0) throw document.errors[0];
      return document.toJS() as unknown;
    })
    .filter((content) => content !== null)
    .map((content) => kubernetesObject.parse(content));
}

function faultsOf({ metadata, spec }: Deployment): string[] {
  const { containers, terminationGracePeriodSeconds } = spec.template.spec;
  const [{ env }] = containers;
  const known = new Set(describeSettings().map(({ name }) => name));
  const unknown = env
    .filter(({ name }) => !known.has(name))
    .map(({ name }) => `${metadata.name}: ${name} is no setting`);
  const { drainMs } = readSettings(Object.fromEntries(env.map(({ name, value }) => [name, value])));
  const hasty = terminationGracePeriodSeconds <= drainMs / 1_000 + CLOSING_SECONDS;
  return [...unknown, ...(hasty ? [`${metadata.name} is killed before it has drained`] : [])];
}

/** Starts each workload with a new database until all its probes answer, and ends it. */
async function startAll(name: string, deployments: readonly Deployment[]): Promise<string[]> {
  await using own = new AsyncDisposableStack();
  const cluster = await makeTempDirectory('chart-postgres');
  own.defer(async () => await cluster.remove());
  await chmod(cluster.path, 0o755);
  const made = await openEmbeddedDatabase({ directory: cluster.path });
  await made.release();
  const url = new URL(made.url);
  url.port = String(await freePort());
  const settings = { listen_addresses: '127.0.0.1', port: url.port, unix_socket_directories: '' };
  const postgres = await startCluster(cluster.path, settings, url.href);
  own.defer(async () => void (await postgres.stop()));
  const redis = await startRedis();
  own.defer(async () => await redis.stop());
  // The server asks for it.
  const password = decodeURIComponent(url.password);
  const place = await makeTempDirectory(`chart-${name}`);
  own.defer(async () => await place.remove());
  await chmod(place.path, 0o755);
  const { certificatePath, keyPath } = await makeCertificate(place.path);
  const key = randomBytes(32).toString('base64');
  const surroundings: Surroundings = {
    directory: place.path,
    services: [
      { name: 'postgres', port: 5432, leadsTo: Number(url.port) },
      { name: 'redis', port: 6379, leadsTo: redis.port },
    ],
    files: {
      'databridge-database': { password },
      'databridge-key': { key },
      'databridge-tls': {
        'tls.crt': await readFile(certificatePath, 'utf8'),
        'tls.key': await readFile(keyPath, 'utf8'),
      },
      'from-vault': { database: password, key },
      'rules-of-alerts': { 'alerts.yaml': 'targets: []\n' },
    },
  };
  const faults: string[] = [];
  for (const deployment of deployments) {
    const fault = await startOne(deployment, surroundings);
    printLine(
      `  ${deployment.metadata.name}: ${fault === undefined ? 'started, its probes answered, it ended with 0' : 'failed'}`,
    );
    if (fault !== undefined) faults.push(`${deployment.metadata.name}: ${fault}`);
  }
  return faults;
}

async function startOne(deployment: Deployment, surroundings: Surroundings): Promise<string | undefined> {
  const [{ startupProbe, livenessProbe, readinessProbe, ports = [], env }] = deployment.spec.template.spec.containers;
  const speaksTls = env.some(({ name }) => name === 'DATABRIDGE_OPERATOR_TLS_CERT');
  // No probe asks the operator API, so it is asked besides.
  const ofOperators = ports
    .filter(({ name }) => name === 'operator')
    .map(({ name }) => ({
      httpGet: { path: '/api/v1/openapi.json', port: name, scheme: speaksTls ? ('HTTPS' as const) : ('HTTP' as const) },
    }));
  const pod = await startPod(deployment, surroundings);
  const giveUpAt = performance.now() + PATIENCE_MS;
  let fault: string | undefined;
  for (const probe of [startupProbe, livenessProbe, readinessProbe, ...ofOperators]) {
    if (probe === undefined || fault !== undefined) continue;
    do {
      fault = pod.running() ? await pod.ask(probe) : 'it ended';
      if (fault !== undefined) await sleep(500);
    } while (fault !== undefined && pod.running() && performance.now() < giveUpAt);
  }
  const code = await pod.stop();
  if (fault !== undefined) return `${fault}\n${pod.output()}`;
  return code === 0 ? undefined : `it ended with ${code}\n${pod.output()}`;
}
