import { argon2Sync } from 'node:crypto';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';

export type Task = {
  number: number;
  password: string;
  salt: Uint8Array;
  memory: number;
  passes: number;
  parallelism: number;
  length: number;
};

// On Linux the priority is per thread, so logins take little of the CPU that the API needs; elsewhere it is per process. Not the lowest: beside four
// processes that are always busy a login took up to 21 s at 19, and takes 4 s at 10.
if (process.platform === 'linux') setPriority(0, 10);

parentPort!.on('message', ({ number, password, salt, memory, passes, parallelism, length }: Task) => {
  const hash = argon2Sync('argon2id', { message: password, nonce: salt, memory, passes, parallelism, tagLength: length });
  parentPort!.postMessage({ number, hash });
});
