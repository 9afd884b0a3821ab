import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { COMPILED } from '../../support/answers/check.js';
import { takeViolations } from '../../support/answers/watch.js';
import { folderOf, started } from '../../support/cases.js';
import { send } from '../http/harness.js';

it('would fail after a wrong answer of an exchange that it started', async () => {
  // The exchange is correct, so its process gets a document with another rule.
  const document = readFileSync(`${inject('answersFolder')}/openapi.json`, 'utf8');
  const folder = folderOf({ 'openapi.json': document.replace('"/sports/":{"get":', '"/sports/":{"put":') });
  symlinkSync(join(inject('answersFolder'), COMPILED), join(folder, COMPILED));
  const env = { TWINBOOK_OPENAPI: join(folder, 'openapi.json') };
  const [, url = ''] = await started(['exchange', '--port', '0', '--no-crowd'], env).waitFor(/listening on (http:\S+)/);
  await send(url, 'GET', '/events/');
  expect(takeViolations()).toEqual([]);
  await send(url, 'GET', '/sports/');
  expect(takeViolations()).toEqual([expect.stringContaining('GET /sports/ answered 200, which the document')]);
});
