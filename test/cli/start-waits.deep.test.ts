import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { waitFor } from '../support/wait-for.ts';
import { limitMs, startIn, startWith } from './started.ts';

const home = mkdtempSync(join(tmpdir(), 'kanal-waits-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

test(
  'a Redis that cannot be reached is named, without its password, and waited for',
  async () => {
    // Port 6 is nobody's.
    const started = startWith({ QUEUE_URL: 'redis://name:secret@127.0.0.1:6' }, home);
    await waitFor(
      'the start to say what it waits for',
      () => started.output().includes('waiting for Redis at 127.0.0.1:6 (QUEUE_URL)\n'),
      limitMs,
    );
    expect(started.output()).not.toContain('secret');
    started.child.kill('SIGINT');
    expect(await started.ended).toEqual({ code: 0, signal: null });
  },
  limitMs,
);

test(
  'a directory that cannot be written is named with the setting that chooses it',
  async () => {
    const file = join(home, 'a-file');
    writeFileSync(file, '');
    const started = startIn(join(file, 'home'));
    expect(await started.ended).toEqual({ code: 1, signal: null });
    expect(started.output()).toBe(`${file}/home cannot be written (ENOTDIR): set KANAL_HOME to a directory of yours\n`);
  },
  limitMs,
);
