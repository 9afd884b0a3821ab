/** Values that programs often mishandle, drawn from a seed. */

import type { Random } from '../../src/shared/base/random.js';

type Some<T> = readonly [T, ...T[]];

export function pick<T>(random: Random, list: Some<T>): T {
  const item = list[random.below(list.length)];
  return item === undefined ? list[0] : item;
}

/** The actions, with their weights. */
export function weighted<T>(random: Random, table: Some<readonly [weight: number, item: T]>): T {
  let left = random.uniform() * table.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, item] of table) {
    left -= weight;
    if (left < 0) return item;
  }
  return table[0][1];
}

const TEXTS: Some<string> = [
  '',
  ...[' ', '\t', ...'0 -0 00 +1 -1 .5 5. 1,5 1_000 1e5 1e999 0x10 ١٢ １２'.split(' ')],
  ...['NaN', 'Infinity', '-Infinity', 'null', 'undefined', 'true', 'false', 'TRUE', '[]', '{}', '[object Object]'],
  ...['9223372036854775807', '9223372036854775808', '18446744073709551616', '0.0000001', '0.9999999999999999999'],
  ...['9007199254740993', '9007199254.740993', '1'.repeat(17), '1'.repeat(400), `0.${'3'.repeat(400)}`],
  '-9999999999999999',
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', '__defineGetter__'],
  ...'\u0000 a\u0000b \ud800 \udfff\ud800 \u202Egnihton'.split(' '),
  ...'\u2066x \uFEFF \u{1D4B3}\u{1F600} e\u0301\u0301 \uFFFF'.split(' '),
  ...['\r\nX-Injected: 1', '\n', ...'% %00 %zz %c0%af .. . ../.. / // \\ ? # ; & ='.split(' ')],
  ...["' OR 1=1 --", '"', '<script>alert(1)</script>', '$' + '{7*7}', '{{7*7}}', '$(id)', '() { :; };', '|'],
  ' | Market: x',
  ...['a'.repeat(129), 'a'.repeat(257), 'é'.repeat(3000), '\u{1F600}'.repeat(2000), 'ﷺ'.repeat(300)],
];

export function nastyText(random: Random): string {
  return random.chance(0.75) ? pick(random, TEXTS) : randomText(random);
}

/** Any UTF-16 code units, including unpaired surrogates. */
function randomText(random: Random): string {
  const length = random.below(40);
  const widths: Some<number> = [0x20, 0x80, 0x800, 0x10000];
  return String.fromCharCode(...Array.from({ length }, () => random.below(pick(random, widths))));
}

/** Values of every JSON type as text; JSON parsers must reject some of them. */
const JSON_TEXTS: Some<string> = [
  'null',
  ...'true false [] {} [[]] [null] {"a":1} "" 0 -0 1 -1 1.5 0.1'.split(' '),
  ...'1e999 -1e999 1e-999 1.7976931348623157e309 5e-324 9223372036854775808 9007199254740993 1E400'.split(' '),
  ...['1'.repeat(400), `0.${'1'.repeat(400)}`, `[${'0,'.repeat(500)}0]`, '{"__proto__":{"polluted":true}}'],
  '{"constructor":{"prototype":{"polluted":true}}}',
  ...['{"toString":null,"valueOf":null,"toJSON":null}', '{"length":1e9}'],
  ...'{"a":1,"a":2} "\\u0000" "\\ud800" "\\udfff\\ud800" "\\u202e" ["buy","sell"] {"kind":"orderbook"}'.split(' '),
];
const NO_JSON: Some<string> = [
  'NaN',
  ...`Infinity undefined 01 1. .1 +1 'x' {a:1} [1,] "\u0001" 0x1`.split(' '),
  ...['', '1n', '/**/1', '"\\x41"'],
];

export const DEEP = 10_000;
const DEEP_LIST = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`;
const DEEP_OBJECT = `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`;

export function nastyJson(random: Random): string {
  return weighted(random, [
    [45, () => JSON.stringify(nastyText(random))],
    [40, () => pick(random, JSON_TEXTS)],
    [12, () => pick(random, NO_JSON)],
    // Rare, because a few of these large values cost as much as all the others.
    [0.4, () => DEEP_LIST],
    [0.3, () => DEEP_OBJECT],
  ])();
}

const PROTOTYPE_NAMES: Some<string> = [
  '__proto__',
  ...['constructor', 'prototype', 'toString', 'toJSON', 'hasOwnProperty', 'then', 'length'],
];

/** A field's name, or a name that no record should have. */
export const nastyName = (random: Random): string =>
  weighted(random, [
    [3, () => pick(random, PROTOTYPE_NAMES)],
    [1, () => nastyText(random)],
  ])();

/** Percent-encoded, even where JavaScript's own function throws: UTF-8 has no lone surrogates. */
export const encoded = (text: string): string => encodeURIComponent(Buffer.from(text, 'utf8').toString('utf8'));

const BAD_ENCODINGS: Some<string> = [
  '%',
  ...'%2 %zz %c0%af %c3%28 %ed%a0%80 %00 %u0041 + %ff%fe %f8%88%80%80%80'.split(' '),
];

/** Invalid percent-encodings: bare, cut, over-long, doubled. */
export function badlyEncoded(random: Random, text: string): string {
  return weighted(random, [
    [3, () => encoded(text)],
    [1, () => encoded(encoded(text))],
    [1, () => encoded(text).replaceAll('%', '%25')],
    [1, () => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')],
    [1, () => pick(random, BAD_ENCODINGS)],
  ])();
}

export const noise = (random: Random, most: number): Buffer =>
  Buffer.from(Array.from({ length: random.below(most) }, () => random.below(256)));
