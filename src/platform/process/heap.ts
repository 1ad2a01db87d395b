import { setFlagsFromString } from 'node:v8';

/**
 * V8 collects the old generation of its heap when that has grown by half. By default it waits until the heap is several times as large, and
 * keeps the pages while requests come: the memory of one burst of work would never be freed. docs/benchmarks.md has the figures.
 */
export const keepHeapSmall = () => setFlagsFromString('--heap-growing-percent=50');
