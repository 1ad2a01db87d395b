import { type AddressInfo, createServer, type Socket } from 'node:net';

export type HostileReceiver = {
  url: string;
  /** Bytes that the system has taken. */
  written(): number;
  connections(): number;
  close(): Promise<void>;
};

/** Answers every request with what it is told, on a bare socket. */
export async function startHostileReceiver(answer: (socket: Socket) => void): Promise<HostileReceiver> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined).on('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    written: () => sockets.reduce((sum, { bytesWritten, writableLength }) => sum + bytesWritten - writableLength, 0),
    connections: () => sockets.length,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const floodBytes = 100 * 1024 * 1024;

/** 100 MB, as fast as they are read. */
export function flood(socket: Socket, piece: string) {
  const chunk = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
  let left = floodBytes;
  const write = () => {
    while (!socket.destroyed && left > 0) {
      left -= chunk.length;
      if (!socket.write(chunk)) return;
    }
  };
  socket.on('drain', write);
  write();
}

/** Without an end, every 10 ms. */
export function drip(socket: Socket, piece: string) {
  const timer = setInterval(() => socket.write(piece), 10);
  socket.on('close', () => clearInterval(timer));
}
