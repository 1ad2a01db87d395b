const { readFileSync } = require('node:fs');
const { enableCompileCache, flushCompileCache, registerHooks } = require('node:module');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');
const { usesApp } = require('./kind.cjs');

/**
 * Jest's runtime with Node's own module loader in place of jest's, which loads and links the whole product anew for each test file: that took
 * 2 to 3 s of the processor for each of 340 files. Here a worker loads a module once, as a process in production does, and code that was
 * stripped of its types and compiled is kept for the next worker. So a module's state lasts from file to file: what a file must find fresh
 * is put back by fresh.ts, or told to each-file.ts.
 */
module.exports = class NativeRuntime extends Runtime {
  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    const globals = await load('globals.ts');
    globals.use(this.requireModuleOrMock(path, '@jest/globals'));
    const { before, after } = await load('each-file.ts');
    globals.beforeAll(async () => {
      for (const act of before) await act();
    });
    globals.afterAll(async () => {
      for (const act of after) await act();
    });
    if (seen.has(path))
      throw new Error('Loaded in this process already: code that has changed since would not be seen. Start jest anew.');
    seen.add(path);
    await (await load('fresh.ts')).asAtStart(usesApp(readFileSync(path, 'utf8')));
    await import(pathToFileURL(path).href);
  }

  /** Circus: its state is that of one file. */
  requireInternalModule(path) {
    delete require.cache[path];
    return require(path);
  }

  /** Of the process itself here. */
  installGetBuiltinModule() {}

  teardown() {
    super.teardown();
    for (const symbol of Object.getOwnPropertySymbols(globalThis))
      if (ofCircus.has(symbol.description)) delete globalThis[symbol];
  }
};

const load = (name) => import(pathToFileURL(join(__dirname, name)).href);
const seen = new Set();
const ofCircus = new Set(['JEST_STATE_SYMBOL', 'EVENT_HANDLERS']);

// Jest's message to a worker that no file is left. What files share would keep the process alive; all of it ends with the process.
const noFileIsLeft = 2;
if (process.argv[1].endsWith('processChild.js')) {
  process.on('message', ([type]) => {
    if (type !== noFileIsLeft) return;
    flushCompileCache();
    process.exit(0);
  });
  process.on('disconnect', () => process.exit(1));
}

enableCompileCache(join(__dirname, '../../../node_modules/.cache/kanal'));
const globalsUrl = pathToFileURL(join(__dirname, 'globals.ts')).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url: globalsUrl, shortCircuit: true } : next(specifier, context),
});
