import { pino } from 'pino';

export type Log = pino.Logger;

const secret = [
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
];

/** JSON lines on standard output. Keys, tokens, phones and bodies never pass, at any of the first two levels. */
export const createLog = (level: string, process: string): Log =>
  pino(
    {
      level,
      base: { process },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: secret.flatMap((name) => [`["${name}"]`, `*["${name}"]`]), censor: '[redacted]' },
      serializers: { err: pino.stdSerializers.err },
    },
    // Written at once: the default flushes at exit, and with the reader of the pipe gone it would try that for ever.
    pino.destination({ fd: 1, sync: true }),
  );

/** An error in one line, for a field of a wide log line or a record; control characters out, bounded. */
export const reasonOf = (error: unknown): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL and friends are what is taken out
  (error instanceof Error ? error.message || error.name : String(error)).replace(/[\u0000-\u001f]+/g, ' ').slice(0, 500);
