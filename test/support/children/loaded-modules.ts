import { registerHooks } from 'node:module';

/** Loaded before a process's own code: on SIGUSR2 the process writes what it has loaded, files and Node's own modules. */
const files = new Set<string>();
registerHooks({
  load(url, context, next) {
    files.add(url);
    return next(url, context);
  },
});
process.on('SIGUSR2', () => {
  const { moduleLoadList } = process as unknown as { moduleLoadList: string[] };
  process.stdout.write(`${JSON.stringify({ msg: 'loaded', files: [...files], builtins: moduleLoadList })}\n`);
});
