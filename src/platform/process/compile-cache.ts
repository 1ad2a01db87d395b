import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

/** Beside the packages: as trusted as they are, and removed with them. */
export const compileCacheFolder = join(import.meta.dirname, '../../../node_modules/.cache/kanal');

/**
 * Keeps the code of every module imported from now on, types stripped and compiled, for the next start; written when the process ends.
 * A folder that cannot be written is no fault. Node's own NODE_COMPILE_CACHE (it covers the entry too) and NODE_DISABLE_COMPILE_CACHE win.
 */
export const keepCompiledCode = (folder = compileCacheFolder) => void enableCompileCache(folder);
