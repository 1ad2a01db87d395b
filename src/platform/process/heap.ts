import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 collect the old part of its heap when it is half as large again as what lives in it. By itself V8 waits until it is several times as
 * large, and it keeps the pages while requests come: what a burst of work leaves would be held for good. docs/benchmarks.md has the figures.
 */
export const keepHeapSmall = () => setFlagsFromString('--heap-growing-percent=50');
