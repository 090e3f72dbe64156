// Generated from the OpenAPI document of the operator API by `npm run generate`.
/* oxlint-disable max-lines */
export type Operator = {
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
  readonly organisations: readonly string[] | null;
};

export type OperatorProblem = {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly instance: string;
  readonly remedy: string | null;
  readonly errors: readonly {
    readonly pointer: string;
    readonly detail: string;
    readonly line?: number;
    readonly column?: number;
  }[];
};

export type Overview = {
  readonly now: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly verdict: string;
  readonly sources: number;
  readonly conditions: Readonly<Record<string, number>>;
  readonly plannerAgeSeconds: number | null;
  readonly workers: readonly {
    readonly host: string;
    readonly pid: number;
    readonly version: string;
    readonly ageSeconds: number;
    readonly clockAheadSeconds: number | null;
  }[];
  readonly work: {
    readonly due: { readonly poll: number; readonly look: number; readonly history: number };
    readonly outbox: {
      readonly waiting: number;
      readonly oldestAge: number;
      readonly full: number;
      readonly stopped: number;
    };
  };
  readonly disks?: readonly { readonly host: string; readonly free: number; readonly size: number }[];
  readonly holds: readonly string[];
  readonly troubles: readonly {
    readonly state: 'warning' | 'failed';
    readonly kind: string;
    readonly cause: string;
    readonly count: number;
    readonly ofSources: boolean;
    readonly subjects: readonly string[];
    readonly detail: string;
    readonly remedy: string;
    readonly next: string;
  }[];
  readonly troublesInAll: number;
};

export type OperatorAccount = {
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
  readonly organisations: readonly string[] | null;
  readonly tokens: number;
  readonly createdAt: string;
  readonly disabledAt: string | null;
};

export type OperatorChanged = { readonly name: string; readonly changed: boolean };

export type ListedSession = {
  readonly id: string;
  readonly createdAt: string;
  readonly usedAt: string;
  readonly endsAt: string;
  readonly address: string;
  readonly agent: string;
  readonly current: boolean;
};

export type OperatorToken = {
  readonly id: string;
  readonly operator: string;
  readonly name: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
};

export type NewOperatorToken = {
  readonly id: string;
  readonly operator: string;
  readonly name: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly lastUsedAt: string | null;
  readonly revokedAt: string | null;
  readonly token: string;
};

export type WaysToSignIn = { readonly password: boolean; readonly oidc: boolean };

export type Session = {
  readonly operator: Operator;
  readonly csrfToken: string;
  readonly endsAt: string;
  readonly mustChangePassword: boolean;
  readonly mayChoosePassword: boolean;
};

export type Sources = {
  readonly items: readonly SourceLine[];
  readonly next: string | null;
  readonly matching: number;
  readonly conditions: Readonly<Record<string, number>>;
};

export type SourceLine = {
  readonly name: string;
  readonly organisation: string;
  readonly project: string;
  readonly platform: string;
  readonly state: 'active' | 'paused' | 'stopped';
  readonly condition: 'stopped' | 'failing' | 'behind' | 'silent' | 'paused' | 'starting' | 'well';
  readonly isOverdue: boolean;
  readonly lacksTime: boolean;
  readonly every: string;
  readonly settle: string;
  readonly lagSeconds: number | null;
  readonly overdueSeconds: number | null;
  readonly newestAt: string | null;
  readonly newestAgeSeconds: number | null;
  readonly silence: {
    readonly sensors: number;
    readonly silent: number;
    readonly never: number;
    readonly muted: number;
  } | null;
  readonly gaps: boolean | null;
  readonly lastSuccessAt: string | null;
  readonly readings24h: number;
  readonly requestsLastHour: {
    readonly all: number;
    readonly live: number;
    readonly history: number;
    readonly look: number;
    readonly login: number;
    readonly failed: number;
    readonly fullestMinute: number;
    readonly allowed: number | null;
  };
  readonly allRefused: { readonly reason: string; readonly meaning: string; readonly remedy: string } | null;
  readonly failures: number;
  readonly heldUntil: string | null;
  readonly outboxFullSince: string | null;
  readonly clocksDisagree: boolean;
  readonly platformClockAheadSeconds: number | null;
  readonly fault: Fault | null;
  readonly lookFault: Fault | null;
  readonly unreadable: number;
  readonly overload: Overload | null;
  readonly unproven: boolean;
  readonly adapter: string | null;
  readonly streams: number;
};

export type Fault = {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string;
  readonly at: string;
  readonly why?: string;
  readonly status?: number;
  readonly right?: boolean;
  readonly where?: string;
  readonly lane?: 'live' | 'history';
  readonly own?: true;
  readonly page?: string;
};

export type Overload = { readonly times: number; readonly message: string; readonly remedy: string };

export type Source = {
  readonly name: string;
  readonly organisation: string;
  readonly project: string;
  readonly platform: string;
  readonly state: 'active' | 'paused' | 'stopped';
  readonly condition: 'stopped' | 'failing' | 'behind' | 'silent' | 'paused' | 'starting' | 'well';
  readonly isOverdue: boolean;
  readonly lacksTime: boolean;
  readonly every: string;
  readonly settle: string;
  readonly lagSeconds: number | null;
  readonly overdueSeconds: number | null;
  readonly newestAt: string | null;
  readonly newestAgeSeconds: number | null;
  readonly silence: {
    readonly sensors: number;
    readonly silent: number;
    readonly never: number;
    readonly muted: number;
  } | null;
  readonly gaps: boolean | null;
  readonly lastSuccessAt: string | null;
  readonly readings24h: number;
  readonly requestsLastHour: {
    readonly all: number;
    readonly live: number;
    readonly history: number;
    readonly look: number;
    readonly login: number;
    readonly failed: number;
    readonly fullestMinute: number;
    readonly allowed: number | null;
  };
  readonly allRefused: { readonly reason: string; readonly meaning: string; readonly remedy: string } | null;
  readonly failures: number;
  readonly heldUntil: string | null;
  readonly outboxFullSince: string | null;
  readonly clocksDisagree: boolean;
  readonly platformClockAheadSeconds: number | null;
  readonly fault: Fault | null;
  readonly lookFault: Fault | null;
  readonly unreadable: number;
  readonly overload: Overload | null;
  readonly unproven: boolean;
  readonly adapter: string | null;
  readonly kind: string;
  readonly revision: number;
  readonly revisionTag: string;
  readonly config: Configuration;
  readonly configLeftOut: boolean;
  readonly slowed: string | null;
  readonly startAt: string;
  readonly createdAt: string;
  readonly nextDueAt: string | null;
  readonly lastPollAt: string | null;
  readonly lookedAt: string | null;
  readonly lookDueAt: string | null;
  readonly lookFailures: number;
  readonly awaitsLook: boolean;
  readonly refused24h: number;
  readonly repeats24h: number;
  readonly outside24h: number;
  readonly pace: {
    readonly holdUntil: string | null;
    readonly leases: readonly {
      readonly id: string;
      readonly lane: 'live' | 'history' | 'look';
      readonly until: string;
      readonly abandoned?: true;
    }[];
  } | null;
  readonly streams: readonly Stream[];
  readonly nextStreams: string | null;
  readonly windows: readonly Window[];
  readonly nextWindows: string | null;
  readonly refusals: readonly {
    readonly reason: string;
    readonly refused: number;
    readonly series: number;
    readonly first: string | null;
    readonly last: string | null;
    readonly examples: readonly {
      readonly sensor: string;
      readonly variable: string;
      readonly at: string | null;
      readonly raw: string;
    }[];
  }[];
  readonly seriesOfOthers: readonly { readonly owner: string | null; readonly series: number }[];
};

export type Configuration = unknown;

export type Stream = {
  readonly key: string;
  readonly sensors: number;
  readonly covered: readonly { readonly from: string; readonly to: string }[];
  readonly ranges: number;
  readonly unreadable: readonly {
    readonly from: string;
    readonly to: string;
    readonly retryAt: string | null;
    readonly fault: Fault;
  }[];
  readonly unreadableCount: number;
  readonly unreadableLeft: number;
  readonly unreadableLength: number;
  readonly lookAgain: number;
  readonly newestAt: string | null;
  readonly newsAge: number;
  readonly newsBeyond: number;
  readonly mayMissLateData: boolean;
  readonly window: string | null;
  readonly historyDueAt: string | null;
  readonly failures: number;
  readonly retryAt: string | null;
  readonly absentSince: string | null;
  readonly fault: Fault | null;
};

export type Window = {
  readonly stream: string | null;
  readonly lane: 'live' | 'history';
  readonly from: string;
  readonly to: string;
  readonly askedAt: string;
  readonly windows: number;
  readonly slowestMs: number | null;
  readonly requests: number;
  readonly bytes: number;
  readonly readings: number;
  readonly duplicates: number;
  readonly revised: number;
  readonly refused: number;
  readonly repeats: number;
  readonly outside: number;
  readonly late: number;
  readonly waitedMs: number;
  readonly httpMs: number;
  readonly normaliseMs: number;
  readonly storeMs: number;
};

export type SourceChanged = {
  readonly source: string;
  readonly organisation: string;
  readonly action: 'pause' | 'resume' | 'poll' | 'remove';
  readonly outboxFull?: boolean;
};

export type TakenOver = {
  readonly source: string;
  readonly organisation: string;
  readonly from: string | null;
  readonly series: number;
};

export type ExportedSource = {
  readonly name: string;
  readonly organisation: string;
  readonly file: string;
  readonly yaml: string;
  readonly variables: readonly string[];
};

export type SourcesApplied = {
  readonly done: number;
  readonly failed: number;
  readonly items: readonly {
    readonly organisation: string | null;
    readonly name: string | null;
    readonly action: 'created' | 'changed' | 'unchanged' | null;
    readonly differences: number;
    readonly detail: string | null;
    readonly remedy: string | null;
    readonly errors: readonly {
      readonly pointer: string;
      readonly detail: string;
      readonly line?: number;
      readonly column?: number;
    }[];
  }[];
};

export type SourcesChanged = {
  readonly action: 'pause' | 'resume' | 'poll';
  readonly done: number;
  readonly failed: number;
  readonly items: readonly {
    readonly organisation: string;
    readonly name: string;
    readonly done: boolean;
    readonly detail: string | null;
    readonly remedy: string | null;
  }[];
};

export type Platform = {
  readonly name: string;
  readonly title: string;
  readonly kinds: readonly string[];
  readonly docs: string;
};

export type PlatformSample = { readonly platform: string; readonly yaml: string };

export type PlatformGuide = {
  readonly platform: string;
  readonly schema: string;
  readonly askTheCustomer: string | null;
};

export type BackfillQuote = {
  readonly source: string;
  readonly organisation: string;
  readonly from: string;
  readonly to: string;
  readonly streams: number;
  readonly timeSeconds: number;
  readonly windows: number;
  readonly requests: Expected;
  readonly bytes: Expected;
  readonly readings: Expected;
  readonly seconds: Expected | null;
  readonly requestsPerSecond: number;
  readonly liveWaitSeconds: number;
  readonly basis: number;
  readonly besides: readonly number[];
};

export type Expected = { readonly expected: number; readonly least: number; readonly most: number };

export type Backfill = {
  readonly id: number;
  readonly source: string;
  readonly organisation: string;
  readonly from: string;
  readonly to: string;
  readonly what: 'missing' | 'failed' | 'refused' | 'all';
  readonly order: 'oldest' | 'newest';
  readonly requestsPerDay: number | null;
  readonly sensors: readonly string[] | null;
  readonly requestedBy: string;
  readonly state: 'running' | 'paused' | 'done' | 'cancelled';
  readonly share: number;
  readonly streams: number;
  readonly readings: number;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly tookSeconds: number | null;
  readonly work: {
    readonly windows: number;
    readonly failures: number;
    readonly requests: number;
    readonly bytes: number;
    readonly readings: number;
    readonly requestsToday: number;
  };
  readonly quoted: {
    readonly streams: number;
    readonly timeSeconds: number;
    readonly windows: number;
    readonly requests: Expected;
    readonly bytes: Expected;
    readonly readings: Expected;
    readonly seconds: Expected | null;
    readonly requestsPerSecond: number;
    readonly liveWaitSeconds: number;
    readonly basis: number;
  } | null;
  readonly speed: {
    readonly readingsPerSecond: number;
    readonly timePerSecond: number;
    readonly leftSeconds: Expected | null;
  } | null;
  readonly waits: string | null;
  readonly unreadable: number;
  readonly errors: readonly string[];
  readonly overload: Overload | null;
  readonly sourceState: string;
  readonly settlesAt: string | null;
  readonly heldUntil: string | null;
  readonly outboxFullSince: string | null;
};

export type TracedPoint = {
  readonly sensor: string;
  readonly at: string;
  readonly fate:
    | 'stored'
    | 'refused'
    | 'nothing'
    | 'unreadable'
    | 'not-settled'
    | 'missing'
    | 'before-start'
    | 'future'
    | 'not-kept';
  readonly message: string;
  readonly remedy: string | null;
  readonly streams: readonly string[];
  readonly askedAt: string | null;
  readonly readings: readonly { readonly sensorId: string; readonly valueName: string; readonly value: number }[];
  readonly before: string | null;
  readonly after: string | null;
};

export type SourceAdvice = {
  readonly name: string;
  readonly organisation: string;
  readonly revisionTag: string;
  readonly share: number;
  readonly present: { readonly settle: string; readonly overlap: string };
  readonly advice: {
    readonly settle: string;
    readonly overlap: string;
    readonly points: number;
    readonly late: number;
    readonly found: number;
    readonly reaches: boolean;
  } | null;
  readonly lookBackAtMost: string;
};

export type Contract = {
  readonly source: string;
  readonly organisation: string;
  readonly platform: string;
  readonly hosts: readonly string[];
  readonly hostPaces: readonly { readonly host: string; readonly perSecond: number }[];
  readonly credentials: readonly { readonly field: string; readonly value: string | null }[];
  readonly requests: {
    readonly perSecond: number;
    readonly burst: number;
    readonly inASecond: number;
    readonly inADay: number;
    readonly atATime: number;
  };
  readonly quietHours: readonly {
    readonly from: string;
    readonly to: string;
    readonly zone: string;
    readonly days?: readonly string[];
  }[];
  readonly everySeconds: number;
  readonly longestWindowSeconds: number;
  readonly longestSilenceSeconds: number;
  readonly bytesInADay: number | null;
};

export type Receipt = {
  readonly name: string;
  readonly organisation: string;
  readonly month: string;
  readonly from: string;
  readonly to: string;
  readonly countedFrom: string | null;
  readonly requests: number;
  readonly requestsInADay: number;
  readonly kinds: {
    readonly live: number;
    readonly history: number;
    readonly look: number;
    readonly login: number;
    readonly failed: number;
  } | null;
  readonly bytes: number;
  readonly windows: number;
  readonly readings: number;
  readonly busiestHour: { readonly hour: string; readonly requests: number; readonly allowed: number } | null;
  readonly busiestMinute: { readonly minute: string; readonly requests: number; readonly allowed: number } | null;
  readonly busiestSecond: { readonly minute: string; readonly requests: number; readonly allowed: number } | null;
  readonly broken: readonly {
    readonly hour: string;
    readonly what: 'rate' | 'minute' | 'second' | 'quiet-hours';
    readonly requests: number;
    readonly allowed: number;
  }[];
};

export type Why = {
  readonly name: string;
  readonly condition: string;
  readonly lagSeconds: number | null;
  readonly overdueSeconds: number | null;
  readonly newestAt: string | null;
  readonly causes: readonly {
    readonly cause: string;
    readonly seconds: number | null;
    readonly message: string;
    readonly remedy: string;
  }[];
};

export type NewestReading = {
  readonly sensor: string;
  readonly sensorId: string | null;
  readonly series: number;
  readonly newestAt: string | null;
  readonly ageSeconds: number | null;
  readonly silent: boolean;
  readonly longestGapSeconds: number | null;
  readonly muted: { readonly until: string; readonly reason: string; readonly by: string } | null;
  readonly askedAgain: { readonly from: string; readonly to: string; readonly answered: boolean } | null;
  readonly askedFrom: string | null;
  readonly refused: string | null;
};

export type Refusals = {
  readonly reasons: readonly {
    readonly reason: string;
    readonly refused: number;
    readonly first: string | null;
    readonly last: string | null;
    readonly series: number;
    readonly meaning: string;
    readonly remedy: string;
  }[];
  readonly series: readonly {
    readonly reason: string;
    readonly refused: number;
    readonly first: string | null;
    readonly last: string | null;
    readonly sensor: string;
    readonly variable: string;
    readonly project?: string;
    readonly examples: readonly { readonly at: string | null; readonly raw: string }[];
  }[];
  readonly resembling?: readonly {
    readonly sensorId: string;
    readonly valueName: string;
    readonly near: readonly { readonly sensorId: string; readonly valueName: string }[];
  }[];
  readonly next?: string | null;
  readonly undated?: number;
};

export type Host = {
  readonly host: string;
  readonly all: number;
  readonly live: number;
  readonly history: number;
  readonly look: number;
  readonly login: number;
  readonly failed: number;
  readonly fullestMinute: number;
  readonly allowed: number | null;
  readonly share: number | null;
  readonly pace: number | null;
  readonly fullestSecond: number | null;
  readonly advice: string | null;
  readonly sources: readonly {
    readonly name: string;
    readonly organisation: string;
    readonly all: number;
    readonly live: number;
    readonly history: number;
    readonly look: number;
    readonly login: number;
    readonly failed: number;
    readonly fullestMinute: number;
    readonly allowed: number | null;
  }[];
  readonly sourcesInAll?: number;
};

export type RefusalOfSource = {
  readonly organisation: string;
  readonly source: string;
  readonly project: string;
  readonly sensor: string;
  readonly variable: string;
  readonly reason: string;
  readonly refused: number;
  readonly first: string | null;
  readonly last: string | null;
};

export type Former = {
  readonly id: number;
  readonly endedAt: string;
  readonly endedBy: string;
  readonly ending: 'changed' | 'removed';
  readonly config: Configuration;
  readonly configLeftOut: boolean;
};

export type Restored = {
  readonly name: string;
  readonly organisation: string;
  readonly action: 'created' | 'changed' | 'unchanged';
  readonly differences: readonly { readonly path: string; readonly before?: string; readonly after?: string }[];
  readonly differencesInAll?: number;
  readonly namesakes: readonly string[];
  readonly move: {
    readonly coverage: 'kept' | 'begins-anew';
    readonly fields: readonly string[];
    readonly byText: readonly string[];
    readonly streams: number;
  };
  readonly renames: readonly {
    readonly from: { readonly sensorId: string; readonly valueName: string };
    readonly to: { readonly sensorId: string; readonly valueName: string } | string;
    readonly stored: boolean;
  }[];
  readonly renamesInAll?: number;
  readonly seriesOfOthers: readonly { readonly owner: string | null; readonly series: number }[];
  readonly repair: {
    readonly refused: number;
    readonly series: number;
    readonly reasons: readonly string[];
    readonly from: string;
    readonly to: string;
    readonly command: string;
  } | null;
  readonly endedAt: string;
  readonly endedBy: string;
  readonly ending: 'changed' | 'removed';
};

export type Coverage = {
  readonly sensor: string | null;
  readonly from: string;
  readonly to: string;
  readonly buckets: number;
  readonly bucketSeconds: number | null;
  readonly zone: string | null;
  readonly edges: readonly string[];
  readonly streams: readonly {
    readonly key: string;
    readonly states: string;
    readonly coveredSeconds: number;
    readonly failedSeconds: number;
    readonly missingSeconds: number;
    readonly askingSeconds: number;
    readonly readings: readonly number[] | null;
    readonly refused: readonly number[] | null;
  }[];
  readonly hiddenStreams: number;
  readonly refusals: readonly {
    readonly reason:
      | 'not-an-object'
      | 'misspelt-field'
      | 'no-value'
      | 'null'
      | 'boolean'
      | 'text-number'
      | 'not-a-number'
      | 'not-finite'
      | 'not-a-scalar'
      | 'system-state'
      | 'bad-quality'
      | 'unknown-quality'
      | 'no-date'
      | 'bad-instant'
      | 'date-without-time'
      | 'in-the-future'
      | 'too-old'
      | 'not-kept'
      | 'same-instant'
      | 'local-time-missing'
      | 'local-time-repeated'
      | 'bad-sensor-id'
      | 'bad-value-name'
      | 'bad-precision'
      | 'bad-label'
      | 'too-many-labels'
      | 'name-collision'
      | 'series-of-another'
      | 'name-held-back'
      | 'too-many-series'
      | 'refused-there';
    readonly refused: number;
    readonly raw: string | null;
    readonly first: string;
    readonly last: string;
  }[];
  readonly refusalsNotKept: number;
  readonly keptFrom: string | null;
  readonly next: string | null;
};

export type CoverageStrips = {
  readonly from: string;
  readonly to: string;
  readonly buckets: number;
  readonly bucketSeconds: number | null;
  readonly zone: string | null;
  readonly edges: readonly string[];
  readonly sources: readonly {
    readonly organisation: string;
    readonly name: string;
    readonly strip: {
      readonly states: string;
      readonly coveredSeconds: number;
      readonly failedSeconds: number;
      readonly missingSeconds: number;
      readonly askingSeconds: number;
    } | null;
  }[];
};

export type Organisation = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
  readonly projects: number;
  readonly applications: number;
};

export type Application = {
  readonly applicationId: string;
  readonly organisation: string;
  readonly name: string;
  readonly projects: readonly string[] | null;
  readonly createdAt: string;
  readonly previousSecretUntil: string | null;
  readonly lastTokenAt: string | null;
  readonly lastRenewalAt: string | null;
  readonly lastPushAt: string | null;
  readonly pushes: number;
  readonly accepted: number;
  readonly duplicates: number;
  readonly revised: number;
  readonly bytes: number;
  readonly refused24h: number;
  readonly refusedByReason24h: Readonly<Record<string, number>>;
  readonly revokedAt: string | null;
};

export type ApplicationSecret = {
  readonly applicationId: string;
  readonly secret: string;
  readonly organisation: string;
  readonly name: string;
  readonly projects: readonly string[] | null;
};

export type SigningKey = {
  readonly kid: string;
  readonly state: string;
  readonly signsFrom: string;
  readonly signsUntil: string | null;
};

export type SealingKeys = { readonly items: readonly SealingKey[]; readonly left: number; readonly rotating: boolean };

export type SealingKey = {
  readonly seals: boolean;
  readonly present: boolean;
  readonly kid: string | null;
  readonly state: 'seals' | 'next' | 'opens' | 'not needed' | 'missing';
  readonly place: string | null;
  readonly values: Readonly<Record<string, number>>;
};

export type Project = {
  readonly organisation: string;
  readonly code: string;
  readonly name: string;
  readonly sources: number;
  readonly series: number;
};

export type ProjectRoom = {
  readonly code: string;
  readonly organisation: string;
  readonly locked: boolean;
  readonly quota: number;
  readonly series: number;
  readonly held: number;
  readonly newInHour: number;
  readonly newInUsualHour: number;
  readonly keep: string;
  readonly keptFrom: string | null;
  readonly hold: { readonly reason: string; readonly by: string; readonly at: string } | null;
  readonly warnings: readonly { readonly message: string; readonly remedy: string }[];
};

export type ProjectLocked = {
  readonly code: string;
  readonly organisation: string;
  readonly locked: true;
  readonly changed: boolean;
  readonly series: number;
};

export type ProjectUnlocked = {
  readonly code: string;
  readonly organisation: string;
  readonly locked: false;
  readonly changed: boolean;
  readonly held: number;
  readonly repairs: readonly {
    readonly source: string;
    readonly organisation: string;
    readonly points: number;
    readonly from: string;
    readonly to: string;
    readonly command: string;
  }[];
};

export type ProjectQuota = {
  readonly code: string;
  readonly organisation: string;
  readonly quota: number;
  readonly series: number;
};

export type ProjectKeepSet = {
  readonly code: string;
  readonly organisation: string;
  readonly keep: string;
  readonly keptFrom: string | null;
  readonly hold: { readonly reason: string; readonly by: string; readonly at: string } | null;
  readonly dryRun: boolean;
  readonly old: {
    readonly before: string | null;
    readonly days: number;
    readonly rows: number;
    readonly archivedReadings: number;
    readonly archivedBytes: number;
  } | null;
};

export type ProjectHold = {
  readonly code: string;
  readonly organisation: string;
  readonly keep: string;
  readonly keptFrom: string | null;
  readonly hold: { readonly reason: string; readonly by: string; readonly at: string } | null;
  readonly changed: boolean;
};

export type HeldName = {
  readonly sensorId: string;
  readonly valueName: string;
  readonly source: string | null;
  readonly application: string | null;
  readonly near: readonly { readonly sensorId: string; readonly valueName: string }[];
  readonly refused: number;
  readonly firstSeen: string;
  readonly lastSeen: string;
  readonly first: string | null;
  readonly last: string | null;
};

export type Released = {
  readonly code: string;
  readonly organisation: string;
  readonly released: number;
  readonly repairs: readonly {
    readonly source: string;
    readonly organisation: string;
    readonly points: number;
    readonly from: string;
    readonly to: string;
    readonly command: string;
  }[];
  readonly applications: readonly string[];
};

export type PushedRename = {
  readonly from: { readonly sensorId: string; readonly valueName: string };
  readonly to: { readonly sensorId: string; readonly valueName: string };
};

export type Renamed = {
  readonly code: string;
  readonly organisation: string;
  readonly pushed: readonly PushedRename[];
  readonly applications: readonly string[];
  readonly files: readonly { readonly source: string; readonly yaml: string }[];
};

export type RenameEnded = { readonly code: string; readonly organisation: string; readonly ended: number };

export type Ingestion = {
  readonly project: string;
  readonly organisation: string;
  readonly ingestion: 'store' | 'push';
  readonly url: string | null;
  readonly remoteOrganisation: string | null;
  readonly remoteProject: string | null;
  readonly applicationId: string | null;
  readonly state: 'active' | 'stopped' | null;
  readonly waiting: number | null;
  readonly mostWaiting: number | null;
  readonly oldestAt: string | null;
  readonly fullSince: string | null;
  readonly heldUntil: string | null;
  readonly lastDeliveryAt: string | null;
  readonly delivered24h: number;
  readonly refused24h: number;
  readonly fault: {
    readonly code: string;
    readonly message: string;
    readonly remedy?: string;
    readonly at: string;
  } | null;
};

export type RemoteRefusal = {
  readonly id: number;
  readonly source: string | null;
  readonly sensor: string;
  readonly variable: string;
  readonly at: string;
  readonly raw: string;
  readonly notedAt: string;
};

export type AuditEntry = {
  readonly id: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: AuditDetail;
};

export type AuditDetail = unknown;

export type Series = {
  readonly sensorId: string;
  readonly valueName: string;
  readonly owner: string | null;
  readonly newestAt: string | null;
};

export type BinnedReadings = {
  readonly sensorId: string;
  readonly valueName: string;
  readonly from: string;
  readonly to: string;
  readonly bins: number;
  readonly items: readonly {
    readonly bin: number;
    readonly min: number;
    readonly max: number;
    readonly mean: number;
    readonly count: number;
  }[];
  readonly keptFrom: string | null;
};

export type Alert = {
  readonly id: number;
  readonly kind:
    | 'stopped'
    | 'failing'
    | 'contract'
    | 'behind'
    | 'silent'
    | 'refusals'
    | 'names'
    | 'outbox'
    | 'disk'
    | 'key'
    | 'planner'
    | 'clock'
    | 'backup'
    | 'settings';
  readonly organisation: string | null;
  readonly subject: string;
  readonly severity: 'warning' | 'critical';
  readonly state: 'open' | 'ended';
  readonly what: string;
  readonly remedy: string;
  readonly since: string;
  readonly openedAt: string;
  readonly lastSeenAt: string;
  readonly endedAt: string | null;
  readonly returns: number;
  readonly earlier: number;
  readonly owner: string | null;
  readonly acknowledgedAt: string | null;
  readonly note: string | null;
  readonly mutedUntil: string | null;
};

export type AlertTarget = {
  readonly name: string;
  readonly waiting: number;
  readonly told: number;
  readonly lastSentAt: string | null;
  readonly failures: number;
  readonly heldUntil: string | null;
  readonly fault: { readonly message: string; readonly remedy: string; readonly at: string } | null;
};

export type Applied = {
  readonly name: string;
  readonly organisation: string;
  readonly action: 'created' | 'changed' | 'unchanged';
  readonly differences: readonly { readonly path: string; readonly before?: string; readonly after?: string }[];
  readonly differencesInAll?: number;
  readonly namesakes: readonly string[];
  readonly move: {
    readonly coverage: 'kept' | 'begins-anew';
    readonly fields: readonly string[];
    readonly byText: readonly string[];
    readonly streams: number;
  };
  readonly renames: readonly {
    readonly from: { readonly sensorId: string; readonly valueName: string };
    readonly to: { readonly sensorId: string; readonly valueName: string } | string;
    readonly stored: boolean;
  }[];
  readonly renamesInAll?: number;
  readonly seriesOfOthers: readonly { readonly owner: string | null; readonly series: number }[];
  readonly repair: {
    readonly refused: number;
    readonly series: number;
    readonly reasons: readonly string[];
    readonly from: string;
    readonly to: string;
    readonly command: string;
  } | null;
};

/** What each operation takes and answers. */
export interface Operations {
  readonly getMe: { readonly answer: Operator };
  readonly getOverview: { readonly answer: Overview };
  readonly listOperators: {
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly OperatorAccount[]; readonly next: string | null };
  };
  readonly createOperator: {
    readonly body: {
      readonly name: string;
      readonly role: 'viewer' | 'operator' | 'admin';
      readonly organisations?: readonly string[] | null;
    };
    readonly answer: OperatorAccount;
  };
  readonly getOperator: { readonly params: { readonly name: string }; readonly answer: OperatorAccount };
  readonly setOperatorRole: {
    readonly params: { readonly name: string };
    readonly body: { readonly role: 'viewer' | 'operator' | 'admin' };
    readonly answer: OperatorChanged;
  };
  readonly setOperatorOrganisations: {
    readonly params: { readonly name: string };
    readonly body: { readonly organisations: readonly string[] | null };
    readonly answer: OperatorChanged;
  };
  readonly disableOperator: { readonly params: { readonly name: string }; readonly answer: OperatorChanged };
  readonly enableOperator: { readonly params: { readonly name: string }; readonly answer: OperatorChanged };
  readonly signOutOperator: {
    readonly params: { readonly name: string };
    readonly answer: { readonly name: string; readonly sessions: number };
  };
  readonly listOperatorSessions: {
    readonly params: { readonly name: string };
    readonly answer: { readonly sessions: readonly ListedSession[] };
  };
  readonly endOperatorSession: {
    readonly params: { readonly name: string; readonly id: string };
    readonly answer: null;
  };
  readonly listOperatorTokens: {
    readonly params: { readonly name: string };
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly OperatorToken[]; readonly next: string | null };
  };
  readonly createOperatorToken: {
    readonly params: { readonly name: string };
    readonly body: { readonly name: string; readonly days?: number };
    readonly answer: NewOperatorToken;
  };
  readonly revokeOperatorToken: {
    readonly params: { readonly name: string; readonly id: string };
    readonly answer: { readonly id: string; readonly revoked: boolean };
  };
  readonly getSignIn: { readonly answer: WaysToSignIn };
  readonly signIn: { readonly body: { readonly name: string; readonly password: string }; readonly answer: Session };
  readonly getSession: { readonly answer: Session };
  readonly signOut: { readonly answer: null };
  readonly listSessions: { readonly answer: { readonly sessions: readonly ListedSession[] } };
  readonly endSession: { readonly params: { readonly id: string }; readonly answer: null };
  readonly confirmSession: { readonly body: { readonly password: string }; readonly answer: null };
  readonly changePassword: {
    readonly body: { readonly current?: string; readonly password: string };
    readonly answer: Session;
  };
  readonly signInByLink: { readonly body: { readonly token: string }; readonly answer: Session };
  readonly createOperatorLink: {
    readonly params: { readonly name: string };
    readonly body: { readonly invite?: boolean };
    readonly answer: {
      readonly name: string;
      readonly token: string;
      readonly path: string;
      readonly expiresAt: string;
    };
  };
  readonly startOidc: { readonly answer: null };
  readonly endOidc: { readonly answer: Session };
  readonly listSources: {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly state?: 'stopped' | 'failing' | 'behind' | 'silent' | 'paused' | 'starting' | 'well';
      readonly behind?: 'true' | 'false';
      readonly organisation?: string;
      readonly project?: string;
      readonly platform?: string;
      readonly text?: string;
      readonly sort?: 'name' | 'lag' | 'overdue' | 'trouble' | 'requests';
    };
    readonly answer: Sources;
  };
  readonly getSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly answer: Source;
  };
  readonly removeSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly answer: SourceChanged;
  };
  readonly pauseSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly answer: SourceChanged;
  };
  readonly resumeSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly answer: SourceChanged;
  };
  readonly pollSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly answer: SourceChanged;
  };
  readonly takeSeriesOver: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly body: { readonly from?: string; readonly fromPushed?: boolean; readonly sensors?: readonly string[] };
    readonly answer: TakenOver;
  };
  readonly exportSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: { readonly secrets?: 'variables' | 'hidden' };
    readonly answer: ExportedSource;
  };
  readonly listStreams: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly Stream[]; readonly next: string | null };
  };
  readonly listWindows: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly Window[]; readonly next: string | null };
  };
  readonly applySources: {
    readonly body: {
      readonly sources: readonly string[];
      readonly dryRun?: boolean;
      readonly sameData?: boolean;
      readonly rename?: boolean;
    };
    readonly answer: SourcesApplied;
  };
  readonly changeSources: {
    readonly body: {
      readonly action: 'pause' | 'resume' | 'poll';
      readonly sources?: readonly { readonly organisation: string; readonly name: string }[];
      readonly filter?: {
        readonly state?: 'stopped' | 'failing' | 'behind' | 'silent' | 'paused' | 'starting' | 'well';
        readonly organisation?: string;
        readonly project?: string;
        readonly platform?: string;
        readonly text?: string;
      };
    };
    readonly answer: SourcesChanged;
  };
  readonly listPlatforms: { readonly answer: { readonly items: readonly Platform[] } };
  readonly getPlatformSample: { readonly params: { readonly name: string }; readonly answer: PlatformSample };
  readonly getPlatformGuide: { readonly params: { readonly name: string }; readonly answer: PlatformGuide };
  readonly quoteBackfill: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly body: {
      readonly from?: string;
      readonly to?: string;
      readonly what?: 'missing' | 'failed' | 'refused' | 'all';
      readonly order?: 'oldest' | 'newest';
      readonly sensors?: readonly string[];
      readonly requestsPerDay?: number;
    };
    readonly answer: BackfillQuote;
  };
  readonly startBackfill: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly body: {
      readonly from?: string;
      readonly to?: string;
      readonly what?: 'missing' | 'failed' | 'refused' | 'all';
      readonly order?: 'oldest' | 'newest';
      readonly sensors?: readonly string[];
      readonly requestsPerDay?: number;
    };
    readonly answer: Backfill;
  };
  readonly startBackfills: {
    readonly body: {
      readonly from?: string;
      readonly to?: string;
      readonly what?: 'missing' | 'failed' | 'refused' | 'all';
      readonly order?: 'oldest' | 'newest';
      readonly sensors?: readonly string[];
      readonly requestsPerDay?: number;
      readonly organisation?: string;
      readonly cursor?: string;
    };
    readonly answer: {
      readonly items: readonly {
        readonly organisation: string;
        readonly source: string;
        readonly backfill: number | null;
        readonly fault: string | null;
      }[];
      readonly next: string | null;
    };
  };
  readonly listBackfills: {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly organisation?: string;
      readonly source?: string;
      readonly state?: 'running' | 'paused' | 'done' | 'cancelled';
    };
    readonly answer: { readonly items: readonly Backfill[]; readonly next: string | null };
  };
  readonly getBackfill: { readonly params: { readonly id: number }; readonly answer: Backfill };
  readonly pauseBackfill: { readonly params: { readonly id: number }; readonly answer: Backfill };
  readonly resumeBackfill: { readonly params: { readonly id: number }; readonly answer: Backfill };
  readonly cancelBackfill: { readonly params: { readonly id: number }; readonly answer: Backfill };
  readonly tracePoint: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: { readonly sensor: string; readonly at: string };
    readonly answer: TracedPoint;
  };
  readonly adviseSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: { readonly share?: number };
    readonly answer: SourceAdvice;
  };
  readonly showContract: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly answer: Contract;
  };
  readonly showReceipt: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: { readonly month: string };
    readonly answer: Receipt;
  };
  readonly explainSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly answer: Why;
  };
  readonly listNewest: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: { readonly limit?: number; readonly cursor?: string; readonly silent?: string };
    readonly answer: { readonly items: readonly NewestReading[]; readonly next: string | null };
  };
  readonly listRefusals: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: {
      readonly reason?:
        | 'not-an-object'
        | 'misspelt-field'
        | 'no-value'
        | 'null'
        | 'boolean'
        | 'text-number'
        | 'not-a-number'
        | 'not-finite'
        | 'not-a-scalar'
        | 'system-state'
        | 'bad-quality'
        | 'unknown-quality'
        | 'no-date'
        | 'bad-instant'
        | 'date-without-time'
        | 'in-the-future'
        | 'too-old'
        | 'not-kept'
        | 'same-instant'
        | 'local-time-missing'
        | 'local-time-repeated'
        | 'bad-sensor-id'
        | 'bad-value-name'
        | 'bad-precision'
        | 'bad-label'
        | 'too-many-labels'
        | 'name-collision'
        | 'series-of-another'
        | 'name-held-back'
        | 'too-many-series'
        | 'refused-there';
      readonly sensor?: string;
      readonly from?: string;
      readonly to?: string;
      readonly limit?: number;
      readonly cursor?: string;
    };
    readonly answer: Refusals;
  };
  readonly listRequests: {
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly Host[]; readonly next: string | null };
  };
  readonly listRefusalsOfAll: {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly organisation?: string;
      readonly source?: string;
      readonly project?: string;
      readonly reason?:
        | 'not-an-object'
        | 'misspelt-field'
        | 'no-value'
        | 'null'
        | 'boolean'
        | 'text-number'
        | 'not-a-number'
        | 'not-finite'
        | 'not-a-scalar'
        | 'system-state'
        | 'bad-quality'
        | 'unknown-quality'
        | 'no-date'
        | 'bad-instant'
        | 'date-without-time'
        | 'in-the-future'
        | 'too-old'
        | 'not-kept'
        | 'same-instant'
        | 'local-time-missing'
        | 'local-time-repeated'
        | 'bad-sensor-id'
        | 'bad-value-name'
        | 'bad-precision'
        | 'bad-label'
        | 'too-many-labels'
        | 'name-collision'
        | 'series-of-another'
        | 'name-held-back'
        | 'too-many-series'
        | 'refused-there';
      readonly sensor?: string;
    };
    readonly answer: {
      readonly reasons:
        | readonly {
            readonly reason: string;
            readonly refused: number;
            readonly first: string | null;
            readonly last: string | null;
            readonly series: number;
            readonly meaning: string;
            readonly remedy: string;
          }[]
        | null;
      readonly items: readonly RefusalOfSource[];
      readonly next: string | null;
    };
  };
  readonly listFormer: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly Former[]; readonly next: string | null };
  };
  readonly restoreSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: {
      readonly dryRun?: 'true' | 'false';
      readonly sameData?: 'true' | 'false';
      readonly rename?: 'true' | 'false';
      readonly former?: number;
    };
    readonly answer: Restored;
  };
  readonly getCoverage: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: {
      readonly from?: string;
      readonly to?: string;
      readonly buckets?: number;
      readonly zone?: string;
      readonly sensor?: string;
      readonly limit?: number;
      readonly cursor?: string;
    };
    readonly answer: Coverage;
  };
  readonly listCoverage: {
    readonly query: {
      readonly from?: string;
      readonly to?: string;
      readonly buckets?: number;
      readonly zone?: string;
      readonly sources: string;
    };
    readonly answer: CoverageStrips;
  };
  readonly checkSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: { readonly inQuietHours?: 'true' | 'false'; readonly tryAgain?: 'true' | 'false' };
    readonly answer: string;
  };
  readonly searchSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: {
      readonly inQuietHours?: 'true' | 'false';
      readonly tryAgain?: 'true' | 'false';
      readonly search?: string;
      readonly limit?: number;
    };
    readonly answer: string;
  };
  readonly previewSource: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly query: {
      readonly inQuietHours?: 'true' | 'false';
      readonly tryAgain?: 'true' | 'false';
      readonly from: string;
      readonly to?: string;
      readonly limit?: number;
    };
    readonly answer: string;
  };
  readonly listOrganisations: {
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly Organisation[]; readonly next: string | null };
  };
  readonly createOrganisation: {
    readonly body: { readonly id: string; readonly name?: string };
    readonly answer: { readonly id: string; readonly created: boolean };
  };
  readonly listApplications: {
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly Application[]; readonly next: string | null };
  };
  readonly createApplication: {
    readonly body: { readonly organisation?: string; readonly name: string; readonly projects?: readonly string[] };
    readonly answer: ApplicationSecret;
  };
  readonly getApplication: { readonly params: { readonly id: string }; readonly answer: Application };
  readonly rotateApplication: {
    readonly params: { readonly id: string };
    readonly body: { readonly overlapHours?: number };
    readonly answer: { readonly applicationId: string; readonly secret: string; readonly previousSecretUntil: string };
  };
  readonly revokeApplication: {
    readonly params: { readonly id: string };
    readonly answer: { readonly applicationId: string; readonly revoked: boolean };
  };
  readonly listPushRefusals: {
    readonly params: { readonly id: string };
    readonly query: {
      readonly reason?:
        | 'not-an-object'
        | 'misspelt-field'
        | 'no-value'
        | 'null'
        | 'boolean'
        | 'text-number'
        | 'not-a-number'
        | 'not-finite'
        | 'not-a-scalar'
        | 'system-state'
        | 'bad-quality'
        | 'unknown-quality'
        | 'no-date'
        | 'bad-instant'
        | 'date-without-time'
        | 'in-the-future'
        | 'too-old'
        | 'not-kept'
        | 'same-instant'
        | 'local-time-missing'
        | 'local-time-repeated'
        | 'bad-sensor-id'
        | 'bad-value-name'
        | 'bad-precision'
        | 'bad-label'
        | 'too-many-labels'
        | 'name-collision'
        | 'series-of-another'
        | 'name-held-back'
        | 'too-many-series'
        | 'refused-there';
      readonly sensor?: string;
      readonly from?: string;
      readonly to?: string;
      readonly limit?: number;
      readonly cursor?: string;
    };
    readonly answer: Refusals;
  };
  readonly listSigningKeys: { readonly answer: { readonly items: readonly SigningKey[] } };
  readonly rotateSigningKey: {
    readonly query: { readonly atOnce?: 'true' | 'false' };
    readonly answer: { readonly kid: string; readonly signsFrom: string; readonly created: boolean };
  };
  readonly listSealingKeys: { readonly answer: SealingKeys };
  readonly rotateSealingKey: { readonly answer: string };
  readonly listProjects: {
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly Project[]; readonly next: string | null };
  };
  readonly createProject: {
    readonly body: { readonly organisation?: string; readonly code: string; readonly name?: string };
    readonly answer: { readonly code: string; readonly organisation: string; readonly created: boolean };
  };
  readonly getProject: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly answer: ProjectRoom;
  };
  readonly lockProject: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly answer: ProjectLocked;
  };
  readonly unlockProject: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly answer: ProjectUnlocked;
  };
  readonly setProjectQuota: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly body: { readonly series: number };
    readonly answer: ProjectQuota;
  };
  readonly setProjectKeep: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly body: { readonly keep: string; readonly dryRun?: boolean };
    readonly answer: ProjectKeepSet;
  };
  readonly holdProject: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly body: { readonly reason: string };
    readonly answer: ProjectHold;
  };
  readonly unholdProject: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly answer: ProjectHold;
  };
  readonly listHeldNames: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly query: { readonly limit?: number; readonly cursor?: string; readonly sensor?: string };
    readonly answer: { readonly items: readonly HeldName[]; readonly next: string | null };
  };
  readonly releaseNames: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly body: { readonly sensorId?: string; readonly valueName?: string; readonly all?: boolean };
    readonly answer: Released;
  };
  readonly listRenamedNames: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly PushedRename[]; readonly next: string | null };
  };
  readonly renameHeldNames: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly body: {
      readonly sensorId: string;
      readonly valueName?: string;
      readonly as: { readonly sensorId: string; readonly valueName?: string };
    };
    readonly answer: Renamed;
  };
  readonly endRename: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly body: { readonly sensorId: string; readonly valueName?: string };
    readonly answer: RenameEnded;
  };
  readonly listIngestion: {
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly Ingestion[]; readonly next: string | null };
  };
  readonly pushIngestion: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly query: { readonly check?: 'true' | 'false' };
    readonly body: {
      readonly url: string;
      readonly organisation?: string;
      readonly project?: string;
      readonly applicationId: string;
      readonly secret: string;
      readonly mostWaiting?: number;
    };
    readonly answer: {
      readonly project: string;
      readonly ingestion: 'push';
      readonly checked: boolean;
      readonly remote: {
        readonly url: string;
        readonly organisation: string;
        readonly code: string;
        readonly applicationId: string;
        readonly mostWaiting: number;
      };
    };
  };
  readonly storeIngestion: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly query: { readonly discard?: 'true' | 'false' };
    readonly answer: { readonly project: string; readonly ingestion: 'store'; readonly discarded: number };
  };
  readonly resumeIngestion: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly answer: { readonly project: string; readonly resumed: true };
  };
  readonly listIngestionRefusals: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly query: { readonly limit?: number; readonly cursor?: string };
    readonly answer: { readonly items: readonly RemoteRefusal[]; readonly next: string | null };
  };
  readonly listAudit: {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly source?: string;
      readonly organisation?: string;
      readonly actor?: string;
      readonly action?: string;
      readonly from?: string;
      readonly to?: string;
    };
    readonly answer: { readonly items: readonly AuditEntry[]; readonly next: string | null };
  };
  readonly exportAudit: {
    readonly query: {
      readonly source?: string;
      readonly organisation?: string;
      readonly actor?: string;
      readonly action?: string;
      readonly from?: string;
      readonly to?: string;
      readonly format?: 'csv' | 'jsonl';
      readonly before?: number;
    };
    readonly answer: string;
  };
  readonly readReadings: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly query: { readonly from: string; readonly to?: string; readonly sensor?: string; readonly limit?: number };
    readonly answer: string;
  };
  readonly listSeries: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly text?: string;
      readonly sensor?: string;
    };
    readonly answer: { readonly items: readonly Series[]; readonly next: string | null };
  };
  readonly readBins: {
    readonly params: { readonly organisation: string; readonly code: string };
    readonly query: {
      readonly sensorId: string;
      readonly valueName: string;
      readonly from: string;
      readonly to?: string;
      readonly bins?: number;
    };
    readonly answer: BinnedReadings;
  };
  readonly listAlerts: {
    readonly query: {
      readonly limit?: number;
      readonly cursor?: string;
      readonly state?: 'open' | 'ended' | 'all';
      readonly kind?:
        | 'stopped'
        | 'failing'
        | 'contract'
        | 'behind'
        | 'silent'
        | 'refusals'
        | 'names'
        | 'outbox'
        | 'disk'
        | 'key'
        | 'planner'
        | 'clock'
        | 'backup'
        | 'settings';
      readonly severity?: 'warning' | 'critical';
      readonly organisation?: string;
      readonly subject?: string;
    };
    readonly answer: { readonly items: readonly Alert[]; readonly next: string | null };
  };
  readonly getAlert: { readonly params: { readonly id: number }; readonly answer: Alert };
  readonly acknowledgeAlert: {
    readonly params: { readonly id: number };
    readonly body: { readonly note?: string };
    readonly answer: { readonly id: number; readonly changed: boolean };
  };
  readonly muteAlert: {
    readonly params: { readonly id: number };
    readonly body: { readonly for: string };
    readonly answer: { readonly id: number; readonly changed: boolean };
  };
  readonly muteSensor: {
    readonly params: { readonly organisation: string; readonly name: string };
    readonly body: { readonly sensor: string; readonly for: string; readonly reason: string };
    readonly answer: { readonly sensors: readonly string[] };
  };
  readonly listAlertTargets: { readonly answer: { readonly items: readonly AlertTarget[] } };
  readonly watchEvents: { readonly answer: string };
  readonly applySource: {
    readonly query: {
      readonly dryRun?: 'true' | 'false';
      readonly sameData?: 'true' | 'false';
      readonly rename?: 'true' | 'false';
    };
    readonly body: string;
    readonly answer: Applied;
  };
  readonly checkDocument: {
    readonly query: { readonly inQuietHours?: 'true' | 'false'; readonly tryAgain?: 'true' | 'false' };
    readonly body: string;
    readonly answer: string;
  };
  readonly searchDocument: {
    readonly query: {
      readonly inQuietHours?: 'true' | 'false';
      readonly tryAgain?: 'true' | 'false';
      readonly search?: string;
      readonly limit?: number;
    };
    readonly body: string;
    readonly answer: string;
  };
  readonly previewDocument: {
    readonly query: {
      readonly inQuietHours?: 'true' | 'false';
      readonly tryAgain?: 'true' | 'false';
      readonly from: string;
      readonly to?: string;
      readonly limit?: number;
    };
    readonly body: string;
    readonly answer: string;
  };
}

/** Where each operation is. */
export const PLACES = {
  getMe: 'GET /me',
  getOverview: 'GET /overview',
  listOperators: 'GET /operators',
  createOperator: 'POST /operators',
  getOperator: 'GET /operators/{name}',
  setOperatorRole: 'PUT /operators/{name}/role',
  setOperatorOrganisations: 'PUT /operators/{name}/organisations',
  disableOperator: 'POST /operators/{name}/disable',
  enableOperator: 'POST /operators/{name}/enable',
  signOutOperator: 'POST /operators/{name}/sign-out',
  listOperatorSessions: 'GET /operators/{name}/sessions',
  endOperatorSession: 'DELETE /operators/{name}/sessions/{id}',
  listOperatorTokens: 'GET /operators/{name}/tokens',
  createOperatorToken: 'POST /operators/{name}/tokens',
  revokeOperatorToken: 'DELETE /operators/{name}/tokens/{id}',
  getSignIn: 'GET /sign-in',
  signIn: 'POST /session',
  getSession: 'GET /session',
  signOut: 'DELETE /session',
  listSessions: 'GET /sessions',
  endSession: 'DELETE /sessions/{id}',
  confirmSession: 'POST /me/confirm',
  changePassword: 'PUT /password',
  signInByLink: 'POST /sign-in/link',
  createOperatorLink: 'POST /operators/{name}/link',
  startOidc: 'GET /oidc/start',
  endOidc: 'GET /oidc/callback',
  listSources: 'GET /sources',
  getSource: 'GET /sources/{organisation}/{name}',
  removeSource: 'DELETE /sources/{organisation}/{name}',
  pauseSource: 'POST /sources/{organisation}/{name}/pause',
  resumeSource: 'POST /sources/{organisation}/{name}/resume',
  pollSource: 'POST /sources/{organisation}/{name}/poll',
  takeSeriesOver: 'POST /sources/{organisation}/{name}/take-over',
  exportSource: 'GET /sources/{organisation}/{name}/export',
  listStreams: 'GET /sources/{organisation}/{name}/streams',
  listWindows: 'GET /sources/{organisation}/{name}/windows',
  applySources: 'POST /sources/apply-many',
  changeSources: 'POST /sources/actions',
  listPlatforms: 'GET /platforms',
  getPlatformSample: 'GET /platforms/{name}/sample',
  getPlatformGuide: 'GET /platforms/{name}/guide',
  quoteBackfill: 'POST /sources/{organisation}/{name}/backfills/quote',
  startBackfill: 'POST /sources/{organisation}/{name}/backfills',
  startBackfills: 'POST /backfills',
  listBackfills: 'GET /backfills',
  getBackfill: 'GET /backfills/{id}',
  pauseBackfill: 'POST /backfills/{id}/pause',
  resumeBackfill: 'POST /backfills/{id}/resume',
  cancelBackfill: 'POST /backfills/{id}/cancel',
  tracePoint: 'GET /sources/{organisation}/{name}/trace',
  adviseSource: 'GET /sources/{organisation}/{name}/advice',
  showContract: 'GET /sources/{organisation}/{name}/contract',
  showReceipt: 'GET /sources/{organisation}/{name}/receipt',
  explainSource: 'GET /sources/{organisation}/{name}/why',
  listNewest: 'GET /sources/{organisation}/{name}/newest',
  listRefusals: 'GET /sources/{organisation}/{name}/refusals',
  listRequests: 'GET /requests',
  listRefusalsOfAll: 'GET /refusals',
  listFormer: 'GET /sources/{organisation}/{name}/former',
  restoreSource: 'POST /sources/{organisation}/{name}/restore',
  getCoverage: 'GET /sources/{organisation}/{name}/coverage',
  listCoverage: 'GET /coverage',
  checkSource: 'POST /sources/{organisation}/{name}/check',
  searchSource: 'POST /sources/{organisation}/{name}/sensors',
  previewSource: 'POST /sources/{organisation}/{name}/preview',
  listOrganisations: 'GET /organisations',
  createOrganisation: 'POST /organisations',
  listApplications: 'GET /applications',
  createApplication: 'POST /applications',
  getApplication: 'GET /applications/{id}',
  rotateApplication: 'POST /applications/{id}/rotate',
  revokeApplication: 'POST /applications/{id}/revoke',
  listPushRefusals: 'GET /applications/{id}/refusals',
  listSigningKeys: 'GET /signing-keys',
  rotateSigningKey: 'POST /signing-keys/rotate',
  listSealingKeys: 'GET /sealing-keys',
  rotateSealingKey: 'POST /sealing-keys/rotate',
  listProjects: 'GET /projects',
  createProject: 'POST /projects',
  getProject: 'GET /projects/{organisation}/{code}',
  lockProject: 'POST /projects/{organisation}/{code}/lock',
  unlockProject: 'POST /projects/{organisation}/{code}/unlock',
  setProjectQuota: 'PUT /projects/{organisation}/{code}/quota',
  setProjectKeep: 'PUT /projects/{organisation}/{code}/keep',
  holdProject: 'POST /projects/{organisation}/{code}/hold',
  unholdProject: 'POST /projects/{organisation}/{code}/unhold',
  listHeldNames: 'GET /projects/{organisation}/{code}/held-names',
  releaseNames: 'POST /projects/{organisation}/{code}/release',
  listRenamedNames: 'GET /projects/{organisation}/{code}/renamed-names',
  renameHeldNames: 'POST /projects/{organisation}/{code}/rename',
  endRename: 'POST /projects/{organisation}/{code}/unrename',
  listIngestion: 'GET /ingestion',
  pushIngestion: 'POST /ingestion/{organisation}/{code}/push',
  storeIngestion: 'POST /ingestion/{organisation}/{code}/store',
  resumeIngestion: 'POST /ingestion/{organisation}/{code}/resume',
  listIngestionRefusals: 'GET /ingestion/{organisation}/{code}/refusals',
  listAudit: 'GET /audit',
  exportAudit: 'GET /audit/export',
  readReadings: 'GET /projects/{organisation}/{code}/readings',
  listSeries: 'GET /projects/{organisation}/{code}/series',
  readBins: 'GET /projects/{organisation}/{code}/bins',
  listAlerts: 'GET /alerts',
  getAlert: 'GET /alerts/{id}',
  acknowledgeAlert: 'POST /alerts/{id}/ack',
  muteAlert: 'POST /alerts/{id}/mute',
  muteSensor: 'POST /sources/{organisation}/{name}/mute-sensor',
  listAlertTargets: 'GET /alert-targets',
  watchEvents: 'GET /events',
  applySource: 'POST /sources/apply',
  checkDocument: 'POST /sources/check',
  searchDocument: 'POST /sources/sensors',
  previewDocument: 'POST /sources/preview',
} as const satisfies Readonly<Record<keyof Operations, string>>;
