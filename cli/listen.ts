import { portArgument, secondsArgument, wordsArgument } from './arguments.ts';
import { failureText } from './failure.ts';
import { apiOf } from './listen/api.ts';
import { assertReachable } from './listen/reach.ts';
import { reportOf } from './listen/report.ts';
import { hold } from './listen/session.ts';
import { createStop, type Stop } from './listen/stop.ts';
import { forwardUrl, httpUrl, targetOf } from './listen/target.ts';

export type ListenOptions = {
  url?: string;
  apiKey?: string;
  events?: string;
  forwardTo?: string;
  timeout: string;
  publicUrl?: string;
  port?: string;
  json?: boolean;
  body?: boolean;
};

/** Receives the webhooks of an organization on this machine, until Ctrl-C. */
export async function listen(options: ListenOptions) {
  const stop = createStop();
  try {
    await listenUntil(stop, options);
  } catch (error) {
    // What a stop has interrupted is no fault.
    if (!stop.signal.aborted) {
      console.error(failureText(error));
      process.exitCode = 1;
    }
  }
  // Connections that are kept open would hold the process for seconds.
  process.exit();
}

async function listenUntil(stop: Stop, options: ListenOptions) {
  const { publicUrl, port = '0', events, forwardTo, timeout, json } = options;
  const asked = {
    port: portArgument(port),
    timeoutMs: secondsArgument(timeout) * 1000,
    ...(publicUrl !== undefined && { publicUrl: httpUrl(publicUrl, '--public-url').href }),
    ...(events !== undefined && { events: wordsArgument(events, 'event type') }),
    ...(forwardTo !== undefined && { forwardTo: forwardUrl(forwardTo) }),
  };
  if (publicUrl !== undefined && asked.port === 0)
    throw new Error('--public-url needs --port as well: the port on this machine that it leads to');
  const target = await targetOf(options, stop.signal);
  assertReachable(target, publicUrl);
  await hold({
    ...asked,
    stop,
    target,
    api: apiOf(target),
    tell: (told) => console.log(reportOf(told, options)),
    // With --json standard output is for programs.
    say: (line) => (json ? console.error(line) : console.log(line)),
  });
}
