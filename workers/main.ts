import { useBundledPackages } from '../src/platform/process/bundled-packages.ts';
import { keepCompiledCode } from '../src/platform/process/compile-cache.ts';

keepCompiledCode();
useBundledPackages();
// Not a static import: all of those are compiled before this file runs.
await import('./run.ts');
