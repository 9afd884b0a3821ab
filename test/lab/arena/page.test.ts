/** The page and the table of an arena, of results that are made up. */

import { describe, expect, it } from 'vitest';
import { arenaTables } from '../../../src/cli/lab/arena-tables.js';
import { arenaHtml } from '../../../src/lab/arena/arena-html.js';
import { meanText, rerunCommand } from '../../../src/lab/arena/describe.js';
import { all, byId, parsePage } from '../report/page.js';
import { madeUpArena } from './results.js';

const MEGABYTE = 1_000_000;

const rowsOf = (page: string, id: string) =>
  all(byId(parsePage(page), id), ({ tag }) => tag === 'tr')
    .slice(1)
    .map(({ children }) => children.map(({ text }) => text));

describe('the page of an arena', () => {
  const result = madeUpArena({ seeds: 30 });
  const page = arenaHtml(result);

  it('has every strategy in every world with its mean and error, and the differences', () => {
    const rows = rowsOf(page, 'standings');
    expect(rows).toHaveLength(4);
    result.standings.forEach(({ world, strategy, edge, informedEdge }, index) => {
      expect(rows[index]).toEqual(expect.arrayContaining([world, strategy, meanText(edge), meanText(informedEdge)]));
      expect(meanText(edge)).toMatch(/^[+−]?\d+\.\d\d ± \d+\.\d\d$/);
    });
    const [difference] = result.differences;
    expect(rowsOf(page, 'differences')[0]?.slice(0, 4)).toEqual([
      'challenge',
      'near',
      'far',
      difference && meanText(difference.edge),
    ]);
  });

  it('names the five worst seeds of each, and the command that runs one of them again', () => {
    const rows = rowsOf(page, 'worst');
    expect(rows).toHaveLength(4 * 5);
    const ofNear = result.simulations.filter(({ world, strategy }) => world === 'rationed' && strategy === 'near');
    const [worst] = [...ofNear].sort((a, b) => a.edge - b.edge);
    const row = rows.find(([world, strategy]) => world === 'rationed' && strategy === 'near');
    expect(row?.[2]).toBe(String(worst?.seed));
    expect(row?.at(-1)).toBe(
      `./twinbook arena -c 'my files/near.yaml' --world rationed --first ${worst?.seed} --seeds 1 --markets 8 --public 120 --signed 300 --delay 150`,
    );
    expect(worst && rerunCommand(result, { ...worst, world: 'challenge' })).not.toContain('--markets');
  });

  it('says what is to be known first: failures, halts, few seeds', () => {
    const few = arenaHtml(madeUpArena({ seeds: 3, failure: 'quote() failed: no idea' }));
    const text = parsePage(few).text;
    expect(text).toContain(
      'near failed in 1 of 3 simulations of challenge, which count as far as they went; the first, seed 500: quote() failed: no idea',
    );
    expect(text).toContain('A limit of risk halted near in 1 of 3 simulations of rationed.');
    expect(text).toContain('3 seeds: too few');
    expect(parsePage(page).text).not.toContain('too few');
  });

  it('needs no other file and no network, and shows hostile names as text', () => {
    expect(page).not.toMatch(/https?:|<link|<img|url\(|@import|\bsrc=/);
    expect(page).toContain('content="default-src &#39;none&#39;;');
    const evil = '</script><script>alert(1)</script>"onload=x';
    const hostile = arenaHtml(madeUpArena({ seeds: 2, strategies: [evil, 'far'], failure: evil }));
    expect(hostile).not.toContain('<script>alert');
    expect(() => parsePage(hostile)).not.toThrow();
  });

  it('never says NaN, has no difference of one strategy, and stays small with many seeds', () => {
    for (const seeds of [1, 2, 20_000]) {
      const one = madeUpArena({ seeds, strategies: ['near'] });
      const written = arenaHtml(one);
      const shown = `${written.replace(/<script[\s\S]*?<\/script>/g, '')}${arenaTables(one)}`;
      expect(shown).not.toMatch(/NaN|Infinity|undefined/);
      expect(shown).not.toContain('Differences');
      expect(Buffer.byteLength(written)).toBeLessThan(MEGABYTE);
    }
  });
});

describe('the table of an arena', () => {
  it('shows requests and conditions only where there are some', () => {
    const text = arenaTables(madeUpArena({ seeds: 3 }));
    expect(text).toContain('rationed: 8 markets at once, 120 public requests a minute');
    expect(text).toMatch(/DRAWDOWN +REQUESTS/);
    expect(text).toContain('A limit of risk halted far in 1 of 3 simulations of rationed.');
    const steps = arenaTables(madeUpArena({ seeds: 3, worlds: ['challenge'] }));
    expect(steps).not.toContain('REQUESTS');
  });
});
