import { pino } from 'pino';
import type { Log } from '../../src/platform/log.ts';

export type LogLine = { level: number; msg?: string; [field: string]: unknown };

/** A log that keeps its lines for the test to read. */
export function collectingLog(): { log: Log; lines: LogLine[] } {
  const lines: LogLine[] = [];
  const log = pino(
    { level: 'debug', base: null, serializers: { err: pino.stdSerializers.err } },
    { write: (line: string) => void lines.push(JSON.parse(line) as LogLine) },
  );
  return { log, lines };
}
