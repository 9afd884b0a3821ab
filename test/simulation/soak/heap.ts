import { getHeapCodeStatistics } from 'node:v8';

/** Reachable memory of this process after a garbage collection, where node has `--expose-gc`. */
export interface Heap {
  /** Without compiled code, of which V8 makes more for days. */
  readonly dataBytes: number;
  readonly codeBytes: number;
}

export function measureHeap(): Heap {
  // Twice: the first one may end a collection that had begun while what is garbage now was still in use.
  globalThis.gc?.();
  globalThis.gc?.();
  const code = getHeapCodeStatistics();
  const codeBytes = code.code_and_metadata_size + code.bytecode_and_metadata_size;
  return { dataBytes: process.memoryUsage().heapUsed - codeBytes, codeBytes };
}

/** Memory of a process outside its heap. */
export interface Outside {
  /** Of memory, all in all: it moves by tens of MB with what V8 and the allocator give back. */
  readonly residentBytes: number;
  /** Of what objects of the heap stand for, buffers among it. */
  readonly externalBytes: number;
  readonly arrayBufferBytes: number;
}

/** After a collection of garbage, as `measureHeap` makes one. */
export function measureOutside(): Outside {
  const { rss, external, arrayBuffers } = process.memoryUsage();
  return { residentBytes: rss, externalBytes: external, arrayBufferBytes: arrayBuffers };
}
