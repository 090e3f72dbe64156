/** A call that begins a test or a group of tests: its indentation, its name, or the end of a table (`])('title'`), and its title. */
const CALL =
  /^( *)(?:(describe|it|test)(?:\.\w+)*(?:(?:<[^\n]*>)?\([^\n]*\))?|[\])}]+(?: as const\))?)\(\s*(?:'((?:\\.|[^'\\\n])*)'|"((?:\\.|[^"\\\n])*)"|`((?:\\.|[^`\\\n])*)`)/gm;
/** The beginning of a table of tests, whose title stands behind the table. */
const TABLE = /^( *)(describe|it|test)\.(?:each|for)\b/gm;

/**
 * The full titles of the tests in the text of a test file, groups first: `a session > ends with the sign-out`. Read from the form
 * that the formatter gives the text, where the indentation shows the nesting.
 */
export function titlesIn(text: string): readonly string[] {
  const titles: string[] = [];
  const groups: { readonly indent: number; readonly title: string }[] = [];
  const tables = [...text.matchAll(TABLE)].map(({ index, 1: indent = '', 2: name }) => ({ index, indent, name }));
  for (const call of text.matchAll(CALL)) {
    const [, indent = '', named, single, double, template] = call;
    const name = named ?? tables.findLast((one) => one.index < call.index && one.indent === indent)?.name;
    if (name === undefined) continue;
    const title = (single ?? double ?? template ?? '').replaceAll(/\\(.)/g, '$1');
    while ((groups.at(-1)?.indent ?? -1) >= indent.length) groups.pop();
    if (name === 'describe') groups.push({ indent: indent.length, title });
    else titles.push([...groups.map((group) => group.title), title].join(' > '));
  }
  return titles;
}
