/** Messages to readers of telemetry, and the rule that no reader can delay the trader. */

import { describe, expect, test } from 'vitest';
import type {
  AccountStatus,
  MarketStatus,
  ProcessStatus,
  StatusLine,
} from '../../../../src/shared/protocol/trader-status.js';
import { type LineReader, MOST_READERS, TelemetryPublisher } from '../../../../src/shell/control/telemetry.js';
import type { WatchedMarket } from '../../../../src/trader/engine/snapshot.js';

const PROCESS = { pid: 1, run: 'r' } as ProcessStatus; // the publisher forwards it unchanged
const ACCOUNT = { mode: 'quoting' } as AccountStatus; // the same

const watched = (conditionId: string, note: unknown = 'as usual'): WatchedMarket => ({
  conditionId,
  sources: [note],
  makeStatus: () => ({ conditionId, note }) as MarketStatus, // the same
});

class Reader implements LineReader {
  writableLength = 0;
  readonly lines: StatusLine[] = [];
  ended = false;
  destroyed = false;
  readonly #isReading: boolean;
  #closed: () => void = () => undefined;

  constructor(isReading = true) {
    this.#isReading = isReading;
  }

  write(bytes: Uint8Array): void {
    if (!this.#isReading) this.writableLength += bytes.length;
    for (const text of Buffer.from(bytes).toString().trimEnd().split('\n')) this.lines.push(JSON.parse(text));
  }

  once(_: 'close', told: () => void): void {
    this.#closed = told;
  }

  end(): void {
    this.ended = true;
  }

  destroy(): void {
    this.destroyed = true;
    this.#closed();
  }

  marketsTold(): readonly string[] {
    return this.lines.flatMap((line) =>
      line.type === 'frame' ? line.markets.map(({ conditionId }) => conditionId) : [],
    );
  }
}

function world(markets: readonly WatchedMarket[]) {
  const at = { ms: 0, cpuMs: 0, wall: { ms: 0, cpuMs: 0 }, mode: 'quoting', markets, asked: 0, isBroken: false };
  const failures: string[] = [];
  const source = {
    process: () => {
      if (at.isBroken) throw new Error('the ledger is broken');
      return PROCESS;
    },
    account: () => ACCOUNT,
    markets: () => {
      at.asked++;
      at.ms += at.wall.ms;
      at.cpuMs += at.wall.cpuMs;
      return at.markets;
    },
    mode: () => at.mode,
    onFailure: (error: unknown) => void failures.push(String(error)),
  };
  const publisher = new TelemetryPublisher(source, {
    steadyMs: () => at.ms,
    nowMs: () => 1_000,
    cpuMs: () => at.cpuMs,
  });
  const step = (afterMs: number) => {
    at.ms += afterMs;
    publisher.afterStep();
  };
  /** A new reader that subscribed. */
  const joined = (isReading = true): Reader => {
    const reader = new Reader(isReading);
    expect(publisher.subscribe(reader)).toBeNull();
    return reader;
  };
  return { at, failures, publisher, step, joined };
}

describe('telemetry', () => {
  test('asks for nothing while nobody reads', () => {
    const { at, step, publisher } = world([watched('a')]);
    for (let i = 0; i < 100; i++) step(100);
    publisher.notice(1, 'loud', 'halted', 'a limit');
    expect(at.asked).toBe(0);
  });

  test('that cannot tell lets its readers go and throws nothing', () => {
    const { at, failures, step, joined } = world([watched('a')]);
    const reader = joined();
    // A value that JSON cannot represent.
    at.markets = [watched('a', 1n)];
    step(500);
    expect(reader.destroyed).toBe(true);
    expect(failures).toEqual([expect.stringContaining('BigInt')]);
    step(500);
    expect(failures).toHaveLength(1);
  });

  test('that cannot greet refuses the reader, and loses those it cannot renew, and throws nothing', () => {
    const { at, failures, step, publisher, joined } = world([watched('a')]);
    const reader = joined();
    at.isBroken = true;
    expect(publisher.subscribe(new Reader())).toBe('telemetry failed; the log says why');
    expect(reader.destroyed).toBe(false);
    publisher.renew();
    expect(reader.destroyed).toBe(true);
    expect(failures).toEqual(['Error: the ledger is broken', 'Error: the ledger is broken']);
    at.isBroken = false;
    // The rejected reader takes no place.
    const readers = Array.from({ length: MOST_READERS }, () => joined());
    step(500);
    expect(readers[0]?.marketsTold()).toEqual(['a']);
  });

  test('whose reader cannot be written loses the reader, at each kind of line', () => {
    const { publisher, joined } = world([]);
    const write = () => {
      throw new Error('this stream is gone');
    };
    expect(publisher.subscribe(Object.assign(new Reader(), { write }))).toContain('telemetry failed');
    for (const tell of [() => publisher.notice(1, 'loud', 'halted', 'a limit'), () => publisher.close('over', true)]) {
      const reader = Object.assign(joined(), { write });
      tell();
      expect(reader.destroyed).toBe(true);
    }
  });

  test('tells each market when it changed, the account twice a second, and what the operator should read', () => {
    const { at, step, publisher, joined } = world([watched('a'), watched('b')]);
    const reader = joined();
    step(500);
    expect(reader.lines.map(({ type }) => type)).toEqual(['hello', 'frame']);
    expect(reader.marketsTold()).toEqual(['a', 'b']);
    at.markets = [watched('a'), watched('b', 'holds back')];
    step(400);
    expect(reader.lines).toHaveLength(2);
    step(100);
    expect(reader.marketsTold()).toEqual(['a', 'b', 'b']);
    publisher.notice(7, 'loud', 'halted', 'a limit');
    expect(reader.lines.at(-1)).toEqual({ type: 'notice', time: 7, severity: 'loud', kind: 'halted', text: 'a limit' });
  });

  test('says its first line again when that has changed, and nothing to nobody', () => {
    const { step, publisher, joined } = world([]);
    publisher.renew();
    const reader = joined();
    step(500);
    publisher.renew();
    expect(reader.lines.map(({ type }) => type)).toEqual(['hello', 'frame', 'hello']);
  });

  test.each([
    ['a busy machine', 0, 0],
    ['costly telemetry', 100, 1],
  ])('tells each changed market within two seconds in spite of %s', (_, cpuMs, level) => {
    const { at, step, publisher, joined } = world([]);
    const reader = joined();
    for (let i = 0; i < 30; i++) {
      at.markets = [watched('a', i)];
      // Each sweep takes long by the clock.
      at.wall = { ms: 400, cpuMs };
      step(1_600);
    }
    expect(reader.marketsTold()).toHaveLength(30);
    expect(publisher.figures.brake).toBe(level);
  });

  test.each([
    [2, 500],
    [4, 800],
    [9, 1_250],
  ])('that costs %d ms is sent again after %d ms: half a percent of a processor, within 2 s', (cpuMs, periodMs) => {
    const { at, step, publisher } = world([]);
    publisher.subscribe(new Reader());
    at.wall = { ms: 0, cpuMs };
    step(500);
    step(periodMs - 1);
    expect(at.asked).toBe(1);
    step(1);
    expect(at.asked).toBe(2);
    expect(publisher.figures.brake).toBe(periodMs > 500 ? 1 : 0);
  });

  test('tells another mode at once', () => {
    const { at, step, joined } = world([]);
    const reader = joined();
    step(500);
    at.mode = 'killed';
    step(1);
    expect(reader.lines.filter(({ type }) => type === 'frame')).toHaveLength(2);
  });

  test('tells a reader that comes later everything', () => {
    const { step, joined } = world([watched('a')]);
    joined();
    step(500);
    const late = joined();
    step(500);
    expect(late.marketsTold()).toEqual(['a']);
  });

  test('lets go of a reader that does not read, and of no other', () => {
    const { at, step, joined } = world([]);
    const [deaf, good] = [joined(false), joined()];
    for (let i = 0; i < 40 && !deaf.destroyed; i++) {
      at.markets = [watched('a', 'x'.repeat(50_000) + i)];
      step(500);
    }
    expect(deaf.destroyed).toBe(true);
    expect(deaf.writableLength).toBeLessThan(1024 * 1024 + 100_000);
    const before = good.lines.length;
    step(500);
    expect(good.lines.length).toBe(before + 1);
  });

  test('keeps a reader that still reads a long frame, and cuts it when more lines stay unread', () => {
    const { at, step, publisher, joined } = world([watched('a', 'x'.repeat(3_000_000))]);
    const reader = joined(false);
    step(500);
    publisher.notice(1, 'info', 'fill', 'bought 5');
    expect(reader.lines.map(({ type }) => type)).toEqual(['hello', 'frame', 'notice']);
    at.markets = [watched('a', 'y'.repeat(3_000_000))];
    step(500);
    step(500);
    expect([reader.destroyed, publisher.figures.readersCut]).toEqual([true, 1]);
  });

  test(`refuses more than ${MOST_READERS} readers, and takes one in the place of one that went`, () => {
    const { publisher, joined } = world([]);
    const readers = Array.from({ length: MOST_READERS }, () => joined());
    expect(publisher.subscribe(new Reader())).toMatch(/^4 other readers are connected/);
    readers[0]?.destroy();
    joined();
  });

  test('tells all readers an end without proof, and replaces it by a later end with proof', () => {
    const { publisher, joined } = world([]);
    const there = joined();
    publisher.tellEnd('it cannot go on', false);
    const readers = [there, joined()];
    const told = (reason: string, proven: boolean) => [{ type: 'bye', time: 1_000, reason, proven }, proven];
    const heard = () => readers.map(({ lines, ended }) => [lines.at(-1), ended]);
    expect(heard()).toEqual([told('it cannot go on', false), told('it cannot go on', false)]);
    publisher.close('it has ended', true);
    expect(heard()).toEqual([told('it has ended', true), told('it has ended', true)]);
  });
});
