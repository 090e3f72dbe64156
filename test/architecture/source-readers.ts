/**
 * Where each field of a source is read on its way from the configuration to its effect: files, and the code in them that reads
 * it. A name like `values` or `maxWindow` stands in many objects, so a search for the name alone would take another one's reader
 * for this one's. A parent needs no entry.
 */
export const READERS: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>> = {
  name: { 'src/pull/open/open-source.ts': 'name: config.name' },
  organisation: { 'src/source/registration.ts': 'organisation: source.organisation' },
  adapter: { 'src/platform/platforms-for.ts': "source['adapter']" },
  project: { 'src/source/comparison.ts': 'wanted.map(({ project }) => project)' },
  'tls.ca': {
    'src/pull/open/kept-config.ts': 'const { ca } = blocks.tls',
    'src/platform/connection/agents.ts': 'trusting(tls.ca)',
  },
  'tls.serverName': {
    'src/platform/connection/agents.ts': ['serverName: tls.serverName', 'servername: serverName'],
  },
  'schedule.every': { 'src/source/registration.ts': ['source.schedule.every,', 'every_us'] },
  'schedule.start': {
    'src/source/registration.ts': ['{ schedule: { start, align } }: SourceConfig', 'startOf(start,'],
    'src/core/plan.ts': 'missing({ from: policy.start,',
  },
  'schedule.settle': {
    'src/core/source/source.ts': 'settle: schedule.settle ?? facts.lateness',
    'src/pull/open/open-source.ts': 'settle: config.schedule.settle',
    'src/core/plan.ts': 'now - settle',
  },
  'schedule.overlap': {
    'src/core/source/source.ts': 'overlap: schedule.overlap ?? facts.overlap',
    'src/pull/open/open-source.ts': 'overlap: config.schedule.overlap',
    'src/core/look-back.ts': 'before - overlap - step',
  },
  'schedule.lookBackAtMost': {
    'src/pull/look-back.ts': 'lookBackAtMost: config.schedule.lookBackAtMost',
    'src/core/look-back.ts': 'look.lookBackAtMost',
  },
  'schedule.maxWindow': {
    'src/core/source/source.ts': 'maxWindow: schedule.maxWindow ?? facts.maxWindow',
    'src/pull/open/open-source.ts': 'maxWindow: config.schedule.maxWindow',
    'src/core/plan.ts': 'Math.min(learned, policy.maxWindow)',
  },
  'schedule.align': {
    'src/core/source/source.ts': 'align: schedule.align ?? ',
    'src/pull/open/open-source.ts': 'align: config.schedule.align',
    'src/core/plan.ts': 'policy.align',
  },
  'schedule.catchUp': { 'src/pull/history/history-progress.ts': 'const order = source.config.schedule.catchUp' },
  'pace.requestsPerSecond': {
    'src/core/source/source.ts': 'requestsPerSecond: pace.requestsPerSecond ?? facts.pace.requestsPerSecond',
    'src/core/pace.ts': 'pace.requestsPerSecond',
  },
  'pace.burst': {
    'src/core/source/source.ts': 'burst: pace.burst ?? facts.pace.burst',
    'src/core/pace.ts': '(pace.burst - 1) * interval',
  },
  'pace.concurrency': {
    'src/core/source/source.ts': 'concurrency: pace.concurrency ?? facts.pace.concurrency',
    'src/core/pace.ts': 'busyUntil(leases, pace.concurrency)',
  },
  'pace.quietHours.from': { 'src/core/quiet-hours.ts': 'from: timeOfDay(from)' },
  'pace.quietHours.to': { 'src/core/quiet-hours.ts': 'to: timeOfDay(to)' },
  'pace.quietHours.zone': { 'src/core/quiet-hours.ts': ['zone: name,', 'zone: zoneOf(name)'] },
  'pace.quietHours.days': {
    'src/core/quiet-hours.ts': 'days: days ?? WEEKDAYS',
    'src/core/source/source.ts': 'quietHours: pace.quietHours',
    'src/core/pace.ts': 'nextAllowed(pace.quietHours,',
  },
  'pace.longestSilence': {
    'src/core/source/source.ts': 'longestSilence: pace.longestSilence',
    'src/pull/open/open-source.ts': 'longestSilence: config.pace.longestSilence',
    'src/platform/connection/index.ts': 'settings.longestSilence ??',
  },
  'sensors.table': { 'src/source/sensor-table.ts': "sensors['table']" },
  'sensors.id': { 'src/core/mapping.ts': 'sensors.map((sensor) => [sensor.id, sensor])' },
  'sensors.as': { 'src/core/mapping.ts': 'judgeSensorId(choice?.as ?? sensor)' },
  'sensors.group': { 'src/pull/sensors/sensors.ts': 'chosen.map(({ id, group }) =>' },
  'sensors.values': { 'src/core/mapping.ts': 'choice?.values?.[variable]' },
  'sensors.values.as': { 'src/core/mapping.ts': '?.as ?? toValueName(variable)' },
  'sensors.values.scale': { 'src/core/mapping.ts': 'scale: value?.scale ??', 'src/core/normalise.ts': '* rule.scale' },
  'sensors.values.offset': {
    'src/core/mapping.ts': 'offset: value?.offset ??',
    'src/core/normalise.ts': '+ rule.offset',
  },
  'sensors.values.states': {
    'src/core/mapping.ts': 'states: value?.states',
    'src/core/normalise.ts': 'states: rule.states',
  },
  'sensors.values.unit': { 'src/core/mapping.ts': '[value.unit]' },
  'sensors.values.labels': { 'src/core/mapping.ts': '...(value?.labels ?? [])' },
  'mapping.booleans': {
    'src/core/mapping.ts': 'this.booleans = mapping.booleans',
    'src/core/normalise.ts': 'booleans: rules.booleans',
  },
  'mapping.bad': { 'src/core/mapping.ts': 'this.bad = mapping.bad' },
  'mapping.labels': { 'src/core/mapping.ts': 'this.#labels = mapping.labels' },
  'mapping.timezone': { 'src/pull/open/open-source.ts': 'zone: zoneOf(mapping.timezone)' },
  'mapping.dst': { 'src/pull/open/open-source.ts': 'dst: mapping.dst', 'src/core/local-time.ts': "dst === 'refuse'" },
};

const inOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** The places in which a field is not read as `READERS` says. `code`: files without comments. */
export const missingReaders = (code: readonly { readonly path: string; readonly text: string }[]): string[] =>
  Object.entries(READERS).flatMap(([field, places]) =>
    Object.entries(places).flatMap(([path, reads]) => {
      const text = inOneLine(code.find((file) => file.path === path)?.text ?? '');
      return [reads].flat().flatMap((read) => (text.includes(read) ? [] : [`${field}: ${path}: ${read}`]));
    }),
  );
