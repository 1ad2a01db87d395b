import { cpus } from 'node:os';
import type { Process } from './processes.ts';

/** What was busy in a round: shares of both cores for the machine, of one core for the worker. */
export type Load = { machine: number; worker: number; workerStallMs: number };

function machineTimes() {
  const times = cpus().map((cpu) => cpu.times);
  const sum = (pick: (of: (typeof times)[number]) => number) => times.reduce((total, of) => total + pick(of), 0);
  const idle = sum((of) => of.idle);
  return { idle, all: idle + sum(({ user, nice, sys, irq }) => user + nice + sys + irq) };
}

/** Tells whose time it was when somebody waited: the machine's, the worker's, or nobody's. */
export async function meterLoad(worker: Process): Promise<() => Promise<Load>> {
  const before = { cpuMs: (await worker.usage()).cpuMs, at: performance.now(), ...machineTimes() };
  return async () => {
    const { cpuMs, loopDelayMaxMs } = await worker.usage();
    const { idle, all } = machineTimes();
    return {
      machine: 1 - (idle - before.idle) / (all - before.all),
      worker: (cpuMs - before.cpuMs) / (performance.now() - before.at),
      workerStallMs: loopDelayMaxMs,
    };
  };
}
