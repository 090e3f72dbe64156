import { SimulatedClock } from '../../../src/simulator/clock.ts';
import type { SimulatedProduct } from '../../../src/simulator/contract.ts';
import { serve, type ServedSimulator } from '../../../src/simulator/serve.ts';
import { openOidcServer } from '../../kit/oidc-server.ts';
import type { OidcServer } from '../../kit/oidc-server.ts';

const client = { id: 'bridge', secret: 'of the test', authentication: 'post' } as const;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body. */
  readonly body: unknown;
}

export interface Asked {
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Besides the token, or in its place. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A simulated product with a certified authorisation server beside it, and a plain client that adds a token and nothing else. */
export interface ProductUnderTest {
  readonly product: ServedSimulator;
  readonly authorisation: OidcServer;
  readonly clock: SimulatedClock;
  ask(path: string, asked?: Asked): Promise<Answered>;
  /** Fetches the token that `ask` sends from now on. */
  renew(): Promise<void>;
}

/** Runs `use` with a product that takes the tokens of the server at `authUrl`, and ends both servers whatever happens. */
export async function withProduct(
  simulated: Pick<SimulatedProduct, 'open'>,
  optionsFor: (authUrl: string) => object,
  use: (under: ProductUnderTest) => Promise<void>,
): Promise<void> {
  const clock = new SimulatedClock();
  const authorisation = await openOidcServer({ clients: [client] });
  const product = await serve(simulated.open(optionsFor(authorisation.issuer), clock), clock);
  let token = '';
  const under: ProductUnderTest = {
    product,
    authorisation,
    clock,
    async ask(path, { method = 'GET', body, headers = {} } = {}) {
      const sent = {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      };
      const answer = await fetch(path.startsWith('http') ? path : product.url + path, {
        method,
        headers: { ...sent, ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        headers: answer.headers,
        body: text === '' ? null : (JSON.parse(text) as unknown),
      };
    },
    async renew() {
      const form = { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret };
      const answer = await fetch(`${authorisation.issuer}/token`, { method: 'POST', body: new URLSearchParams(form) });
      token = ((await answer.json()) as { access_token: string }).access_token;
    },
  };
  try {
    await under.renew();
    await use(under);
  } finally {
    await product.close();
    await authorisation.stop();
  }
}

/** The tokens of another server, no token, and one that is past its end are refused with the product's own 401. */
export async function refusesTokens(
  { ask, clock, renew }: ProductUnderTest,
  path: string,
  own: (body: unknown) => boolean,
): Promise<string[]> {
  const tries: readonly (readonly [string, () => Promise<Answered>])[] = [
    ['no token', () => ask(path, { headers: { authorization: '' } })],
    ['a strange token', () => ask(path, { headers: { authorization: 'Bearer e30.e30.e30' } })],
    ['an expired token', async () => (clock.change({ advanceMs: 301_000 }), await ask(path))],
  ];
  const wrong: string[] = [];
  for (const [name, attempt] of tries) {
    const { status, body } = await attempt();
    if (status !== 401 || !own(body)) wrong.push(`${name}: ${status} ${JSON.stringify(body)}`);
  }
  // The authorisation server has the machine's clock.
  clock.change({ run: true });
  await renew();
  const { status } = await ask(path);
  return status === 200 ? wrong : [...wrong, `a new token: ${status}`];
}
