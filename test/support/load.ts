import { type ChildProcess, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

export type Load = {
  /** Ends one of its processes when other work has joined them, so that the load stays what was asked for. */
  ease(): void;
  /** Ends a quarter of what was asked for, but for the last one, and says so: for a machine of which others take a part that nothing here shows. */
  lighten(): void;
  end(): void;
};

/** Works without end, and says every half second what share of a processor it had. */
const busy = `const { writeSync } = require('node:fs');
for (;;) {
  const [at, spent] = [performance.now(), process.cpuUsage()];
  while (performance.now() - at < 500);
  writeSync(1, process.cpuUsage(spent).user / 1_000 / (performance.now() - at) + '\\n');
}`;

/** As many busy processes as make so many for each processor; a machine that is busy by itself needs fewer. */
export async function loadUp(perProcessor: number): Promise<Load> {
  const children: ChildProcess[] = [];
  let share = 1;
  const add = () => {
    const child = spawn(process.execPath, ['-e', busy], { stdio: ['ignore', 'pipe', 'ignore'] });
    child.stdout!.on('data', (text: Buffer) => {
      if (!child.killed) share = Number(text.toString().trim().split('\n').at(-1));
    });
    children.push(child);
  };
  const enough = perProcessor * availableParallelism();
  do {
    add();
    await sleep(children.length < enough / 2 ? 0 : 1_500);
  } while (children.length < enough && share > 1.05 / perProcessor);
  return {
    ease() {
      if (share < 0.8 / perProcessor && children.length > 1) children.pop()!.kill('SIGKILL');
    },
    lighten() {
      for (let left = enough / 4; left > 0 && children.length > 1; left -= 1) children.pop()!.kill('SIGKILL');
      process.stdout.write(`load: ${children.length} busy processes of ${enough} that were asked for\n`);
    },
    end() {
      for (const child of children) child.kill('SIGKILL');
    },
  };
}
