import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ROOT, roomOf, sourceFiles } from './source-files.ts';

/** The map in ARCHITECTURE.md: each room with the rooms that it may import. */
function allowedArrows(): ReadonlyMap<string, readonly string[]> {
  const page = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const rows = page.matchAll(/^\| `(?:src\/)?([\w/]+)(?:\.ts)?` \|.*\|([^|]*)\|$/gm);
  return new Map(
    [...rows]
      .filter(([, room]) => room !== 'test')
      .map(([, room = '', targets = '']) => [room, targets.split(/\s+/).filter((target) => target !== '')]),
  );
}

/** The nodes of a circle in the order of its arrows; undefined where there is none. */
function circleIn(arrows: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const follow = (node: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(node)) return [...way.slice(way.indexOf(node)), node];
    if (done.has(node)) return undefined;
    for (const next of arrows.get(node) ?? []) {
      const circle = follow(next, [...way, node]);
      if (circle) return circle;
    }
    done.add(node);
    return undefined;
  };
  for (const node of arrows.keys()) {
    const circle = follow(node, []);
    if (circle) return circle;
  }
  return undefined;
}

// Its configuration of Vite is no part of the console.
const console = sourceFiles('console').filter(({ path }) => path !== 'console/vite.config.ts');
const files = [...sourceFiles('src', 'adapters'), ...console];
const allowed = allowedArrows();

const arrows = files.flatMap(({ path, imports }) =>
  imports
    .map((target) => ({ from: roomOf(path), to: roomOf(target), path, target }))
    .filter(({ from, to }) => from !== to),
);

describe('the rooms', () => {
  it('are those of ARCHITECTURE.md', () => {
    expect([...new Set(files.map(({ path }) => roomOf(path)))].toSorted()).toEqual([...allowed.keys()].toSorted());
  });

  it('import only the rooms that ARCHITECTURE.md lists for them', () => {
    const forbidden = arrows.filter(({ from, to }) => !allowed.get(from)?.includes(to));
    expect(forbidden.map(({ path, target }) => `${path} imports ${target}`)).toEqual([]);
  });

  it('use every arrow of the list', () => {
    const used = new Set(arrows.map(({ from, to }) => `${from} → ${to}`));
    const listed = [...allowed].flatMap(([from, targets]) => targets.map((to) => `${from} → ${to}`));
    expect(listed.filter((arrow) => !used.has(arrow))).toEqual([]);
  });

  it('stand on each other without a circle', () => {
    expect(circleIn(allowed)).toBeUndefined();
  });
});

describe('the files', () => {
  it('import each other without a circle, types included', () => {
    expect(circleIn(new Map(files.map(({ path, imports }) => [path, imports])))).toBeUndefined();
  });

  it('of a platform import nothing of another platform', () => {
    const folderOf = (path: string): string | undefined => /^adapters\/platforms\/([^/]+)\//.exec(path)?.[1];
    const strangers = files.flatMap(({ path, imports }) =>
      imports
        .filter((target) => folderOf(path) !== undefined && (folderOf(target) ?? folderOf(path)) !== folderOf(path))
        .map((target) => `${path} imports ${target}`),
    );
    expect(strangers).toEqual([]);
  });
});

/** Every platform exports its parts under the names of the contract; the folder tells them apart. */
const CONTRACT_NAMES = new Set(['identify', 'recognise', 'sensors', 'find', 'search', 'read']);

const EXPORTED = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;

describe('exported names', () => {
  it('stand for one thing each', () => {
    const places = new Map<string, string[]>();
    for (const { path, text } of files) {
      // The types of the API have the names that its document gives them, and the console runs elsewhere.
      if (path.startsWith('console/')) continue;
      for (const [, name = ''] of text.matchAll(EXPORTED)) {
        if (CONTRACT_NAMES.has(name) && path.startsWith('adapters/platforms/')) continue;
        places.set(name, [...(places.get(name) ?? []), path]);
      }
    }
    const twice = [...places].filter(([, paths]) => new Set(paths).size > 1);
    expect(twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([]);
  });
});

describe('a file that tests share', () => {
  // Test files of one worker share the modules that it has loaded: a hook that a shared file registers when it is loaded runs for
  // the first of them alone.
  const WHILE_LOADED = /^(?:(?:export )?const .+ = )?(?:(?:before|after)(?:Each|All)|use[A-Z]\w*)\(/m;

  it('registers its hooks in a function that each test file calls', () => {
    const shared = sourceFiles('test').filter(({ text }) => WHILE_LOADED.test(text));
    expect(shared.map(({ path }) => path)).toEqual([]);
  });
});
