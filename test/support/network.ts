import { Socket } from 'node:net';

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || host.startsWith('127.') || host.startsWith('::ffff:127.');

/** Every connection of this process passes here: one to another machine is refused and kept for the test to fail on. */
export function guardNetwork(): { strangers: string[]; release(): void } {
  const strangers: string[] = [];
  const prototype = Socket.prototype as unknown as { connect(this: Socket, ...args: unknown[]): Socket };
  const { connect } = prototype;
  prototype.connect = function guarded(...args) {
    const [first] = args.flat() as [unknown];
    const { host, path } = (typeof first === 'object' && first !== null ? first : { host: args.flat()[1] }) as Record<
      string,
      unknown
    >;
    const name = typeof host === 'string' ? host : 'localhost';
    if (path || isLoopback(name)) return connect.apply(this, args);
    strangers.push(name);
    process.nextTick(() => this.destroy(new Error(`The tests reach nobody but this machine: ${name}`)));
    return this;
  };
  return {
    strangers,
    release() {
      prototype.connect = connect;
    },
  };
}
