/** Streams to fast, slow and stalled readers; the routes are in `page.test.ts`. */

import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { MOST_STREAMS, type StreamReader, Streams } from '../../../src/shell/dashboard/streams.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

class Reader extends EventEmitter {
  head: readonly unknown[] = [];
  got: string[] = [];
  /** Bytes that it has not read. */
  writableLength = 0;
  isReading = true;

  writeHead(...head: readonly unknown[]): this {
    this.head = head;
    return this;
  }

  write(text: string): boolean {
    this.got.push(text);
    if (!this.isReading) this.writableLength += text.length;
    return this.isReading;
  }

  end(): this {
    this.emit('close');
    return this;
  }
}

function place() {
  const streams = new Streams();
  const source = { state: 0, made: 0, watchers: new Set<() => void>(), fails: false };
  const open = (key = 'a') => {
    const reader = new Reader();
    streams.open(
      key,
      {
        make: () => {
          source.made++;
          if (source.fails) throw new Error('it cannot be told');
          return source.state;
        },
        watch: (onChange) => {
          source.watchers.add(onChange);
          return () => source.watchers.delete(onChange);
        },
      },
      reader as unknown as StreamReader, // No other part of an answer is used.
      { vary: 'x' },
    );
    return reader;
  };
  const change = () => {
    source.state++;
    for (const onChange of source.watchers) onChange();
  };
  return { streams, source, open, change };
}

test('a state is told at once, when it changes, and every second', () => {
  const { open, change, source } = place();
  const reader = open();
  expect(reader.head).toEqual([200, { vary: 'x', 'content-type': 'text/event-stream; charset=utf-8' }]);
  expect(reader.got).toEqual(['data: 0\n\n']);
  change();
  expect(reader.got).toEqual(['data: 0\n\n', 'data: 1\n\n']);
  vi.advanceTimersByTime(999);
  expect(reader.got).toHaveLength(2);
  vi.advanceTimersByTime(1);
  expect(reader.got.at(-1)).toBe('data: 1\n\n');
  expect(reader.got).toHaveLength(3);
  reader.emit('close');
  expect([source.watchers.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test('many changes within a tenth of a second are told as one, by the newest', () => {
  const { open, change } = place();
  const reader = open();
  change();
  for (let i = 0; i < 50; i++) change();
  expect(reader.got).toHaveLength(2);
  vi.advanceTimersByTime(100);
  expect(reader.got.slice(2)).toEqual(['data: 51\n\n']);
});

test('a reader that does not read is owed one state at most, delays nobody, and is told the newest once it reads', () => {
  const { open, change } = place();
  const [slow, quick] = [open(), open()];
  slow.isReading = false;
  for (let i = 0; i < 100; i++) {
    change();
    vi.advanceTimersByTime(100);
  }
  expect(slow.got).toEqual(['data: 0\n\n', 'data: 1\n\n']);
  expect(quick.got.length).toBeGreaterThan(100);
  Object.assign(slow, { isReading: true, writableLength: 0 });
  vi.advanceTimersByTime(1_000);
  expect(slow.got.slice(2)).toEqual(['data: 100\n\n']);
});

test('what several look at is made once for all of them, and watched once', () => {
  const { open, change, source } = place();
  const readers = [open(), open(), open()];
  open('b');
  const before = source.made;
  change();
  expect(source.made - before).toBe(2);
  expect(source.watchers.size).toBe(2);
  for (const reader of readers.slice(1)) reader.emit('close');
  change();
  vi.advanceTimersByTime(100);
  expect(readers.map(({ got }) => got.at(-1))).toEqual(['data: 2\n\n', 'data: 1\n\n', 'data: 1\n\n']);
});

test('a state that cannot be made ends what waits for it, and nothing else', () => {
  const { open, change, source, streams } = place();
  const reader = open();
  const ended = vi.spyOn(reader, 'end');
  source.fails = true;
  expect(change).not.toThrow();
  expect(ended).toHaveBeenCalledTimes(1);
  expect([source.watchers.size, vi.getTimerCount(), streams.isFull]).toEqual([0, 0, false]);
  source.fails = false;
  expect(open().got).toEqual(['data: 1\n\n']);
});

test('nothing is written to a reader behind its end, however late that closes', () => {
  const { open, change, source } = place();
  const reader = open();
  vi.spyOn(reader, 'end').mockReturnValue(reader);
  source.fails = true;
  change();
  source.fails = false;
  const got = reader.got.length;
  change();
  vi.advanceTimersByTime(5_000);
  expect(reader.got).toHaveLength(got);
  reader.emit('close');
  expect([source.watchers.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test('is full with as many as there may be, until one of them has gone; all end when it closes', () => {
  const { open, streams } = place();
  const readers = Array.from({ length: MOST_STREAMS }, (_, i) => open(`of ${i % 3}`));
  expect(streams.isFull).toBe(true);
  readers[0]?.emit('close');
  expect(streams.isFull).toBe(false);
  streams.close();
  expect(vi.getTimerCount()).toBe(0);
});
