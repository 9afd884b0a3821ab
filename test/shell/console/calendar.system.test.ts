/// <reference lib="dom" />
/** The calendar of the money view: one cell a day, by keyboard, with a sign beside its color. */

import { afterAll, expect, test } from 'vitest';
import { CHROMIUM, contextOf, openBrowser, violationsOf } from './browser.js';
import { playConsole, SECRET } from './played-console.js';

const closers: (() => Promise<unknown>)[] = [];
afterAll(() => Promise.all(closers.map((close) => close())));

test.skipIf(CHROMIUM === null)('each day with a result is a cell that leads to its markets', async () => {
  const played = await playConsole();
  const browser = await openBrowser();
  closers.push(() => browser.close().then(played.close));
  const page = await (await contextOf(browser, { scheme: 'dark', width: 400 })).newPage();
  await page.goto(`${played.url}?view=money#${encodeURIComponent(SECRET)}`);
  await page.locator('#calendar a').first().waitFor();
  const booked = await page.locator('#money-days tr').evaluateAll((rows) =>
    rows.map((row) => {
      const [day, net] = Array.from(row.children, (cell) => cell.textContent ?? '');
      return [Number(day?.slice(-2)), net, net?.startsWith('+') ? 'good' : 'bad'];
    }),
  );
  const cells = await page
    .locator('#calendar td:has(a)')
    .evaluateAll((all) =>
      all.map((cell) => [
        Number(cell.querySelector('small')?.textContent),
        cell.querySelector('a')?.textContent,
        cell.className,
      ]),
    );
  const byDay = (rows: typeof cells) => rows.map(String).sort();
  expect(booked.length).toBeGreaterThan(1);
  expect(byDay(cells)).toEqual(byDay(booked as typeof cells));
  // The column of a cell is its weekday.
  const heads = await page.locator('#calendar td:has(a)').evaluateAll((all) =>
    all.map((cell) => {
      const at = (cell as HTMLTableCellElement).cellIndex;
      const date = new Date(new URL((cell.querySelector('a') as HTMLAnchorElement).href).searchParams.get('at') ?? '');
      return (date.getUTCDay() + 6) % 7 === at;
    }),
  );
  expect(heads).toEqual(heads.map(() => true));
  expect(await violationsOf(page)).toEqual([]);
  await page.locator('#calendar a').last().focus();
  await page.keyboard.press('Enter');
  await page.locator('#money-day a').first().waitFor();
  expect(await page.locator('#money-days tr').count()).toBe(1);
});
