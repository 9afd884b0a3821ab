import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { gunzipLines } from '../../../src/recording/importers/lines.js';
import { TextRing } from '../../../src/recording/importers/text-ring.js';

const report = () => ({ cut: null as string | null, tooLong: 0 });

/** What is given of each of these files, one after the other through one ring; lines stay only until the next ones. */
async function read(...files: readonly Buffer[]) {
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-lines-'));
  const ring = new TextRing();
  const read = [];
  try {
    for (const file of files) {
      const path = join(folder, 'lines.gz');
      writeFileSync(path, file);
      const about = report();
      const pieces: string[] = [];
      for await (const { bytes, from, end } of gunzipLines(path, about, ring)) {
        pieces.push(bytes.toString('utf8', from, end));
      }
      read.push({ pieces, ...about });
    }
    return read;
  } finally {
    rmSync(folder, { recursive: true });
    ring.end();
  }
}

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `${from + at} ${'y'.repeat(at % 50)}`);

test('lines that several reads divide come whole and in order, the last one without a newline too', async () => {
  // One is long, and much more is unpacked of it than has room at once.
  const text = [...numbered(0, 40_000), 'x'.repeat(3_000_000), ...numbered(0, 250_000), 'the end'].join('\n');
  const [all] = await read(gzipSync(text));
  expect(all?.pieces.join('') === text).toBe(true);
  // Whole lines, or a line that was divided would be read as two.
  expect(all?.pieces.findIndex((piece) => !piece.endsWith('\n'))).toBe((all?.pieces.length ?? 0) - 1);
  expect(all?.pieces.length).toBeGreaterThan(5);
  expect(all).toMatchObject(report());
});

test('a line that is no message for its length is dropped and counted', async () => {
  const [all] = await read(gzipSync(`first\n${'x'.repeat(6_000_000)}\nlast\n`));
  expect(all?.tooLong).toBe(1);
  const text = all?.pieces.join('') ?? '';
  expect([text.slice(0, 6), text.slice(-6)]).toEqual(['first\n', '\nlast\n']);
  expect(text.length).toBeLessThan(3_000_000);
});

test('half a line at the end of a cut file is none, and no part of the next file', async () => {
  const whole = gzipSync(numbered(0, 20_000).join('\n'));
  const [cut, next] = await read(whole.subarray(0, whole.length / 2), gzipSync('a\nb\n'));
  expect(cut?.cut).toBe('unexpected end of file');
  expect(cut?.pieces.join('')).toMatch(/^0 \n1 y\n2 yy\n.*\n$/s);
  expect(next).toEqual({ pieces: ['a\nb\n'], ...report() });
});

test('of a damaged file hardly more is lost than what comes after the damage', async () => {
  const text = Array.from({ length: 60_000 }, (_, at) => `${at * at} ${'y'.repeat(at % 50)}\n`).join('');
  const packed = gzipSync(text);
  // The checksum, which stands at its end.
  packed[packed.length - 6] = (packed.at(-6) ?? 0) ^ 1;
  const [damaged] = await read(packed);
  expect(damaged?.cut).toBe('incorrect data check');
  const given = damaged?.pieces.join('') ?? '';
  expect(text.startsWith(given)).toBe(true);
  expect(given.length).toBeGreaterThan(text.length - 256 * 1024);
});
