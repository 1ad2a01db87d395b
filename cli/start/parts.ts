import { type Part, type PartOptions, type Surroundings, startPart } from './part.ts';

const stopOrder = ['web', 'worker', 'sandbox', 'database'] as const;
export type PartName = (typeof stopOrder)[number];

/** A worker's jobs and a web process's requests may take 20 s and 5 more; the database writes a checkpoint. */
const deadlineMs = { web: 27_000, worker: 27_000, sandbox: 5_000, database: 20_000 };

export type Parts = {
  start(name: PartName, options: Pick<PartOptions, 'launch' | 'onRestart'>): void;
  stop(): Promise<void>;
  kill(): void;
};

export function createParts(surroundings: Surroundings, signal: AbortSignal): Parts {
  const parts = new Map<PartName, Part>();
  return {
    start(name, options) {
      signal.throwIfAborted();
      const isDatabase = name === 'database';
      const part = startPart(
        {
          name,
          ...options,
          // Fast shutdown, then the immediate one: after SIGKILL the server's children would live a moment longer.
          stopSignal: isDatabase ? 'SIGINT' : 'SIGTERM',
          killSignal: isDatabase ? 'SIGQUIT' : 'SIGKILL',
          deadlineMs: deadlineMs[name],
          hasPidFile: !isDatabase,
        },
        surroundings,
      );
      parts.set(name, part);
    },
    async stop() {
      for (const name of stopOrder) await parts.get(name)?.stop();
    },
    kill() {
      for (const name of stopOrder) parts.get(name)?.kill();
    },
  };
}
