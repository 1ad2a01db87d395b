import { randomBytes, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { AppError } from '../platform/errors.ts';
import type { Task } from './password-hash-thread.ts';

export type Passwords = {
  /** argon2id in the PHC string format: `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. */
  hash(password: string): Promise<string>;
  /** Without a stored hash it does the same work and returns false. */
  verify(stored: string | null | undefined, password: string): Promise<boolean>;
  count(): number;
  close(): Promise<void>;
};

type Cost = Pick<Task, 'memory' | 'passes' | 'parallelism'>;

/** OWASP's minimum for argon2id: 19 MiB, 2 passes. Each hash contains its cost, so this can be raised later. */
const cost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };
const hashBytes = 32;
/** Leaves one core to the event loop and the database. */
const defaultThreads = Math.max(1, Math.min(2, availableParallelism() - 1));
/** With more than this, a login would wait for seconds. */
const maxWaiting = 100;

type Waiting = { task: Omit<Task, 'number'>; resolve(hash: Buffer): void; reject(error: unknown): void };

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');

const closed = () => new AppError('unavailable', 'The process is stopping; try again', { retryAfterSeconds: 1 });

/** Hashes in at most `maxThreads` threads of a low priority, which end after `idleMs` without work. */
export function createPasswords({ idleMs = 10_000, maxThreads = defaultThreads } = {}): Passwords {
  const waiting: Waiting[] = [];
  const running = new Map<Worker, Waiting>();
  const threads = new Set<Worker>();
  let [idle, count, isClosed]: [Worker[], number, boolean] = [[], 0, false];

  function start(): Worker {
    const thread = new Worker(new URL('./password-hash-thread.ts', import.meta.url));
    thread.unref();
    threads.add(thread);
    thread.once('exit', () => {
      threads.delete(thread);
      idle = idle.filter((one) => one !== thread);
      clearTimeout(rests.get(thread));
      rests.delete(thread);
      running.get(thread)?.reject(closed());
      running.delete(thread);
      // For work that arrived while the thread was ending.
      next();
    });
    return thread;
  }

  function next() {
    const job = waiting[0];
    if (!job) return;
    const thread = idle.pop() ?? (threads.size < maxThreads ? start() : undefined);
    if (!thread) return;
    waiting.shift();
    run(thread, job);
  }

  function run(thread: Worker, job: Waiting) {
    const { task, resolve, reject } = job;
    const settle = (after: () => void) => {
      thread.removeAllListeners('message').removeAllListeners('error');
      running.delete(thread);
      after();
      next();
    };
    running.set(thread, job);
    thread.ref();
    thread.once('message', ({ hash }: { hash: Uint8Array }) =>
      settle(() => {
        thread.unref();
        idle.push(thread);
        restLater(thread);
        resolve(Buffer.from(hash));
      }),
    );
    thread.once('error', (error) => settle(() => reject(error)));
    count += 1;
    thread.postMessage({ number: count, ...task });
  }

  const rests = new Map<Worker, NodeJS.Timeout>();
  function restLater(thread: Worker) {
    clearTimeout(rests.get(thread));
    const timer = setTimeout(() => {
      if (!idle.includes(thread)) return restLater(thread);
      idle = idle.filter((one) => one !== thread);
      rests.delete(thread);
      void thread.terminate();
    }, idleMs);
    rests.set(thread, timer.unref());
  }

  const derive = (task: Omit<Task, 'number'>) =>
    new Promise<Buffer>((resolve, reject) => {
      if (isClosed) return reject(closed());
      if (waiting.length >= maxWaiting)
        return reject(new AppError('unavailable', 'Too many logins at once; try again', { retryAfterSeconds: 1 }));
      waiting.push({ task, resolve, reject });
      next();
    });

  return {
    async hash(password) {
      const salt = randomBytes(16);
      const hash = await derive({ password, salt, ...cost, length: hashBytes });
      return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${base64(salt)}$${base64(hash)}`;
    },
    async verify(stored, password) {
      const known = stored ? parse(stored) : undefined;
      const expected = known?.hash ?? Buffer.alloc(hashBytes);
      const hash = await derive({
        password,
        salt: known?.salt ?? randomBytes(16),
        ...(known?.cost ?? cost),
        length: expected.length,
      });
      return timingSafeEqual(hash, expected) && known !== undefined;
    },
    count: () => count,
    async close() {
      isClosed = true;
      for (const job of waiting.splice(0)) job.reject(closed());
      await Promise.all([...threads].map((thread) => thread.terminate()));
    },
  };
}

function parse(stored: string) {
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(stored);
  if (!parts) throw new Error('A stored password is not an argon2id hash');
  const [memory, passes, parallelism] = parts.slice(1, 4).map(Number);
  return {
    cost: { memory: memory!, passes: passes!, parallelism: parallelism! },
    salt: Buffer.from(parts[4]!, 'base64'),
    hash: Buffer.from(parts[5]!, 'base64'),
  };
}
