import { keepCompiledCode } from '../src/platform/process/compile-cache.ts';
import { run } from './program.ts';

keepCompiledCode();

/** The reader of our output may stop in the middle, as `head` does. */
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

await run(process.argv.slice(2));
