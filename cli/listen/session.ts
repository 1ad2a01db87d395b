import { innermost } from '../failure.ts';
import type { Api } from './api.ts';
import { createDeliveries } from './deliveries.ts';
import { type Registered, register, removeEndpoint, removeLeftovers } from './endpoint.ts';
import { watchKeys } from './keys.ts';
import { checkArrival, explained } from './reach.ts';
import { startReceiver } from './receiver.ts';
import type { Told } from './report.ts';
import { type Stop, whenAborted } from './stop.ts';
import type { Target } from './target.ts';

export type Session = {
  stop: Stop;
  api: Api;
  target: Target;
  port: number;
  publicUrl?: string;
  /** Undefined: all. */
  events?: string[];
  forwardTo?: URL;
  timeoutMs: number;
  tell(told: Told): void;
  say(line: string): void;
};

const graceMs = 2_000;
const help = 'Keys: r sends the last event again, q ends, ? shows this';

/** An endpoint for as long as it lasts: until `stop`. */
export async function hold(session: Session) {
  const { stop, api, target, port, publicUrl, events, say } = session;
  const registered = Promise.withResolvers<Registered>();
  const deliveries = createDeliveries({ ...session, registered: registered.promise });
  const receiver = await startReceiver(port, deliveries.handle);
  const url = publicUrl ?? `http://127.0.0.1:${receiver.port}/`;
  let made: string | undefined;
  try {
    const left = await removeLeftovers(api);
    if (left > 0) say(`Removed the endpoints that killed runs have left: ${left}`);
    const endpoint = await register(api, url, events).catch((error): never => {
      throw explained(error, target, url);
    });
    made = endpoint.id;
    registered.resolve(endpoint);
    say(beginning(session, endpoint, url));
    const endKeys = keysOf();
    void checkArrival(api, made, deliveries.tested, url).then((line) => {
      deliveries.showTests();
      if (!stop.signal.aborted) say(line);
    });
    await whenAborted(stop.signal);
    endKeys();
  } finally {
    if (made) await leave(made);
    await receiver.close(graceMs);
  }

  function keysOf() {
    const { stdin } = process;
    if (stdin.isTTY) say(help);
    const resend = () => void deliveries.replayLast().catch((error) => say(`Not sent again: ${innermost(error)}`));
    return watchKeys(stdin, { r: resend, q: stop.ask, '?': () => say(help) }, stop.ask);
  }

  async function leave(id: string) {
    const { events: count, unverified } = deliveries.counts;
    try {
      await removeEndpoint(api, id);
      say(`\nRemoved the endpoint. Events: ${count}, not verified: ${unverified}`);
    } catch (error) {
      console.error(`\nThe endpoint ${id} is still there, and the next start here removes it: ${innermost(error)}`);
      process.exitCode = 1;
    }
  }
}

const beginning = ({ target, events, forwardTo }: Session, { id, secret }: Registered, url: string) => `
Kanal at ${target.url} sends ${events?.join(', ') ?? 'every event'} here

  Endpoint     ${id}, removed when this ends
  Address      ${url}
  Secret       ${secret}
  Forwards to  ${forwardTo?.href ?? 'nothing: --forward-to <url> passes deliveries on to your server'}
`;
