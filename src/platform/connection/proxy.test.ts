import { expect, test } from 'vitest';
import { goesThrough } from './proxy.ts';

const through = (host: string, exceptions: string, port = 443): boolean =>
  goesThrough({ url: 'http://proxy.test:3128', exceptions: exceptions.split(',').filter(Boolean) }, { host, port });

test.each([
  ['localhost', ''],
  ['127.0.0.1', ''],
  ['127.8.8.8', ''],
  ['::1', ''],
  ['cloud.example', '*'],
  ['plant.example', 'plant.example'],
  ['historian.plant.example', 'plant.example'],
  ['Historian.Plant.Example.', 'other.example,PLANT.example'],
  ['historian.plant.example', '.plant.example'],
  ['historian.plant.example', '*.plant.example'],
  ['plant.example', 'plant.example:443'],
  ['10.1.2.3', '10.1.2.3'],
  ['10.1.2.3', '10.0.0.0/8'],
  ['::ffff:10.1.2.3', '10.0.0.0/8'],
  ['fd12::5', 'fd12::/16'],
  ['fd12::5', 'FD12:0::5'],
  ['fd12::5', '[fd12::5]:443'],
])('%s is asked directly under "%s"', (host, exceptions) => expect(through(host, exceptions)).toBe(false));

test.each([
  ['cloud.example', ''],
  ['10.1.2.3', ''],
  ['plant.example', '.plant.example'],
  ['plant.example', '*.plant.example'],
  ['otherplant.example', 'plant.example'],
  ['plant.example', 'plant.example:8443'],
  ['10.1.2.3', '10.1.2.30'],
  ['11.1.2.3', '10.0.0.0/8'],
  ['fd12::5', '10.0.0.0/8'],
  ['2.3', '10.1.2.3'],
])('%s goes through the proxy under "%s"', (host, exceptions) => expect(through(host, exceptions)).toBe(true));
