import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { gunzipPieces } from '../../../src/recording/importers/lines.js';

/** More than is unpacked at once. */
const LONG = 'x'.repeat(600_000);

test('lines that several reads divide come whole and in order, the last one without a newline too', async () => {
  const lines = Array.from({ length: 40_000 }, (_, number) => `${number} ${'y'.repeat(number % 50)}`);
  const text = [...lines.slice(0, 20_000), LONG, ...lines.slice(20_000), 'the end'].join('\n');
  const folder = mkdtempSync(join(tmpdir(), 'twinbook-lines-'));
  try {
    const path = join(folder, 'lines.gz');
    writeFileSync(path, gzipSync(text));
    const pieces: string[] = [];
    const report = { cut: null, tooLong: 0 };
    for await (const piece of gunzipPieces(path, report)) pieces.push(piece.toString('utf8'));
    expect(pieces.join('')).toBe(text);
    // Whole lines, or a line that was divided would be read as two.
    expect(pieces.findIndex((piece) => !piece.endsWith('\n'))).toBe(pieces.length - 1);
    expect(pieces.length).toBeGreaterThan(5);
    expect(report).toEqual({ cut: null, tooLong: 0 });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
