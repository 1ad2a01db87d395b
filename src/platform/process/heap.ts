import { setFlagsFromString } from 'node:v8';

/** By default V8 lets the heap grow severalfold and never frees the memory of one burst (docs/benchmarks.md). Once started: a start would only collect more often. */
export const keepHeapSmall = () => setFlagsFromString('--heap-growing-percent=50');
