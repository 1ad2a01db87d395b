const { ModernFakeTimers } = require('@jest/fake-timers');
const { ModuleMocker } = require('jest-mock');

/** What a program that is started in a test hears to end well. */
const listeners = () => new Map(['exit', 'SIGTERM', 'SIGINT', 'SIGHUP'].map((event) => [event, process.listeners(event)]));

/** The process itself, with the globals that the product has in production; what a file changes of them is put back after it. */
module.exports = class ProcessEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #before = { console, exit: process.exit, exitCode: process.exitCode, env: { ...process.env } };
  #heard = listeners();

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    const { env, exitCode, ...rest } = this.#before;
    globalThis.console = rest.console;
    process.exit = rest.exit;
    process.exitCode = exitCode;
    for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
    Object.assign(process.env, env);
    for (const [event, hears] of listeners())
      for (const hear of hears) if (!this.#heard.get(event).includes(hear)) process.removeListener(event, hear);
  }

  /** Jest asks for it, and nothing is run in one. */
  getVmContext() {
    return null;
  }
};
