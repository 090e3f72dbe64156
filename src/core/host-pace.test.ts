import { describe, expect, it } from 'vitest';
import { paceOfHost, parseHostPaces } from './host-pace.ts';

const rate = (text: string, url: string): [string, number] | undefined => {
  const paces = parseHostPaces(text);
  const found = paces && paceOfHost(paces, new URL(url));
  return found && [found.host, found.pace.requestsPerSecond];
};

describe('the pace of a host', () => {
  it('is that of its name, over all ports, unless the port has one of its own', () => {
    const text = 'Historian.plant.example=10, historian.plant.example:8443=2.5, [::1]=3,10.0.0.5:443=4';
    expect(rate(text, 'https://historian.plant.example/a')).toEqual(['historian.plant.example', 10]);
    expect(rate(text, 'http://HISTORIAN.plant.example:81')).toEqual(['historian.plant.example', 10]);
    expect(rate(text, 'https://historian.plant.example:8443/')).toEqual(['historian.plant.example:8443', 2.5]);
    expect(rate(text, 'http://[0:0::1]:8086')).toEqual(['[::1]', 3]);
    expect(rate(text, 'https://10.0.0.5')).toEqual(['10.0.0.5:443', 4]);
    expect(rate(text, 'http://10.0.0.5')).toBeUndefined();
    expect(rate(text, 'https://plant.example')).toBeUndefined();
  });

  it.each([
    '',
    'a',
    'a=',
    'a=0',
    'a=-1',
    'a=0.001',
    'a=1e3',
    'a=99999',
    'a=1,A=2',
    'http://a=1',
    'a/b=1',
    'a=1,',
    'a:99999=1',
  ])('is not read from %j', (text) => expect(parseHostPaces(text)).toBeUndefined());
});
