import { keepCompiledCode } from '../src/platform/process/compile-cache.ts';

keepCompiledCode();
// Not a static import: all of those are compiled before this file runs.
await import('./run.ts');
