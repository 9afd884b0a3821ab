import { afterAll, describe, expect, it } from 'vitest';
import type { Search } from '../../../src/lab/sweep/contract.js';
import { gridSearch, randomSearch, readAxis } from '../../../src/lab/sweep/search.js';
import { loadConfig } from '../../../src/shell/config/load.js';
import { sweepPlace } from './place.js';

const place = sweepPlace();
afterAll(() => place.remove());
const config = await loadConfig(place.config, { env: {}, cwd: place.folder });

const axesOf = (params: readonly string[], isRandom: boolean) =>
  params.map((text) => readAxis(text, config.strategies, isRandom));
const grid = (...params: string[]): Search => gridSearch(config, axesOf(params, false));
const random = (count: number, seed: number, ...params: string[]): Search =>
  randomSearch(config, axesOf(params, true), count, seed);

const valuesOf = (search: Search) => search.candidates.map(({ values }) => values);

describe('the values of a parameter', () => {
  it.each([
    ['behind_ticks=0:6:3', [0, 3, 6]],
    ['behind_ticks=0:5:3', [0, 3]],
    ['maker.behind_ticks=4', [4]],
    ['behind_ticks=7,1,7', [7, 1]],
    ['lean=0:0.3:0.1', [0, 0.1, 0.2, 0.3]],
    ['lean=0.000001:0.000003:0.000001', [0.000001, 0.000002, 0.000003]],
    ['order_shares=10:20:2.5', ['10', '12.5', '15', '17.5', '20']],
    ['mode=sound,throws', ['sound', 'throws']],
    ['is_quick=true,false', [true, false]],
    ['maker.rungs.0.at_ticks=1:2:1', [1, 2]],
  ])('%s are exactly what was written', (text, values) => {
    expect(valuesOf(grid(text))).toEqual(values.map((value) => [value]));
  });

  it('of several parameters are combined, the last one fastest, and numbered from 1', () => {
    const { candidates, kind, wanted } = grid('behind_ticks=0,1', 'order_shares=10,20');
    expect(candidates.map(({ number, values }) => [number, ...values])).toEqual([
      [1, 0, '10'],
      [2, 0, '20'],
      [3, 1, '10'],
      [4, 1, '20'],
    ]);
    expect({ kind, wanted }).toEqual({ kind: 'grid', wanted: 4 });
  });

  it('that the strategy calls impossible together are left out, counted and explained', () => {
    const { candidates, leftOut } = grid('behind_ticks=4:6:1', 'lean=0,0.5,1');
    expect(candidates).toHaveLength(7);
    expect(leftOut).toEqual([{ why: 'maker: behind_ticks of 5 and lean do not go together', count: 2 }]);
  });

  it('give one hash to the same settings, whichever parameters were varied to get there', () => {
    const [first] = grid('behind_ticks=0', 'order_shares=10').candidates;
    const [second] = grid('lean=0,0.5').candidates;
    const [, third] = grid('lean=0,0.5').candidates;
    expect(second?.hash).toBe(first?.hash);
    expect(third?.hash).not.toBe(first?.hash);
  });
});

describe('a random search', () => {
  it('draws different combinations within the ranges, the same ones for a seed', () => {
    const draw = (seed: number) => random(200, seed, 'behind_ticks=0:20', 'lean=log:0.001:1', 'order_shares=1:1000');
    const drawn = draw(5);
    expect(drawn.candidates).toHaveLength(200);
    expect(new Set(valuesOf(drawn).map((values) => JSON.stringify(values))).size).toBe(200);
    for (const [ticks, lean, shares] of valuesOf(drawn)) {
      expect(Number.isInteger(ticks)).toBe(true);
      expect(Number(lean)).toBeGreaterThanOrEqual(0.001);
      expect(Number(lean)).toBeLessThanOrEqual(1);
      expect(shares).toMatch(/^\d{1,4}(\.\d{1,6})?$/);
    }
    // On a logarithmic scale a third of the draws falls into each decade.
    const lowest = valuesOf(drawn).filter(([, lean]) => Number(lean) < 0.01).length;
    expect(lowest).toBeGreaterThan(40);
    expect(lowest).toBeLessThan(95);
    expect(draw(5)).toEqual(drawn);
    expect(valuesOf(draw(6))).not.toEqual(valuesOf(drawn));
  });

  it('draws both ends of a range of whole numbers as often as what lies between', () => {
    const counts = new Map<unknown, number>();
    for (let seed = 0; seed < 900; seed++) {
      const [[value] = []] = valuesOf(random(1, seed, 'behind_ticks=0:2'));
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    for (const value of [0, 1, 2]) expect(Math.abs((counts.get(value) ?? 0) - 300)).toBeLessThan(80);
  });

  it('of a small space finds all of it and says how many were asked for', () => {
    const { candidates, wanted } = random(100, 1, 'behind_ticks=0:2:1', 'mode=sound,exits');
    expect({ found: candidates.length, wanted }).toEqual({ found: 6, wanted: 100 });
  });
});

describe('a mistake', () => {
  it.each([
    [['behind_ticks'], /cannot read --param 'behind_ticks'/],
    [['behind_tick=1'], /no strategy has a parameter behind_tick\. Did you mean behind_ticks\?/],
    [['other.behind_ticks=1'], /no strategy has a parameter other\.behind_ticks/],
    [['maker.nothing=1'], /no strategy has a parameter maker\.nothing/],
    [['behind_ticks.0=1'], /no strategy has a parameter behind_ticks\.0/],
    [['behind_ticks=0:21:1'], /--param maker\.behind_ticks: got 21, wanted a whole number of ticks from 0 to 20/],
    [['behind_ticks=many'], /got "many", wanted a whole number/],
    [['order_shares=0.5'], /got "0\.5", wanted shares as a decimal string/],
    [['mode=sound,sly'], /got "sly", wanted one of sound, throws, rejects, exits, kills/],
    [['is_quick=maybe'], /got "maybe", wanted true or false/],
    [['mode=1:2:1'], /wanted a list of values, because the parameter is one of sound/],
    [['behind_ticks=3:1:1'], /wanted the smaller end first/],
    [['behind_ticks=1:3:0'], /wanted a step above 0/],
    [['behind_ticks=1:3'], /wanted a step, as in FROM:TO:STEP/],
    [['behind_ticks=1:2:3:4'], /wanted FROM:TO:STEP/],
    [['lean=0:1:0.000001'], /wanted at most 10000 values/],
    [['rungs=1'], /rungs is not a single parameter/],
    [['rungs.1.at_ticks=1'], /rungs\.1\.at_ticks is not a single parameter/],
    [['behind_ticks=1', 'maker.behind_ticks=2'], /--param maker\.behind_ticks is given twice/],
    [['behind_ticks=5', 'lean=1'], /no combination of these values is possible: maker: behind_ticks of 5/],
    [['lean=0:1:0.001', 'behind_ticks=0:9:1'], /10010 configurations \(maker\.lean: 1001, maker\.behind_ticks: 10\)/],
    [[], /no parameter to vary/],
  ])('%j is said before anything runs', (params, message) => expect(() => grid(...params)).toThrow(message));

  it.each([
    ['lean=log:0:1', /wanted FROM and TO above 0 on a logarithmic scale/],
    ['behind_ticks=0.5:3', /wanted integers/],
    ['behind_ticks=0:30', /got 30, wanted a whole number of ticks from 0 to 20/],
    ['lean=log:0.1:1:0.1', /wanted FROM:TO:STEP/],
  ])('%s of a random search is said too', (text, message) => expect(() => random(5, 1, text)).toThrow(message));

  it('names the parameters that there are, with what they take', () => {
    const hint = expect.stringContaining('order_shares (shares as a decimal string from "1" to "1000")');
    expect(() => grid('behind_ticks=99')).toThrow(expect.objectContaining({ code: 'usage', hint }));
  });
});
