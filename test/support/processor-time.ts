const inMs = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1_000;

/** What the threads of this process spend in `work`, in ms of processor time: what else the machine does is no part of it. */
export async function processorMs(work: () => unknown): Promise<{ own: number; all: number }> {
  const [own, all] = [process.threadCpuUsage(), process.cpuUsage()];
  await work();
  return { own: inMs(process.threadCpuUsage(own)), all: inMs(process.cpuUsage(all)) };
}
