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

// On Linux the priority is per thread, so logins take only the CPU that the API leaves; elsewhere it is per process.
if (process.platform === 'linux') setPriority(0, 19);

parentPort!.on('message', ({ number, password, salt, memory, passes, parallelism, length }: Task) => {
  const hash = argon2Sync('argon2id', { message: password, nonce: salt, memory, passes, parallelism, tagLength: length });
  parentPort!.postMessage({ number, hash });
});
