import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ServiceClient } from '../../../src/shell/client/client.js';
import { profile } from './hostile-server.js';

const root = resolve(import.meta.dirname, '../../..');
const text = readFileSync(resolve(root, 'docs/client.md'), 'utf8');

/** Every method of every group, and the verbs, with the document's names. */
function methodsOfClient(): string[] {
  const groups = Object.entries(new ServiceClient({ profile })).filter(([key]) => !['profile', 'clock'].includes(key));
  const methods = groups.flatMap(([group, calls]) => Object.keys(calls).map((name) => `client.${group}.${name}`));
  const verbs = Object.getOwnPropertyNames(ServiceClient.prototype).filter((name) => name !== 'constructor');
  return [...methods, ...verbs.map((name) => `client.${name}`)];
}

describe('docs/client.md', () => {
  it('names every method of the client, and none that does not exist', () => {
    const named = [...text.matchAll(/`(client\.\w+(?:\.\w+)?)(?=[`(])/g)].map((match) => match[1] ?? '');
    const methods = methodsOfClient();
    expect(methods.length).toBeGreaterThan(60);
    expect(methods.filter((method) => !named.includes(method))).toEqual([]);
    expect(named.filter((name) => ![...methods, 'client.call'].includes(name))).toEqual([]);
  });

  it('shows the example that is tested, and the README too', () => {
    const example = readFileSync(resolve(import.meta.dirname, 'example/quick-start.mjs'), 'utf8');
    for (const page of [text, readFileSync(resolve(root, 'README.md'), 'utf8')])
      expect(page).toContain(`\`\`\`js\n${example}\`\`\``);
  });
});
