import type { Answer } from './store.ts';
import { Refusal } from './signature.ts';

export const xml = (text: string): string =>
  text.replaceAll(/[<>&"'\r]/g, (character) => `&#${character.codePointAt(0)};`);
/** An answer with an XML document whose root has these elements. */
export const document = (root: string, ...content: readonly string[]): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content.join('')}</${root}>`,
});

export const element = (name: string, text: string | number): string => `<${name}>${xml(String(text))}</${name}>`;

export const badXml = (): Refusal =>
  new Refusal(
    400,
    'MalformedXML',
    'The XML you provided was not well-formed or did not validate against our published schema',
  );

/** The content of the root element. */
export function within(text: string, root: string): string {
  const [, content] =
    new RegExp(`^(?:<\\?xml [^>]*\\?>)?\\s*<${root}(?: xmlns="[^"]*")?>(.*)</${root}>\\s*$`, 's').exec(text) ?? [];
  if (content === undefined) throw badXml();
  return content;
}

/** The texts of the named elements of each child; another element or text is refused, besides checksums of parts. */
export function childrenOf(content: string, child: string, names: readonly string[]): (string | undefined)[][] {
  const found: (string | undefined)[][] = [];
  const left = content.replaceAll(new RegExp(`<${child}>(.*?)</${child}>`, 'gs'), (_, inner: string) => {
    const texts = new Map<string, string>();
    const rest = inner.replaceAll(/<(\w+)>([^<]*)<\/\1>/g, (_each, name: string, text: string) => {
      texts.set(name, unescaped(text));
      return names.includes(name) || name.startsWith('Checksum') ? '' : name;
    });
    if (rest.trim() !== '') throw badXml();
    found.push(names.map((name) => texts.get(name)));
    return '';
  });
  if (left.trim() !== '') throw badXml();
  return found;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const unescaped = (text: string): string =>
  text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (_, decimal?: string, hex?: string, name?: string) => {
    if (name === undefined)
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
    const character = ENTITIES[name];
    if (character === undefined) throw badXml();
    return character;
  });
