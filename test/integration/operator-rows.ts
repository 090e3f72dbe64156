import type { OperatorRole } from '../../src/core/operator-role.ts';

/** One request to a route. Each route of the server needs one; a new route without one fails below. */
export interface Row {
  /** The least role that may use it. */
  readonly role: OperatorRole | 'public';
  /** Parameters of the path and query. `ORGANISATION` stands for the organisation that another operator owns. */
  readonly path?: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
  /** The answer does not end by itself, so its body is not read. */
  readonly streams?: boolean;
  /** The status of a public route; 200 where undefined. */
  readonly status?: number;
  /** The status for an operator of another organisation; undefined where the route is of no organisation. */
  readonly elsewhere?: number;
}

/** A source that exists. */
const SOURCE = '/api/v1/sources/default/source';

/** A project that exists. */
const PROJECT = '/api/v1/projects/default/project';

/** An application that exists. */
const APPLICATION = '/api/v1/applications/app_0123456789abcdef0123';

/** An operator that exists, and that sends no request. */
const OPERATOR = '/api/v1/operators/changed';

/** An alert that exists. */
const ALERT = '/api/v1/alerts/1';

/** By method and path, as the server names them. */
export const ROWS: Readonly<Record<string, Row>> = {
  'GET /': { role: 'public' },
  'GET /assets/:file': { role: 'public', path: '/assets/none.js', status: 404 },
  'GET /api/v1/openapi.json': { role: 'public' },
  'GET /api/v1/me': { role: 'viewer' },
  // A token has no session to confirm.
  'POST /api/v1/me/confirm': { role: 'viewer', body: { password: 'none' } },
  'POST /api/v1/sign-in/link': { role: 'public', body: { token: 'none' }, status: 403 },
  'GET /api/v1/sources': { role: 'viewer' },
  'POST /api/v1/sources/apply': { role: 'operator', body: { name: 'a' } },
  'POST /api/v1/sources/apply-many': { role: 'operator', body: { sources: ['name: a'] } },
  'POST /api/v1/sources/actions': {
    role: 'operator',
    body: { action: 'poll', sources: [{ organisation: 'default', name: 'none' }] },
  },
  'GET /api/v1/sources/:organisation/:name': { role: 'viewer', path: SOURCE, elsewhere: 404 },
  'POST /api/v1/sources/:organisation/:name/pause': { role: 'operator', path: `${SOURCE}/pause`, elsewhere: 404 },
  'POST /api/v1/sources/:organisation/:name/resume': { role: 'operator', path: `${SOURCE}/resume`, elsewhere: 404 },
  'POST /api/v1/sources/:organisation/:name/poll': { role: 'operator', path: `${SOURCE}/poll`, elsewhere: 404 },
  'DELETE /api/v1/sources/:organisation/:name': {
    role: 'operator',
    path: SOURCE,
    headers: { 'if-match': '"another"' },
    elsewhere: 404,
  },
  'POST /api/v1/sources/:organisation/:name/backfills': {
    role: 'operator',
    path: `${SOURCE}/backfills`,
    body: { from: '7d' },
    elsewhere: 404,
  },
  'POST /api/v1/sources/:organisation/:name/backfills/quote': {
    role: 'viewer',
    path: `${SOURCE}/backfills/quote`,
    body: { from: '7d' },
    elsewhere: 404,
  },
  'GET /api/v1/sources/:organisation/:name/trace': {
    role: 'viewer',
    path: `${SOURCE}/trace?sensor=none&at=1d`,
    elsewhere: 404,
    status: 400,
  },
  'GET /api/v1/sources/:organisation/:name/advice': { role: 'viewer', path: `${SOURCE}/advice`, elsewhere: 404 },
  'GET /api/v1/sources/:organisation/:name/contract': { role: 'viewer', path: `${SOURCE}/contract`, elsewhere: 404 },
  'GET /api/v1/sources/:organisation/:name/receipt': {
    role: 'viewer',
    path: `${SOURCE}/receipt?month=2026-11`,
    elsewhere: 404,
  },
  'GET /api/v1/sources/:organisation/:name/why': { role: 'viewer', path: `${SOURCE}/why`, elsewhere: 404 },
  'GET /api/v1/sources/:organisation/:name/coverage': { role: 'viewer', path: `${SOURCE}/coverage`, elsewhere: 404 },
  'GET /api/v1/sources/:organisation/:name/newest': { role: 'viewer', path: `${SOURCE}/newest`, elsewhere: 404 },
  'GET /api/v1/sources/:organisation/:name/refusals': { role: 'viewer', path: `${SOURCE}/refusals`, elsewhere: 404 },
  'GET /api/v1/sources/:organisation/:name/streams': { role: 'viewer', path: `${SOURCE}/streams`, elsewhere: 404 },
  'GET /api/v1/sources/:organisation/:name/windows': { role: 'viewer', path: `${SOURCE}/windows`, elsewhere: 404 },
  'GET /api/v1/sources/:organisation/:name/former': { role: 'viewer', path: `${SOURCE}/former`, elsewhere: 404 },
  'POST /api/v1/sources/:organisation/:name/restore': { role: 'operator', path: `${SOURCE}/restore`, elsewhere: 404 },
  'POST /api/v1/sources/:organisation/:name/take-over': {
    role: 'operator',
    path: `${SOURCE}/take-over`,
    body: { fromPushed: true },
    elsewhere: 404,
  },
  'GET /api/v1/sources/:organisation/:name/export': { role: 'viewer', path: `${SOURCE}/export`, elsewhere: 404 },
  'POST /api/v1/sources/:organisation/:name/sensors': { role: 'operator', path: `${SOURCE}/sensors`, elsewhere: 404 },
  'POST /api/v1/sources/:organisation/:name/check': { role: 'operator', path: `${SOURCE}/check`, elsewhere: 404 },
  'POST /api/v1/sources/:organisation/:name/preview': {
    role: 'operator',
    path: `${SOURCE}/preview?from=1h`,
    elsewhere: 404,
  },
  'POST /api/v1/sources/check': { role: 'operator', body: { name: 'a' } },
  'POST /api/v1/sources/sensors': { role: 'operator', body: { name: 'a' } },
  'POST /api/v1/sources/preview': { role: 'operator', path: '/api/v1/sources/preview?from=1h', body: { name: 'a' } },
  'GET /api/v1/platforms': { role: 'viewer' },
  'GET /api/v1/platforms/:name/sample': { role: 'viewer', path: '/api/v1/platforms/influxdb/sample' },
  'GET /api/v1/platforms/:name/guide': { role: 'viewer', path: '/api/v1/platforms/influxdb/guide' },
  'GET /api/v1/projects/:organisation/:code/series': { role: 'viewer', path: `${PROJECT}/series`, elsewhere: 404 },
  'GET /api/v1/projects/:organisation/:code/bins': {
    role: 'viewer',
    path: `${PROJECT}/bins?sensorId=a&valueName=b&from=1h`,
    elsewhere: 404,
  },
  'GET /api/v1/requests': { role: 'viewer' },
  'GET /api/v1/refusals': { role: 'viewer' },
  'GET /api/v1/alerts': { role: 'viewer' },
  'GET /api/v1/alerts/:id': { role: 'viewer', path: ALERT, elsewhere: 404 },
  'POST /api/v1/alerts/:id/ack': { role: 'operator', path: `${ALERT}/ack`, body: {}, elsewhere: 404 },
  'POST /api/v1/sources/:organisation/:name/mute-sensor': {
    role: 'operator',
    path: `${SOURCE}/mute-sensor`,
    body: { sensor: 'pump', for: '2h', reason: 'away' },
    elsewhere: 404,
    status: 400,
  },
  'POST /api/v1/alerts/:id/mute': { role: 'operator', path: `${ALERT}/mute`, body: { for: '2h' }, elsewhere: 404 },
  'GET /api/v1/alert-targets': { role: 'viewer', elsewhere: 403 },
  'GET /api/v1/coverage': { role: 'viewer', path: '/api/v1/coverage?sources=' },
  'GET /api/v1/organisations': { role: 'viewer' },
  'POST /api/v1/organisations': { role: 'admin', body: { id: 'third' }, elsewhere: 403 },
  'GET /api/v1/projects': { role: 'viewer' },
  'POST /api/v1/projects': { role: 'operator', body: { code: 'hall' }, elsewhere: 404 },
  'GET /api/v1/projects/:organisation/:code/readings': {
    role: 'viewer',
    path: '/api/v1/projects/default/project/readings?from=1h',
    elsewhere: 404,
  },
  'GET /api/v1/projects/:organisation/:code': { role: 'viewer', path: PROJECT, elsewhere: 404 },
  'POST /api/v1/projects/:organisation/:code/lock': { role: 'operator', path: `${PROJECT}/lock`, elsewhere: 404 },
  'POST /api/v1/projects/:organisation/:code/unlock': { role: 'operator', path: `${PROJECT}/unlock`, elsewhere: 404 },
  'PUT /api/v1/projects/:organisation/:code/quota': {
    role: 'admin',
    path: `${PROJECT}/quota`,
    body: { series: 100_000 },
    elsewhere: 404,
  },
  'PUT /api/v1/projects/:organisation/:code/keep': {
    role: 'admin',
    path: `${PROJECT}/keep`,
    body: { keep: 'forever' },
    elsewhere: 404,
  },
  'POST /api/v1/projects/:organisation/:code/hold': {
    role: 'admin',
    path: `${PROJECT}/hold`,
    body: { reason: 'inquiry' },
    elsewhere: 404,
  },
  'POST /api/v1/projects/:organisation/:code/unhold': { role: 'admin', path: `${PROJECT}/unhold`, elsewhere: 404 },
  'GET /api/v1/projects/:organisation/:code/held-names': {
    role: 'viewer',
    path: `${PROJECT}/held-names`,
    elsewhere: 404,
  },
  'POST /api/v1/projects/:organisation/:code/release': {
    role: 'operator',
    path: `${PROJECT}/release`,
    body: { all: true },
    elsewhere: 404,
  },
  'GET /api/v1/projects/:organisation/:code/renamed-names': {
    role: 'viewer',
    path: `${PROJECT}/renamed-names`,
    elsewhere: 404,
  },
  'POST /api/v1/projects/:organisation/:code/rename': {
    role: 'operator',
    path: `${PROJECT}/rename`,
    body: { sensorId: 'a', as: { sensorId: 'b' } },
    elsewhere: 404,
  },
  'POST /api/v1/projects/:organisation/:code/unrename': {
    role: 'operator',
    path: `${PROJECT}/unrename`,
    body: { sensorId: 'a' },
    elsewhere: 404,
  },
  'GET /api/v1/applications': { role: 'viewer' },
  'POST /api/v1/applications': { role: 'admin', body: { name: 'gateway' }, elsewhere: 404 },
  'GET /api/v1/applications/:id': { role: 'viewer', path: APPLICATION, elsewhere: 404 },
  'POST /api/v1/applications/:id/rotate': { role: 'admin', path: `${APPLICATION}/rotate`, body: {}, elsewhere: 404 },
  'POST /api/v1/applications/:id/revoke': { role: 'admin', path: `${APPLICATION}/revoke`, elsewhere: 404 },
  'GET /api/v1/applications/:id/refusals': { role: 'viewer', path: `${APPLICATION}/refusals`, elsewhere: 404 },
  'GET /api/v1/signing-keys': { role: 'viewer', elsewhere: 403 },
  'POST /api/v1/signing-keys/rotate': { role: 'admin', elsewhere: 403 },
  'GET /api/v1/sealing-keys': { role: 'admin', elsewhere: 403 },
  'POST /api/v1/sealing-keys/rotate': { role: 'admin', elsewhere: 403 },
  'GET /api/v1/ingestion': { role: 'viewer' },
  'POST /api/v1/ingestion/:organisation/:code/push': {
    role: 'admin',
    path: '/api/v1/ingestion/default/project/push',
    body: { url: 'http://clear.example', applicationId: 'app', secret: 'secret' },
    elsewhere: 404,
  },
  'POST /api/v1/ingestion/:organisation/:code/store': {
    role: 'admin',
    path: '/api/v1/ingestion/default/project/store',
    elsewhere: 404,
  },
  'POST /api/v1/ingestion/:organisation/:code/resume': {
    role: 'operator',
    path: '/api/v1/ingestion/default/project/resume',
    elsewhere: 404,
  },
  'GET /api/v1/ingestion/:organisation/:code/refusals': {
    role: 'viewer',
    path: '/api/v1/ingestion/default/project/refusals',
    elsewhere: 404,
  },
  'GET /api/v1/audit': { role: 'viewer' },
  'GET /api/v1/audit/export': { role: 'viewer' },
  'GET /api/v1/overview': { role: 'viewer' },
  'GET /api/v1/operators': { role: 'admin', elsewhere: 403 },
  'POST /api/v1/operators': { role: 'admin', body: { name: 'new', role: 'viewer' }, elsewhere: 403 },
  'GET /api/v1/operators/:name': { role: 'admin', path: OPERATOR, elsewhere: 403 },
  'PUT /api/v1/operators/:name/role': {
    role: 'admin',
    path: `${OPERATOR}/role`,
    body: { role: 'viewer' },
    elsewhere: 403,
  },
  'PUT /api/v1/operators/:name/organisations': {
    role: 'admin',
    path: `${OPERATOR}/organisations`,
    body: { organisations: null },
    elsewhere: 403,
  },
  'POST /api/v1/operators/:name/disable': { role: 'admin', path: `${OPERATOR}/disable`, elsewhere: 403 },
  'POST /api/v1/operators/:name/enable': { role: 'admin', path: `${OPERATOR}/enable`, elsewhere: 403 },
  'POST /api/v1/operators/:name/sign-out': { role: 'admin', path: `${OPERATOR}/sign-out`, elsewhere: 403 },
  'GET /api/v1/operators/:name/sessions': { role: 'admin', path: `${OPERATOR}/sessions`, elsewhere: 403 },
  'DELETE /api/v1/operators/:name/sessions/:id': {
    role: 'admin',
    path: `${OPERATOR}/sessions/ses_1`,
    elsewhere: 403,
  },
  'POST /api/v1/operators/:name/link': { role: 'admin', path: `${OPERATOR}/link`, body: {}, elsewhere: 403 },
  'GET /api/v1/operators/:name/tokens': { role: 'admin', path: `${OPERATOR}/tokens`, elsewhere: 403 },
  'POST /api/v1/operators/:name/tokens': {
    role: 'admin',
    path: `${OPERATOR}/tokens`,
    body: { name: 'laptop' },
    elsewhere: 403,
  },
  'DELETE /api/v1/operators/:name/tokens/:id': { role: 'admin', path: `${OPERATOR}/tokens/tok_1`, elsewhere: 403 },
  'GET /api/v1/events': { role: 'viewer', streams: true },
  'GET /api/v1/backfills': { role: 'viewer' },
  'GET /api/v1/backfills/:id': { role: 'viewer', path: '/api/v1/backfills/1', elsewhere: 404 },
  'POST /api/v1/backfills': { role: 'operator', body: { from: '7d' }, status: 201 },
  'POST /api/v1/backfills/:id/pause': { role: 'operator', path: '/api/v1/backfills/1/pause', elsewhere: 404 },
  'POST /api/v1/backfills/:id/resume': { role: 'operator', path: '/api/v1/backfills/1/resume', elsewhere: 404 },
  'POST /api/v1/backfills/:id/cancel': { role: 'operator', path: '/api/v1/backfills/1/cancel', elsewhere: 404 },
  // A program on this host needs no token. The header makes the request one that a proxy passed on, which needs it.
  'GET /metrics': { role: 'viewer', headers: { 'x-forwarded-for': '203.0.113.9' }, elsewhere: 403 },
  'GET /api/v1/sign-in': { role: 'public' },
  'POST /api/v1/session': { role: 'public', body: { name: 'nobody', password: 'wrong' }, status: 403 },
  'GET /api/v1/oidc/start': { role: 'public', status: 503 },
  'GET /api/v1/oidc/callback': { role: 'public', status: 403 },
  'GET /api/v1/session': { role: 'viewer' },
  'DELETE /api/v1/session': { role: 'viewer' },
  'GET /api/v1/sessions': { role: 'viewer' },
  'DELETE /api/v1/sessions/:id': { role: 'viewer' },
  'PUT /api/v1/password': { role: 'viewer', body: { current: 1 } },
};
