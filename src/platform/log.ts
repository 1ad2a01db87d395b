import { pino } from 'pino';
import { cut } from './cut.ts';
import { createLogOutput, type LogOutput } from './log-output.ts';

export type Log = pino.Logger;

const secrets = new Set([
  'authorization',
  'x-api-key',
  'cookie',
  'set-cookie',
  'access_token',
  'accessToken',
  'password',
  'current_password',
  'new_password',
  'secret',
  'pin',
  'token',
  'phone',
  'to',
  'body',
]);

function redacted(line: Record<string, unknown>, levels = 2): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const key in line) {
    const value = line[key];
    const safe = secrets.has(key) ? '[redacted]' : levels > 1 && isPlain(value) ? redacted(value, levels - 1) : value;
    if (safe === value) continue;
    copy ??= { ...line };
    copy[key] = safe;
  }
  return copy ?? line;
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Error);

/** Other properties may hold secrets: a Redis error has the password, a PostgreSQL violation the values. */
const loggedProperties = [
  'type',
  'message',
  'stack',
  'code',
  'errno',
  'syscall',
  'status',
  'severity',
  'schema',
  'table',
  'column',
  'constraint',
];
const logged = (error: Error) => {
  const all = pino.stdSerializers.err(error) as unknown as Record<string, unknown>;
  return typeof all === 'object'
    ? Object.fromEntries(loggedProperties.flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]])))
    : all;
};

let [writtenMs, written] = [0, ''];
const isoTime = () => {
  const ms = Date.now();
  if (ms !== writtenMs) [writtenMs, written] = [ms, `,"time":"${new Date(ms).toISOString()}"`];
  return written;
};

export const createLog = (level: string, process: string, output: LogOutput = createLogOutput()): Log =>
  pino(
    {
      level,
      base: { process },
      timestamp: isoTime,
      formatters: { log: redacted },
      serializers: { err: logged },
    },
    output,
  );

export const reasonOf = (error: unknown): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL and friends are what is taken out
  cut((error instanceof Error ? error.message || error.name : String(error)).replace(/[\u0000-\u001f]+/g, ' '), 500);
