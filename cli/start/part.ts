import type { Home } from './home.ts';
import type { Output } from './output.ts';
import { forgetPid, recordPid } from './pid-files.ts';
import { end, type Running, signalTo } from './running.ts';

/** One process of the installation, kept running until it is stopped. */
export type Part = { stop(): Promise<void>; kill(): void };

export type PartOptions = {
  name: string;
  launch(): Running;
  stopSignal: NodeJS.Signals;
  killSignal: NodeJS.Signals;
  deadlineMs: number;
  /** The database writes its own pid file. */
  hasPidFile: boolean;
  onRestart?(): void;
};

export type Surroundings = { home: Home; output: Output; giveUp(name: string, reason: string): void };

const maxRestarts = 5;
const withinMs = 60_000;
const firstDelayMs = 250;

export function startPart(options: PartOptions, { home, output, giveUp }: Surroundings): Part {
  const { name } = options;
  let running: Running | undefined;
  let isStopping = false;
  let deaths: number[] = [];
  let timer: NodeJS.Timeout | undefined;

  function begin() {
    const current = options.launch();
    running = current;
    if (options.hasPidFile) recordPid(home, name, current.pid);
    void current.ended.then((how) => {
      running = undefined;
      if (options.hasPidFile) forgetPid(home, name);
      if (!isStopping) again(how);
    });
  }

  function again(how: string) {
    deaths = [...deaths.filter((at) => at > Date.now() - withinMs), Date.now()];
    if (deaths.length > maxRestarts)
      return giveUp(name, `${name} ended unexpectedly (${how}) for the ${deaths.length}th time within a minute`);
    const delayMs = firstDelayMs * 2 ** (deaths.length - 1);
    output.say(`${name} ended unexpectedly (${how}): starting it again in ${delayMs} ms`);
    timer = setTimeout(() => {
      begin();
      options.onRestart?.();
    }, delayMs);
  }

  begin();
  return {
    async stop() {
      isStopping = true;
      clearTimeout(timer);
      if (!running) return;
      const how = await end(running, options.stopSignal, options.deadlineMs);
      output.say(
        how === 'asked' ? `stopped ${name}` : `stopped ${name}, which did not end within ${options.deadlineMs / 1000} s`,
      );
    },
    kill() {
      isStopping = true;
      clearTimeout(timer);
      if (!running) return;
      if (options.killSignal === 'SIGKILL') signalTo(-running.pid, 'SIGKILL');
      signalTo(running.pid, options.killSignal);
    },
  };
}
