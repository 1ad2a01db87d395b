import { pino } from 'pino';

export type Log = pino.Logger;

const secrets = new Set([
  'authorization',
  'x-api-key',
  'cookie',
  'access_token',
  'accessToken',
  'password',
  'secret',
  'token',
  'phone',
  'to',
  'body',
]);

/** Keys, tokens, phones and bodies never pass, at any of the first two levels. */
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

/** Lines of the last few milliseconds are written together: a write for each was seen in the profile of every request. */
const togetherMs = 20;

function standardOutput() {
  // In this very thread: the default flushes at exit, and with the reader of the pipe gone it would try that for ever.
  const output = pino.destination({ fd: 1, sync: true, minLength: 8_192, periodicFlush: togetherMs });
  process.on('exit', () => {
    try {
      output.flushSync();
    } catch {
      // Nobody reads any more.
    }
  });
  return output;
}

let [writtenMs, written] = [0, ''];
/** Lines of one millisecond share their time's text. */
const isoTime = () => {
  const ms = Date.now();
  if (ms !== writtenMs) [writtenMs, written] = [ms, `,"time":"${new Date(ms).toISOString()}"`];
  return written;
};

/** JSON lines on standard output; without what is secret. */
export const createLog = (level: string, process: string): Log =>
  pino(
    {
      level,
      base: { process },
      timestamp: isoTime,
      formatters: { log: redacted },
      serializers: { err: (error) => redacted(pino.stdSerializers.err(error) as never, 1) },
    },
    standardOutput(),
  );

/** An error in one line, for a field of a wide log line or a record; control characters out, bounded. */
export const reasonOf = (error: unknown): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL and friends are what is taken out
  (error instanceof Error ? error.message || error.name : String(error)).replace(/[\u0000-\u001f]+/g, ' ').slice(0, 500);
