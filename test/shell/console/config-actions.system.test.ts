import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { changeConfig } from '../../../src/shell/console/actions.js';
import { folderOf } from '../../support/folders.js';
import { BIN } from '../../support/processes.js';
import { trader } from '../config/files.js';
import { serveTrader } from './told-trader.js';

test('the page takes up a configuration by the command, with the reason that was typed, and says what it said', async () => {
  const folder = folderOf({ 'trader.yaml': trader() });
  const { asked, close } = await serveTrader(join(folder, 'twinbook.sqlite.sock'), (question) =>
    question.command !== 'config' || question.reason === ''
      ? { ok: false, error: 'this wants a reason' }
      : { ok: true, data: { lines: ['risk.max_loss_day: 50 → 60'], applied: true, hash: 'h' } },
  );
  onTestFinished(close);
  const change = (action: 'apply' | 'rollback', reason: string) =>
    changeConfig(action, reason, join(folder, 'trader.yaml'), BIN);
  expect(await change('apply', '--json')).toEqual({ refusal: null, text: 'risk.max_loss_day: 50 → 60' });
  expect(asked).toEqual([{ command: 'config', action: 'apply', reason: '--json', hash: '', dryRun: false }]);
  expect((await change('apply', '')).refusal).toContain('this wants a reason');
  expect(await change('rollback', '')).toEqual({ refusal: 'a rollback needs a reason', text: '' });
});
