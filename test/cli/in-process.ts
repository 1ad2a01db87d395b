import { Console } from 'node:console';
import { Readable, Writable } from 'node:stream';
import { run } from '../../cli/program.ts';
import { cleanEnvironment, type Finished } from './command.ts';

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs a command as `cli/main.ts` does, in the process of the tests: a child takes seconds of the processor to load the same modules.
 * A run has the environment and the output of the process to itself, so that a second one waits for it.
 */
export function inProcess(args: string[], env: Record<string, string> = {}, input = ''): Promise<Finished> {
  const finished = last.then(() => captured(args, env, input));
  last = finished.catch(() => undefined);
  return finished;
}

export const inProcessOn =
  (url: string, input?: string) =>
  (...args: string[]) =>
    inProcess(args, { DATABASE_URL: url }, input);

async function captured(args: string[], env: Record<string, string>, input: string): Promise<Finished> {
  const written = { stdout: '', stderr: '' };
  const streams = { stdout: intoText(written, 'stdout'), stderr: intoText(written, 'stderr') };
  const heard = listeners();
  let exited: Finished | undefined;
  const { env: ownEnv, exit, exitCode, stdin, stdout, stderr } = process;
  const writes = { stdout: stdout.write, stderr: stderr.write };
  const ownConsole = globalThis.console;
  process.env = { ...cleanEnvironment(), ...env };
  process.exitCode = undefined;
  setStdin(Readable.from([input]));
  Object.assign(stdout, { write: (chunk: string | Uint8Array) => streams.stdout.write(chunk) });
  Object.assign(stderr, { write: (chunk: string | Uint8Array) => streams.stderr.write(chunk) });
  globalThis.console = new Console(streams.stdout, streams.stderr);
  process.exit = (code) => {
    exited ??= { code: Number(code ?? process.exitCode ?? 0), ...written };
    throw new Error('The command goes no further');
  };
  try {
    await run(args);
    return exited ?? { code: Number(process.exitCode ?? 0), ...written };
  } finally {
    globalThis.console = ownConsole;
    Object.assign(stdout, { write: writes.stdout });
    Object.assign(stderr, { write: writes.stderr });
    setStdin(stdin);
    Object.assign(process, { env: ownEnv, exit, exitCode });
    for (const [event, own] of heard)
      for (const listener of process.listeners(event)) if (!own.includes(listener)) process.removeListener(event, listener);
  }
}

/** A command's process ends with it, and what listens for that end. */
const listeners = () =>
  (['exit', 'SIGHUP', 'SIGINT', 'SIGTERM'] as NodeJS.Signals[]).map((event) => [event, process.listeners(event)] as const);

const intoText = (written: Record<string, string>, name: string) =>
  new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      written[name] += String(chunk);
      done();
    },
  });

const setStdin = (value: unknown) => Object.defineProperty(process, 'stdin', { configurable: true, value });
