import { readStartEnvironment } from '../src/config.ts';
import { failureText } from './failure.ts';
import { bringUp } from './start/bring-up.ts';
import { removeDemoFile } from './start/demo-file.ts';
import { tailOf } from './start/files.ts';
import { deleteHome, type Home, hasHome, openHome, turnLogs } from './start/home.ts';
import { createOutput, type Output } from './start/output.ts';
import { createParts } from './start/parts.ts';
import { endLeftovers, leaveHome, takeHome } from './start/pid-files.ts';
import { end, watchForeign } from './start/running.ts';
import { dataOf, leftoverServer } from './start/server.ts';
import { aborted } from './start/until.ts';

class StopAsked extends Error {}

/** Everything on one machine, until a signal or a part that will not live ends it. */
export async function start({ reset, verbose }: { reset?: boolean; verbose?: boolean }) {
  const environment = readStartEnvironment();
  const output = createOutput(verbose === true);
  const home = await takenHome(environment.kanalHome, reset === true, output);
  const ending = new AbortController();
  const giveUp = (reason: string) => ending.abort(new Error(`${reason}\n${tailOf(home.file('logs', 'database.log'), 3)}`.trim()));
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
  // Whatever a broken-off step still waits for has nobody to tell.
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

/** The first signal stops in order, the second at once. */
function stopOnSignal(ending: AbortController, kill: () => void, output: Output) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (!ending.signal.aborted) {
        output.say('\nstopping');
        return ending.abort(new StopAsked());
      }
      kill();
      process.exit(130);
    });
}
