import { writeSync } from 'node:fs';

export type LogOutput = { write(line: string): void; flushSync(): void };

/** One write for each line showed in the profile of every request. */
const togetherMs = 20;
const maxBytes = 64 * 1024;
/** After this wait for a full pipe its lines are dropped: logging must not stop the service. */
const maxWaitMs = 200;

type Write = (bytes: Buffer, offset: number) => number;

/** Writes synchronously: lines logged while the process exits are written before it ends. */
export function createLogOutput(write: Write = (bytes, offset) => writeSync(1, bytes, offset)): LogOutput {
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  function flushSync() {
    clearTimeout(timer);
    timer = undefined;
    const bytes = Buffer.from(lines);
    lines = '';
    let waitedMs = 0;
    for (let offset = 0; offset < bytes.length && !isClosed; ) {
      try {
        offset += write(bytes, offset);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') isClosed = true;
        else if (waitedMs >= maxWaitMs) return;
        else waitedMs += pause();
      }
    }
  }

  process.on('exit', flushSync);
  return {
    write(line) {
      if (isClosed) return;
      lines += line;
      if (lines.length >= maxBytes) flushSync();
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
