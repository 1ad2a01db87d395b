import { Socket } from 'node:net';

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || host.startsWith('127.') || host.startsWith('::ffff:127.');

type Connect = (this: Socket, ...args: unknown[]) => Socket;
type Guarded = Connect & { unguarded?: Connect };

/** Every connection of this process passes here: one to another machine is refused and kept for the test to fail on. */
export function guardNetwork(): { strangers: string[]; release(): void } {
  const strangers: string[] = [];
  const prototype = Socket.prototype as unknown as { connect: Connect };
  const { connect } = prototype;
  const guarded: Guarded = function (this: Socket, ...args) {
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
  // Two guards of one file are released in the order they were set: each goes back to the connect that none has guarded.
  guarded.unguarded = (connect as Guarded).unguarded ?? connect;
  prototype.connect = guarded;
  return {
    strangers,
    release() {
      prototype.connect = guarded.unguarded!;
    },
  };
}
