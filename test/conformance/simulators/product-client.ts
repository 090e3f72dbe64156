import type { RunningSimulator } from '../../kit/simulator.ts';

export interface ProductAnswer {
  readonly status: number;
  readonly text: string;
  /** The parsed body; null where it is not JSON. */
  readonly json: unknown;
}

/** How one request differs from a GET without anything. */
export interface Asking {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a form. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
}

/** Asks a simulator over HTTP with nothing but what is given. */
export async function askProduct(
  { url }: Pick<RunningSimulator, 'url'>,
  path: string,
  { method, headers = {}, form, json }: Asking = {},
): Promise<ProductAnswer> {
  const asJson = json === undefined ? undefined : JSON.stringify(json);
  const body = form === undefined ? asJson : String(new URLSearchParams(form));
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const response = await fetch(url + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, text, json: parsedOrNull(text) };
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
