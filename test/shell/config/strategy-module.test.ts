import { expect, it } from 'vitest';
import { loadStrategyModule } from '../../../src/shell/config/strategy-module.js';
import { NO_QUOTES } from '../../../src/trader/strategy/strategy.js';
import { folderOf } from '../../support/folders.js';
import { FACTS, ofMarkets, paramsFor, VIEW } from '../../trader/strategy/fixtures.js';

it('a module of the user’s own, and what it imports, get the API that runs here and no copy of it', async () => {
  const folder = folderOf({
    'reasons.ts': "export { NO_QUOTES as ofHelper } from 'twinbook/strategy';",
    'mine.ts': `
      import { defineStrategy, NO_QUOTES } from 'twinbook/strategy';
      import { ofHelper } from './reasons.ts';
      const quote = () => ({ ...NO_QUOTES('mine'), factors: { own: NO_QUOTES, ofHelper } });
      export default defineStrategy({ name: 'mine', summary: 'Shows what it imports.', params: {}, create: () => ({ quote }) });
    `,
  });
  const { strategy } = await loadStrategyModule('./mine.ts', folder);
  expect(ofMarkets(strategy).create(paramsFor(strategy), FACTS).quote(VIEW).factors).toEqual({
    own: NO_QUOTES,
    ofHelper: NO_QUOTES,
  });
});
