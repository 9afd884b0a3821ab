/** The page and the tables, with made-up results. */

import { describe, expect, it } from 'vitest';
import { sweepTables } from '../../../src/cli/lab/sweep.js';
import { formatGain } from '../../../src/lab/report/figures.js';
import { sweepHtml } from '../../../src/lab/sweep/sweep-html.js';
import { madeUp } from './made-up.js';

const MEGABYTE = 1_000_000;

describe('the page of a sweep', () => {
  it('holds every configuration with its figures, and walking forward', () => {
    const result = madeUp({ events: 20, sizes: [5, 4, 3] });
    const page = sweepHtml(result);
    for (const { models } of result.configurations) {
      for (const { resultMicros } of models)
        expect(page).toContain(`data-v="${resultMicros}">${formatGain(resultMicros)}`);
    }
    for (const { outOfSampleMicros } of result.walkForward?.steps ?? [])
      for (const value of outOfSampleMicros) expect(page).toContain(formatGain(value));
  });

  it('needs no other file and no network', () => {
    const page = sweepHtml(madeUp({ events: 9, sizes: [3, 3] }));
    expect(page.replaceAll(/<code>[^<]*<\/code>/g, '')).not.toMatch(/https?:|<link|<img|url\(|@import|\bsrc=/);
    expect(page).toContain('content="default-src &#39;none&#39;;');
  });

  it('shows hostile names as text', () => {
    const evil = '</script><script>alert(1)</script>"onload=x';
    const page = sweepHtml(madeUp({ events: 4, sizes: [2, 2], title: evil, failed: 1 }));
    expect(page).not.toContain('<script>alert');
    expect(page).not.toContain('<b></script>');
    expect(page).toContain('&lt;/script&gt;&lt;script&gt;alert(1)');
  });

  it('is bounded for a large sweep, and says what it leaves out', () => {
    const page = sweepHtml(madeUp({ events: 30, sizes: [50, 50] }));
    expect(Buffer.byteLength(page)).toBeLessThan(4 * MEGABYTE);
    expect(page).toContain('500 more are in sweep.sqlite');
  });

  it('says "too few" where there are too few events, and never NaN', () => {
    for (const events of [1, 2, 7, 8, 15]) {
      const result = madeUp({ events, sizes: [2, 2] });
      const page = sweepHtml(result).replace(/<script[\s\S]*?<\/script>/g, '');
      const shown = `${page}${sweepTables(result)}${JSON.stringify(result)}`;
      expect(shown.includes('too few')).toBe(events < 15);
      expect(shown).not.toMatch(/NaN|Infinity|undefined/);
    }
    expect(sweepTables(madeUp({ events: 16, sizes: [2, 2] })).split('Walking')[0]).not.toContain('too few');
  });
});

it('the tables of a sweep are bounded, best first', () => {
  const result = madeUp({ events: 16, sizes: [10, 10] });
  const text = sweepTables(result);
  const [, , first = ''] = text.split('\n');
  const [best] = result.configurations;
  expect(first.trim().split(/\s+/).slice(0, 4)).toEqual(['1', best?.number, ...(best?.values ?? [])].map(String));
  expect(text).toContain('… and 80 more');
  expect(text.split('\n').length).toBeLessThan(45);
});
