import type { FastifyInstance } from 'fastify';
import { HttpProblem } from './problem.ts';
import { PROBLEMS, PROBLEM_NAMES, PROBLEM_PAGES } from './problems.ts';
import type { ProblemName } from './problems.ts';

/** A page for each kind of problem, and a list of them. */
export function addProblemPages(docs: FastifyInstance): void {
  const schema = { hide: true };
  docs.get(PROBLEM_PAGES, { schema }, (_request, reply) => reply.type(HTML).send(listPage()));
  docs.get<{ Params: { name: string } }>(`${PROBLEM_PAGES}/:name`, { schema }, (request, reply) => {
    const name = PROBLEM_NAMES.find((one) => one === request.params.name);
    if (name === undefined) throw new HttpProblem('not-found', `See ${PROBLEM_PAGES} for all problems.`);
    return reply.type(HTML).send(problemPage(name));
  });
}

const HTML = 'text/html; charset=utf-8';

// The texts of the table hold no character that HTML changes; a test holds that.
const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} – databridge</title>
<style>body{font-family:sans-serif;line-height:1.5;max-width:42rem;margin:2rem auto;padding:0 1rem}</style></head>
<body>
${content}
</body>
</html>
`;

function problemPage(name: ProblemName): string {
  const [status, title, meaning, remedy] = PROBLEMS[name];
  return page(
    title,
    `<h1>${title}</h1>
<p><code>${name}</code>, status ${status}</p>
<h2>Meaning</h2>
<p>${meaning}</p>
<h2>Remedy</h2>
<p>${remedy}</p>
<p><a href="../problems">All problems</a></p>`,
  );
}

function listPage(): string {
  const rows = PROBLEM_NAMES.map(
    (name) => `<li>${PROBLEMS[name][0]} <a href="problems/${name}">${PROBLEMS[name][1]}</a></li>`,
  );
  return page(
    'Problems',
    `<h1>Problems</h1>\n<ul>\n${rows.join('\n')}\n</ul>\n<p><a href="../docs">The reference</a></p>`,
  );
}
