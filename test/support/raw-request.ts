import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A request as bytes on a connection of its own, for clients that send or read as no library does. */
export type RawRequest = {
  socket: Socket;
  /** Of what has come back: 0 before it has a status. */
  status(): number;
  isClosed(): boolean;
};

export async function rawRequest(base: string, lines: string[], body: string | Buffer = ''): Promise<RawRequest> {
  const { hostname, port } = new URL(base);
  const socket = connect(Number(port), hostname);
  let head = '';
  let isClosed = false;
  socket.on('data', (bytes: Buffer) => {
    if (head.length < 100) head += bytes.toString('latin1', 0, 100);
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isClosed = true;
  });
  await once(socket, 'connect');
  socket.write(`${lines.join('\r\n')}\r\nHost: test\r\n\r\n`);
  if (body.length > 0) socket.write(body);
  return { socket, status: () => Number(head.slice(9, 12)), isClosed: () => isClosed };
}
