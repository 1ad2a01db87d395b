import { setFlagsFromString } from 'node:v8';

/** By default V8 lets the heap grow severalfold and keeps the pages of one burst (figures: docs/benchmarks.md). */
export const keepHeapSmall = () => setFlagsFromString('--heap-growing-percent=50');
