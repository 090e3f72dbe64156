import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, markdownPages, sourceFiles } from './source-files.ts';

/** A link of a page to a file of the repository. */
interface Link {
  /** As the page has it. */
  readonly target: string;
  /** From the root on. */
  readonly path: string;
  /** Empty where the link is to the whole file. */
  readonly anchor: string;
}

const withoutBlocks = (text: string): string => text.replaceAll(/^ *(```|~~~)[^]*?^ *\1.*$/gm, '');

/** The links that stand in a page, without those to other sites. */
function linksOf(page: string, text: string): Link[] {
  const prose = withoutBlocks(text).replaceAll(/`[^`\n]*`/g, 'code');
  const targets = [...prose.matchAll(/\]\(<?([^)\s>]+)[^)]*\)|^\[[^\]]+\]: *(\S+)/gm)].map(
    ([, one, other]) => one ?? other ?? '',
  );
  return targets
    .filter((target) => !/^[a-z][a-z\d+.-]*:/i.test(target))
    .map((target) => {
      const [file = '', anchor = ''] = decodeURI(target).split('#');
      return { target, anchor, path: file === '' ? page : normalize(join(dirname(page), file)) };
    });
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutBlocks(text).matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const shown = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const anchor = shown
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\p{M} _-]/gu, '')
      .replaceAll(' ', '-');
    let next = anchor;
    for (let times = 1; anchors.has(next); times += 1) next = `${anchor}-${times}`;
    anchors.add(next);
  }
  return anchors;
}

const pages = new Map(markdownPages().map((path) => [path, readFileSync(join(ROOT, path), 'utf8')]));

/** The links of a page that lead nowhere. */
const deadLinks = (page: string, text: string): string[] =>
  linksOf(page, text)
    .filter(({ path, anchor }) => {
      if (path !== page && (path.startsWith('..') || !existsSync(join(ROOT, path)))) return true;
      const other = path === page ? text : pages.get(path);
      return anchor !== '' && !(other !== undefined && anchorsOf(other).has(anchor));
    })
    .map(({ target }) => `${page}: ${target}`);

describe('a page', () => {
  it('has no link that leads nowhere', () => {
    expect(pages.size).toBeGreaterThan(20);
    expect([...pages].flatMap(([page, text]) => deadLinks(page, text))).toEqual([]);
  });

  it('of docs stands in the list of the README, once', () => {
    const list = pages.get('README.md')?.split('\n## Where to go on\n')[1] ?? '';
    const listed = linksOf('README.md', list).map(({ path }) => path);
    const docs = [...pages.keys()].filter((page) => page.startsWith('docs/'));
    expect(docs).toContain('docs/settings.md');
    expect(listed.filter((path) => path.startsWith('docs/')).toSorted()).toEqual(docs.toSorted());
  });

  it('that a message names is in the package and in the image', () => {
    const named = sourceFiles('src', 'adapters').flatMap(({ text }) => text.match(/\bdocs\/[\w-]+\.md\b/g) ?? []);
    expect(named).toContain('docs/sealing-key.md');
    expect(named.filter((page) => !pages.has(page))).toEqual([]);
    const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
    expect(files).toContain('docs');
    expect(readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')).toContain('!docs');
  });

  it('of the package links to files of the package, or to those that only a checkout needs', () => {
    const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] };
    const packed = globSync(files, { cwd: ROOT });
    const isPacked = (path: string): boolean => packed.some((one) => path === one || path.startsWith(`${one}/`));
    const forCheckouts = new Set([
      'ARCHITECTURE.md',
      'CONTRIBUTING.md',
      'DECISIONS.md',
      'adapters/README.md',
      'compose.yaml',
      'test/security/README.md',
    ]);
    const links = [...pages].filter(([page]) => isPacked(page)).flatMap(([page, text]) => linksOf(page, text));
    const outside = new Set(links.map(({ path }) => path).filter((path) => !isPacked(path)));
    expect(outside).toEqual(forCheckouts);
  });
});

describe('the check itself', () => {
  it('finds links to files and headings that are not there, and none in code', () => {
    const text = [
      '# It is `here`: really',
      '## Twice',
      '## Twice',
      '[a](#it-is-here-really) [b](#twice-1) [c](README.md#where-to-go-on) [d](https://nowhere.example/x.md)',
      '[e](#twice-2) [f](docs/nothing.md) [`g`](README.md#nothing) `[h](nothing.md)`',
      '```md',
      '[i](nothing.md)',
      '# Nothing',
      '```',
      '[j](../outside.md) [k](#nothing)',
      '',
      '[l]: docs/nothing-either.md',
    ].join('\n');
    expect(deadLinks('PAGE.md', text)).toEqual([
      'PAGE.md: #twice-2',
      'PAGE.md: docs/nothing.md',
      'PAGE.md: README.md#nothing',
      'PAGE.md: ../outside.md',
      'PAGE.md: #nothing',
      'PAGE.md: docs/nothing-either.md',
    ]);
  });
});
