/** The tasks of an operator on the page, performed as the documents describe them. */

import { readFileSync } from 'node:fs';
import type { Dialog, Page } from 'playwright-core';
import { expect } from 'vitest';
import { untilTrue } from '../../support/waiting.js';
import { LOST_DAY, UNQUOTED } from './played-console.js';

/** A reason, not an option. */
export const REASON = '--json';

/** Parts of the labels that are not the same on every page. */
const STANDS_FOR: Readonly<Record<string, string>> = {
  'its title': 'Will it rain in Reykjavík on Friday?',
  'its state': `${UNQUOTED.slice(0, 60)}…`,
  'the day': LOST_DAY,
  'the report': ' UTC backtest',
};

/** Performs a task from the overview, and compares its clicks, with those that confirm, to the documented number. */
export async function perform(page: Page, task: string): Promise<void> {
  const [, row = ''] = readFileSync('docs/reference.md', 'utf8').split(`\n| ${task} | `);
  const [way = '', documented] = row.split(' |');
  let [clicks, confirmed] = [0, 0];
  const confirm = (dialog: Dialog) => {
    confirmed++;
    void dialog.accept();
  };
  page.on('dialog', confirm);
  for (const [, label, other = ''] of way.matchAll(/`([^`]+)`|\*([^*]+)\*/g)) {
    if (label === 'OK') {
      await untilTrue(() => confirmed > 0);
    } else if (other === 'a reason') {
      await page.locator('#why:focus').waitFor();
      await page.keyboard.type(REASON);
      await page.keyboard.press('Enter');
    } else {
      const how = { name: label ?? STANDS_FOR[other] ?? other, exact: label !== undefined };
      await page.getByRole('button', how).or(page.getByRole('link', how)).first().click();
      clicks++;
    }
  }
  page.off('dialog', confirm);
  expect(clicks + confirmed).toBe(Number(documented));
}
