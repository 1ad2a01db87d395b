import { readStartEnvironment } from '../src/platform/config/config.ts';
import { failureText } from './failure.ts';
import { bringUp } from './start/bring-up.ts';
import { dataOf, leftoverServer } from './start/database/server.ts';
import { removeDemoFile } from './start/demo-file.ts';
import { tailOf } from './start/files.ts';
import { deleteHome, type Home, hasHome, openHome, turnLogs } from './start/home.ts';
import { createOutput, type Output } from './start/output.ts';
import { createParts } from './start/parts.ts';
import { endLeftovers, leaveHome, takeHome } from './start/pid-files.ts';
import { end, watchForeign } from './start/running.ts';
import { aborted } from './start/until.ts';

class StopAsked extends Error {}

/** Everything on one machine, until a signal, or a part that ends again and again. */
export async function start({ reset, verbose }: { reset?: boolean; verbose?: boolean }) {
  const environment = readStartEnvironment();
  const output = createOutput(verbose === true);
  const home = await takenHome(environment.kanalHome, reset === true, output);
  const ending = new AbortController();
  const giveUp = (name: string, reason: string) => {
    output.say(tailOf(home.file('logs', `${name}.log`), 5));
    ending.abort(new Error(reason));
  };
  const parts = createParts({ home, output, giveUp }, ending.signal);
  stopOnSignal(ending, () => parts.kill(), output);
  try {
    await Promise.race([bringUp({ environment, home, output, parts, signal: ending.signal }), aborted(ending.signal)]);
    await aborted(ending.signal);
  } catch (error) {
    const reason = ending.signal.aborted ? ending.signal.reason : error;
    if (!(reason instanceof StopAsked)) {
      console.error(failureText(reason));
      process.exitCode = 1;
    }
  }
  ending.abort();
  await parts.stop();
  leaveHome(home);
  // An interrupted step may still wait for something: end without it.
  process.exit();
}

async function takenHome(path: string, isReset: boolean, output: Output): Promise<Home> {
  if (isReset && hasHome(path)) {
    const old = await claimed(path, output);
    const server = leftoverServer(dataOf(old));
    if (server) await end(watchForeign(server.pid), 'SIGINT', 10_000);
    deleteHome(old);
    output.say(`deleted what ${old.path} held`);
  }
  const home = await claimed(path, output);
  turnLogs(home);
  removeDemoFile(home);
  return home;
}

async function claimed(path: string, output: Output): Promise<Home> {
  const home = openHome(path);
  takeHome(home);
  for (const name of await endLeftovers(home)) output.say(`ended the ${name} an earlier start has left`);
  return home;
}

/** npm forwards a Ctrl-C that the terminal has sent to us too: a second signal within this time is the same one. */
const sameSignalMs = 1_000;

/** The first signal stops in order, a second one at once. */
function stopOnSignal(ending: AbortController, kill: () => void, output: Output) {
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt !== undefined && performance.now() - firstAt < sameSignalMs) return;
    if (firstAt !== undefined) {
      kill();
      process.exit(130);
    }
    firstAt = performance.now();
    output.say('\nstopping');
    ending.abort(new StopAsked());
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
}
