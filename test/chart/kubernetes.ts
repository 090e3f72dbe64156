import { z } from 'zod';

// The objects of Kubernetes that the chart makes, with the fields that it uses: another field, such as one with a typing error, is refused.

const name = z.string().regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
const label = z.string().regex(/^[A-Za-z0-9]([-\w.]{0,61}[A-Za-z0-9])?$/);
const labels = z.record(z.string().regex(/^([a-z0-9.-]+\/)?[A-Za-z0-9][-\w.]{0,62}$/), label);
const metadata = z.strictObject({ name, labels });
const quantity = z.string().regex(/^\d+(\.\d+)?(m|Ki|Mi|Gi)?$/);
const amounts = z.strictObject({ cpu: quantity.optional(), memory: quantity.optional() });
const path = z.string().regex(/^\/[^\0:]*$/);
const whole = z.int().min(1);
const selector = z.strictObject({ matchLabels: labels });

const probe = z
  .strictObject({
    httpGet: z.strictObject({ path, port: name, scheme: z.enum(['HTTP', 'HTTPS']) }).optional(),
    exec: z.strictObject({ command: z.array(z.string()).min(1) }).optional(),
    periodSeconds: whole.optional(),
    timeoutSeconds: whole.optional(),
    failureThreshold: whole.optional(),
  })
  .refine(({ httpGet, exec }) => (httpGet === undefined) !== (exec === undefined), 'is not one kind of probe');

const volume = z
  .strictObject({
    name,
    emptyDir: z.strictObject({}).optional(),
    // Readable by the group of the pod and nobody else, 0440; as a decimal number, because programs differ about octal ones.
    secret: z.strictObject({ secretName: name, defaultMode: z.literal(0o440) }).optional(),
    configMap: z.strictObject({ name }).optional(),
    persistentVolumeClaim: z.strictObject({ claimName: name }).optional(),
  })
  .refine((each) => Object.keys(each).length === 2, 'is not one kind of volume');

const container = z.strictObject({
  name,
  image: z.string().regex(/^[\w./-]+:[\w.-]+$/),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
  args: z.array(z.string()).length(1),
  env: z.array(z.strictObject({ name: z.string().regex(/^[A-Z_]+$/), value: z.string() })),
  ports: z.array(z.strictObject({ name: name.max(15), containerPort: z.int().min(1).max(65_535) })).optional(),
  startupProbe: probe.optional(),
  livenessProbe: probe.optional(),
  readinessProbe: probe,
  resources: z.strictObject({ requests: amounts.optional(), limits: amounts.optional() }),
  volumeMounts: z.array(z.strictObject({ name, mountPath: path, readOnly: z.boolean().optional() })),
});

const pod = z.strictObject({
  automountServiceAccountToken: z.literal(false),
  enableServiceLinks: z.literal(false),
  imagePullSecrets: z.array(z.strictObject({ name })).optional(),
  terminationGracePeriodSeconds: whole,
  securityContext: z.strictObject({
    runAsNonRoot: z.literal(true),
    runAsUser: whole,
    runAsGroup: whole,
    fsGroup: whole,
    fsGroupChangePolicy: z.enum(['OnRootMismatch', 'Always']),
    seccompProfile: z.strictObject({ type: z.literal('RuntimeDefault') }),
  }),
  volumes: z.array(volume),
  topologySpreadConstraints: z.array(
    z.strictObject({
      maxSkew: whole,
      topologyKey: z.string(),
      whenUnsatisfiable: z.enum(['ScheduleAnyway', 'DoNotSchedule']),
      labelSelector: selector,
    }),
  ),
  containers: z.tuple([container]),
});

const deployment = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  metadata,
  spec: z.strictObject({
    replicas: z.int().min(0),
    selector,
    template: z.strictObject({ metadata: z.strictObject({ labels }), spec: pod }),
  }),
});

const service = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Service'),
  metadata,
  spec: z.strictObject({
    type: z.enum(['ClusterIP', 'NodePort', 'LoadBalancer']).optional(),
    selector: labels,
    ports: z.array(z.strictObject({ name, port: z.int().min(1).max(65_535), targetPort: name })),
  }),
});

const budget = z.strictObject({
  apiVersion: z.literal('policy/v1'),
  kind: z.literal('PodDisruptionBudget'),
  metadata,
  spec: z.strictObject({ maxUnavailable: whole, selector }),
});

/** An object that the chart may make. */
export const kubernetesObject = z.discriminatedUnion('kind', [deployment, service, budget]);

export type KubernetesObject = z.infer<typeof kubernetesObject>;
export type Deployment = z.infer<typeof deployment>;
export type Probe = z.infer<typeof probe>;

/** What is wrong between the objects of one release: names that lead nowhere, mounts of no volume. */
export function disagreements(objects: readonly KubernetesObject[]): string[] {
  const deployments = objects.filter((each) => each.kind === 'Deployment');
  const found: string[] = [];
  const matching = (wanted: Readonly<Record<string, string>>): Deployment[] =>
    deployments.filter(({ spec }) =>
      Object.entries(wanted).every(([key, value]) => spec.template.metadata.labels[key] === value),
    );
  for (const each of objects) {
    const at = `${each.kind} ${each.metadata.name}`;
    const wanted = each.kind === 'Service' ? each.spec.selector : each.spec.selector.matchLabels;
    const [target, ...others] = matching(wanted);
    if (target === undefined || others.length > 0) found.push(`${at} selects not one deployment`);
    if (
      objects.some((other) => other !== each && other.kind === each.kind && other.metadata.name === each.metadata.name)
    )
      found.push(`${at} is there twice`);
    if (each.kind === 'Service')
      for (const { targetPort } of each.spec.ports)
        if (!target?.spec.template.spec.containers[0].ports?.some((port) => port.name === targetPort))
          found.push(`${at} leads to no port ${targetPort}`);
  }
  for (const {
    metadata: { name: at },
    spec,
  } of deployments) {
    const { volumes, containers, topologySpreadConstraints } = spec.template.spec;
    const [{ volumeMounts, env, ports = [], ...probes }] = containers;
    const mounted = volumeMounts.map((mount) => mount.name);
    const there = volumes.map((each) => each.name);
    if (mounted.toSorted().join() !== there.toSorted().join())
      found.push(`${at} mounts ${mounted.join()} of ${there.join()}`);
    for (const names of [mounted, volumeMounts.map((mount) => mount.mountPath), env.map((each) => each.name)])
      if (new Set(names).size !== names.length) found.push(`${at} has a name twice: ${names.join()}`);
    for (const each of [probes.startupProbe, probes.livenessProbe, probes.readinessProbe])
      if (each?.httpGet !== undefined && !ports.some((port) => port.name === each.httpGet?.port))
        found.push(`${at} is asked at no port`);
    for (const { labelSelector } of topologySpreadConstraints)
      if (matching(labelSelector.matchLabels)[0]?.metadata.name !== at) found.push(`${at} is spread by other pods`);
  }
  return found;
}
