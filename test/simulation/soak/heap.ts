import { getHeapCodeStatistics } from 'node:v8';

/** Memory of this process after a garbage collection, if node runs with `--expose-gc`. */
export interface Memory {
  /** Reachable memory, without compiled code, of which V8 makes more for days. */
  readonly heapBytes: number;
  readonly codeBytes: number;
  /** Total memory; it varies by tens of MB with the memory that V8 and the allocator return. */
  readonly residentBytes: number;
  /** Memory outside the heap that objects of the heap own, such as buffers. */
  readonly externalBytes: number;
  readonly arrayBufferBytes: number;
}

export function measureMemory(): Memory {
  // Twice: the first may only finish a collection that started while current garbage was still in use.
  globalThis.gc?.();
  globalThis.gc?.();
  const code = getHeapCodeStatistics();
  const codeBytes = code.code_and_metadata_size + code.bytecode_and_metadata_size;
  const { heapUsed, rss, external, arrayBuffers } = process.memoryUsage();
  const outside = { residentBytes: rss, externalBytes: external, arrayBufferBytes: arrayBuffers };
  return { heapBytes: heapUsed - codeBytes, codeBytes, ...outside };
}
