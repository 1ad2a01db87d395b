import { Counter, type Registry } from 'prom-client';

/** `unwanted`: its channel was deleted, or its contact erased while it was fetched. One that no try fetched is a failed job. */
export const fileOutcomes = ['stored', 'gone', 'too_large', 'unwanted'] as const;
export type FileOutcome = (typeof fileOutcomes)[number];

export type FileMetrics = {
  /** What became of the file of a received message. */
  ended(outcome: FileOutcome): void;
};

export function createFileMetrics(registry: Registry): FileMetrics {
  const files = new Counter({
    name: 'kanal_received_files_total',
    help: 'Files of received messages: stored, gone (the provider does not have it any more), too_large, unwanted (its channel was deleted, or its contact erased meanwhile)',
    labelNames: ['outcome'],
    registers: [registry],
  });
  // From the start, so that a rate sees the first of them.
  for (const outcome of fileOutcomes) files.inc({ outcome }, 0);
  return { ended: (outcome) => files.inc({ outcome }) };
}
