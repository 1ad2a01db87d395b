import { writeSync } from 'node:fs';

export type LogOutput = { write(line: string): void; flushSync(): void };

/** Lines of the last few milliseconds are written together: a write for each was seen in the profile of every request. */
const togetherMs = 20;
const mostBytes = 64 * 1024;
/** A full pipe whose reader stands still is waited for this long in all, then its lines are dropped: the service goes on. */
const longestWaitMs = 200;

type Write = (bytes: Buffer, offset: number) => number;

/** Standard output, by one thread and without a promise: what is written when the process leaves is written before it has left. */
export function createLogOutput(write: Write = (bytes, offset) => writeSync(1, bytes, offset)): LogOutput {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  let isGone = false;

  function flushSync() {
    clearTimeout(timer);
    timer = undefined;
    const bytes = Buffer.from(lines);
    lines = '';
    let waitedMs = 0;
    for (let offset = 0; offset < bytes.length && !isGone; ) {
      try {
        offset += write(bytes, offset);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') isGone = true;
        else if (waitedMs >= longestWaitMs) return;
        else waitedMs += pause();
      }
    }
  }

  process.on('exit', flushSync);
  return {
    write(line) {
      if (isGone) return;
      lines += line;
      if (lines.length >= mostBytes) flushSync();
      else timer ??= setTimeout(flushSync, togetherMs).unref();
    },
    flushSync,
  };
}

function pause(): number {
  const ms = 5;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return ms;
}
