import { getHeapCodeStatistics } from 'node:v8';

/** Reachable memory of this process after a garbage collection, if node runs with `--expose-gc`. */
export interface Heap {
  /** Without compiled code, of which V8 makes more for days. */
  readonly dataBytes: number;
  readonly codeBytes: number;
}

export function measureHeap(): Heap {
  // Twice: the first may only finish a collection that started while current garbage was still in use.
  globalThis.gc?.();
  globalThis.gc?.();
  const code = getHeapCodeStatistics();
  const codeBytes = code.code_and_metadata_size + code.bytecode_and_metadata_size;
  return { dataBytes: process.memoryUsage().heapUsed - codeBytes, codeBytes };
}

/** Memory of a process outside its heap. */
export interface Outside {
  /** Total memory; it varies by tens of MB with the memory that V8 and the allocator return. */
  readonly residentBytes: number;
  /** Memory outside the heap that objects of the heap own, such as buffers. */
  readonly externalBytes: number;
  readonly arrayBufferBytes: number;
}

/** After a collection of garbage, as `measureHeap` makes one. */
export function measureOutside(): Outside {
  const { rss, external, arrayBuffers } = process.memoryUsage();
  return { residentBytes: rss, externalBytes: external, arrayBufferBytes: arrayBuffers };
}
