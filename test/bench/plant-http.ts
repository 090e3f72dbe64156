import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the bridge asks an InfluxDB for: the fields of a measurement and its points in a window. */
export interface Question {
  readonly measurement: string;
  /** Whole µs; `to` is not included. */
  readonly from: number;
  readonly to: number;
  readonly chunkSize: number;
}

const QUESTION = /FROM "[^"]*"\.[^.]*\."([^"]+)" WHERE time >= (\d+)\d{3} AND time < (\d+)\d{3} /;

/** The types of the fields, which the bridge asks for together with the points. */
export const fieldsDocument = (measurement: string, field: string): string =>
  `{"results":[{"statement_id":0,"series":[{"name":"${measurement}","columns":["fieldKey","fieldType"],"values":[["${field}","float"]]}]}]}\n`;

/** The end of an answer without points. */
export const EMPTY = '{"results":[{"statement_id":1}]}\n';

/**
 * Answers like an InfluxDB to the one question the benches make the bridge ask; anything else is a 500, so that a
 * change of the question shows. `GET /arrivals` is ours: when each question arrived, ms since 1970 with fractions.
 * Says its address on stdout and lives as long as stdin.
 */
export async function servePlant(
  answer: (question: Question, response: ServerResponse) => void | Promise<void>,
): Promise<void> {
  const arrivals: number[] = [];
  const server = createServer((request, response) => {
    const arrivedAt = performance.timeOrigin + performance.now();
    if (request.url === '/arrivals') {
      response.end(JSON.stringify(arrivals));
      return;
    }
    void textOf(request).then(async (body) => {
      const question = questionIn(body);
      if (question === undefined) {
        response.writeHead(500).end(JSON.stringify({ error: `not a question of the benches: ${body}` }));
        return;
      }
      arrivals.push(arrivedAt);
      response.writeHead(200, { 'Content-Type': 'application/json', 'X-Influxdb-Version': '1.8.10' });
      await answer(question, response);
      response.end();
    });
  });
  // The bridge keeps its connections; a plant that closed them between two polls would measure TCP.
  server.keepAliveTimeout = 75_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.stdin.resume().once('end', () => process.exit(0));
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
}

function questionIn(body: string): Question | undefined {
  const form = new URLSearchParams(body);
  const [, measurement, from, to] = QUESTION.exec(form.get('q') ?? '') ?? [];
  if (measurement === undefined) return undefined;
  return { measurement, from: Number(from), to: Number(to), chunkSize: Number(form.get('chunk_size')) };
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return text;
}
