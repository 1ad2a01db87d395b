import { registerHooks } from 'node:module';

/** Loaded before a process's own code: the file whose path ends in BROKEN_MODULE cannot be loaded. */
registerHooks({
  load(url, context, next) {
    if (url.endsWith(process.env.BROKEN_MODULE!)) throw new Error('This module is broken');
    return next(url, context);
  },
});
