import { subscribe } from 'node:diagnostics_channel';
import { registerHooks } from 'node:module';

/** Loaded before a process's own code: the moment it listens it writes what it has loaded, files and Node's own modules. */
const files = new Set<string>();
registerHooks({
  load(url, context, next) {
    files.add(url);
    return next(url, context);
  },
});
subscribe('tracing:net.server.listen:asyncEnd', () => {
  const { moduleLoadList } = process as unknown as { moduleLoadList: string[] };
  process.stdout.write(`${JSON.stringify({ files: [...files], builtins: moduleLoadList, msg: 'loaded' })}\n`);
});
