import { isIP, type Socket } from 'node:net';
import { buildConnector, errors } from 'undici';
import { ForbiddenAddress, type Lookup, LookupFailed, resolvePublic, systemLookup } from '../platform/network/address-guard.ts';
import { phaseClock } from './phase-clock.ts';

export type ConnectErrorClass = 'dns' | 'connect' | 'tls' | 'ssrf';

/** Has no `code`: on some codes undici retries by itself, without a sign of it. */
export class ConnectFailed extends Error {
  override name = 'ConnectFailed';
  readonly errorClass: ConnectErrorClass;

  constructor(errorClass: ConnectErrorClass, message: string, cause: unknown) {
    super(message, { cause });
    this.errorClass = errorClass;
  }
}

export interface VettedConnect {
  connectTimeoutMs: number;
  allowNetworks: string[];
  lookup?: Lookup;
}

/** Judges names inside the socket's own lookup, so none is looked up twice. Node skips it for IP literals: judged before. */
export function vettedConnector({
  connectTimeoutMs,
  allowNetworks,
  lookup = systemLookup,
}: VettedConnect): buildConnector.connector {
  const resolve = { allowNetworks, timeoutMs: connectTimeoutMs, lookup: sharing(lookup) };
  const connect = buildConnector({
    allowH2: false,
    timeout: connectTimeoutMs,
    // With this on, Node asks for all addresses and tries them in turn.
    autoSelectFamily: true,
    // Node's 250 ms would give up on far receivers.
    autoSelectFamilyAttemptTimeout: 1_000,
    lookup: (hostname, _options, done) => {
      const clock = phaseClock();
      clock?.enter('dns');
      resolvePublic(hostname, resolve).then(
        (addresses) => {
          clock?.enter('connect');
          done(null, addresses);
        },
        (error) => done(error, []),
      );
    },
  });

  return async (options, callback) => {
    const clock = phaseClock();
    try {
      if (isIP(options.hostname)) {
        clock?.enter('connect');
        await resolvePublic(options.hostname, resolve);
      }
    } catch (error) {
      return callback(connectFailed(error, options.protocol, connectTimeoutMs), null);
    }
    const connecting: unknown = connect(options, (...[error, socket]) => {
      if (error) return callback(connectFailed(error, options.protocol, connectTimeoutMs), null);
      clock?.enter('response');
      callback(null, socket);
    });
    if (options.protocol === 'https:') (connecting as Socket).once('connect', () => clock?.enter('tls'));
  };
}

/** One lookup in flight per name: a dead name would hold all of the resolver's few threads. */
function sharing(lookup: Lookup): Lookup {
  const inFlight = new Map<string, ReturnType<Lookup>>();
  return (hostname) => {
    const running = inFlight.get(hostname);
    if (running) return running;
    const started = lookup(hostname).finally(() => inFlight.delete(hostname));
    inFlight.set(hostname, started);
    return started;
  };
}

function connectFailed(error: unknown, protocol: string, connectTimeoutMs: number): ConnectFailed {
  if (error instanceof ForbiddenAddress) return new ConnectFailed('ssrf', error.message, error);
  if (error instanceof LookupFailed) return new ConnectFailed('dns', error.message, error);
  if (error instanceof errors.ConnectTimeoutError) {
    return new ConnectFailed('connect', `no connection within ${connectTimeoutMs} ms`, error);
  }
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  const reason = code ?? message;
  // Several addresses that all refused are one AggregateError, without a syscall or text.
  const isTcp = syscall === 'connect' || (error as AggregateError).errors !== undefined || protocol !== 'https:';
  if (isTcp) return new ConnectFailed('connect', `no connection: ${reason}`, error);
  return new ConnectFailed('tls', `TLS handshake failed: ${reason}`, error);
}
