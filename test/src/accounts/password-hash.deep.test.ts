import { argon2Sync } from 'node:crypto';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from '@jest/globals';
import { createPasswords, type Passwords } from '../../../src/accounts/password-hash.ts';

const opened: Passwords[] = [];
const passwordsOf = (options: { idleMs?: number; maxThreads?: number } = {}) => {
  const passwords = createPasswords({ maxThreads: 2, ...options });
  opened.push(passwords);
  return passwords;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((passwords) => passwords.close()));
});

/** Every thread that is given work meanwhile. */
async function threadsOf(work: (soFar: Set<Worker>) => Promise<unknown>): Promise<Set<Worker>> {
  const threads = new Set<Worker>();
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (...message) {
    threads.add(this);
    return postMessage.apply(this, message);
  };
  try {
    await work(threads);
  } finally {
    Worker.prototype.postMessage = postMessage;
  }
  return threads;
}
const allExited = (threads: Set<Worker>) =>
  Promise.all([...threads].map((thread) => thread.threadId === -1 || once(thread, 'exit')));

/** A stored hash as another program writes it, with costs of its own. */
function phc(password: string, { memory = 1_024, passes = 1, parallelism = 1, tagLength = 24 } = {}) {
  const nonce = Buffer.from('a salt of 16 byt');
  const tag = argon2Sync('argon2id', { message: password, nonce, memory, passes, parallelism, tagLength });
  const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(nonce)}$${base64(tag)}`;
}

test('a hash says its costs and salt, by which anybody computes it again', async () => {
  const passwords = passwordsOf();
  const [stored, other] = await Promise.all([passwords.hash('pässword 🔑'), passwords.hash('pässword 🔑')]);
  const [, memory, passes, parallelism, salt, hash] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/.exec(stored)!;
  expect([memory, passes, parallelism]).toEqual(['19456', '2', '1']);
  const again = argon2Sync('argon2id', {
    message: 'pässword 🔑',
    nonce: Buffer.from(salt!, 'base64'),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: 32,
  });
  expect(again.toString('base64').replace(/=+$/, '')).toBe(hash);
  expect(other).not.toBe(stored);
});

test('one of other costs and lengths is still verified, and no other password', async () => {
  const passwords = passwordsOf();
  for (const stored of [phc('secret word'), phc('secret word', { memory: 2_048, passes: 3, parallelism: 2, tagLength: 64 })]) {
    expect(await passwords.verify(stored, 'secret word')).toBe(true);
    for (const wrong of ['secret worD', 'secret word ', ' secret word', ''])
      expect([wrong, await passwords.verify(stored, wrong)]).toEqual([wrong, false]);
  }
});

test('without a stored hash the same work is done, and the answer is no', async () => {
  const passwords = passwordsOf();
  for (const stored of [null, undefined, '']) expect(await passwords.verify(stored, 'secret word')).toBe(false);
  expect(passwords.count()).toBe(3);
});

test('what is no hash, or one that cannot be computed, is an error and no password', async () => {
  const passwords = passwordsOf();
  for (const stored of ['plain', '$2b$10$abcdefghijklmnopqrstuv', '$argon2i$v=19$m=1024,t=1,p=1$c2FsdHNhbHRzYWx0$AAAA'])
    await expect(passwords.verify(stored, 'plain')).rejects.toThrow('not an argon2id hash');
  await expect(passwords.verify('$argon2id$v=19$m=1,t=1,p=1$c2FsdHNhbHRzYWx0$AAAAAAAA', 'x')).rejects.toThrow();
  expect(await passwords.verify(phc('secret word'), 'secret word')).toBe(true);
});

test('a storm runs in two threads, and the event loop goes on', async () => {
  const passwords = passwordsOf();
  await passwords.hash('warm');
  let [ended, turns] = [0, 0];
  const threads = await threadsOf(async () => {
    const all = Array.from({ length: 20 }, (_, n) => passwords.hash(`password ${n}`).then(() => (ended += 1)));
    for (; ended < all.length; turns += 1) await new Promise(setImmediate);
  });
  expect(threads.size).toBe(2);
  // On the event loop itself a hash would hold up each turn.
  expect(turns).toBeGreaterThan(200);
});

test('never more than two by itself, and none of the cores there are is left to them alone', async () => {
  const passwords = createPasswords();
  opened.push(passwords);
  const threads = await threadsOf(() => Promise.all(Array.from({ length: 6 }, (_, n) => passwords.hash(`password ${n}`))));
  expect(threads.size).toBe(availableParallelism() > 2 ? 2 : 1);
});

test('beyond 100 in the queue a hash is refused at once, and closing refuses those that wait', async () => {
  const passwords = passwordsOf();
  const all = Array.from({ length: 105 }, (_, n) => passwords.hash(`password ${n}`));
  const settled = Promise.allSettled(all);
  const refusedAtOnce = await Promise.allSettled(all.slice(102));
  expect(refusedAtOnce).toEqual(
    [1, 2, 3].map(() => ({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'unavailable', status: 503, retryAfterSeconds: 1 }),
    })),
  );
  expect(passwords.count()).toBe(2);
  await passwords.close();
  const reasons = (await settled).slice(2, 102).map((one) => (one.status === 'rejected' ? one.reason.code : one.status));
  expect(new Set(reasons)).toEqual(new Set(['unavailable']));
  await expect(passwords.hash('later')).rejects.toMatchObject({ code: 'unavailable' });
});

test('threads end when they have had nothing to do, and what comes just then is still done', async () => {
  const passwords = passwordsOf({ idleMs: 0 });
  const stored = phc('secret word');
  const threads = await threadsOf(async (soFar) => {
    for (let round = 0; round < 8 || soFar.size <= 2; round += 1) {
      await Promise.all([1, 2].map(() => passwords.verify(stored, 'secret word')));
      // Both are at their end, and neither is gone.
      for (let turn = 0; turn < round; turn += 1) await new Promise(setImmediate);
    }
  });
  expect(threads.size).toBeGreaterThan(2);
  await allExited(threads);
  expect(await passwords.verify(stored, 'secret word')).toBe(true);
});

test('closing ends the threads', async () => {
  const passwords = passwordsOf();
  const threads = await threadsOf(() => Promise.all([passwords.hash('one'), passwords.hash('two')]));
  await passwords.close();
  expect([...threads].map(({ threadId }) => threadId)).toEqual([-1, -1]);
});
