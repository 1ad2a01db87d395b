import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { createLog } from '../../../src/platform/log.ts';
import { createLogOutput } from '../../../src/platform/log-output.ts';
import { maxWaitMs } from '../../support/wait-for.ts';

function written(say: (log: ReturnType<typeof createLog>) => void) {
  let text = '';
  const output = createLogOutput((bytes, offset) => {
    text += bytes.subarray(offset).toString();
    return bytes.length - offset;
  });
  say(createLog('info', 'test', output));
  output.flushSync();
  return text;
}

describe('what is secret', () => {
  test('keys, tokens and phones are cut out of a line, at both levels; the line itself is left as it was', () => {
    const line = { access_token: 'tok-1', headers: { authorization: 'Bearer tok-2', host: 'h' }, phone: '+1', kept: 1 };
    const text = written((log) => log.info(line, 'said'));
    expect(JSON.parse(text)).toMatchObject({
      access_token: '[redacted]',
      headers: { authorization: '[redacted]', host: 'h' },
      phone: '[redacted]',
      kept: 1,
      msg: 'said',
    });
    expect(line.access_token).toBe('tok-1');
  });

  test.each([
    ...['authorization', 'x-api-key', 'cookie', 'set-cookie', 'access_token', 'accessToken', 'password', 'current_password'],
    ...['new_password', 'secret', 'token', 'phone', 'to', 'body'],
  ])('%s is never said', (name) => {
    const text = written((log) => log.info({ [name]: 'value-1', request: { [name]: 'value-2' } }, 'said'));
    expect(text).not.toMatch(/value-[12]/);
  });

  test('an error says what it is, and nothing of what it was given', () => {
    const login = Object.assign(new Error('WRONGPASS'), {
      code: 'WRONGPASS',
      command: { name: 'hello', args: ['3', 'AUTH', 'pw-1'] },
    });
    const taken = Object.assign(new Error('duplicate key'), {
      code: '23505',
      constraint: 'one',
      detail: 'Key (value)=(+6281) exists',
    });
    const text = written((log) => {
      log.warn({ err: login }, 'queue away');
      log.error({ err: taken }, 'taken');
    });
    expect(text).not.toMatch(/pw-1|6281/);
    const [first, second] = text
      .trim()
      .split('\n')
      .map((one) => JSON.parse(one));
    expect(first.err).toMatchObject({ type: 'Error', message: 'WRONGPASS', code: 'WRONGPASS' });
    expect(second.err).toMatchObject({ code: '23505', constraint: 'one' });
  });
});

describe('the output', () => {
  test('lines are written together, in order, at the latest when asked', () => {
    const writes: string[] = [];
    const output = createLogOutput((bytes, offset) => writes.push(bytes.subarray(offset).toString()) && bytes.length - offset);
    output.write('a\n');
    output.write('b\n');
    expect(writes).toEqual([]);
    output.flushSync();
    expect(writes).toEqual(['a\nb\n']);
  });

  test('a part that was taken is not written again', () => {
    let text = '';
    const output = createLogOutput((bytes, offset) => {
      text += bytes.subarray(offset, offset + 3).toString();
      return Math.min(3, bytes.length - offset);
    });
    output.write('0123456789');
    output.flushSync();
    expect(text).toBe('0123456789');
  });

  test('a full pipe nobody empties is given up, and tried again with the next lines', () => {
    let [isFull, text] = [true, ''];
    const output = createLogOutput((bytes, offset) => {
      if (isFull) throw Object.assign(new Error('full'), { code: 'EAGAIN' });
      text += bytes.subarray(offset).toString();
      return bytes.length - offset;
    });
    output.write('lost\n');
    output.flushSync();
    isFull = false;
    output.write('kept\n');
    output.flushSync();
    expect(text).toBe('kept\n');
  });

  test.each(['exit', 'crash'])('a process that ends (%s) has written its last line', async (end) => {
    const { text, code } = await child(end, true);
    expect(text).toMatch(/"msg":"last"/);
    expect(code).toBe(end === 'exit' ? 3 : 1);
  });

  test('with its reader gone a process ends all the same, after a fatal line too', async () => {
    expect((await child('fatal', false)).code).toBe(3);
  });
});

/** A process that logs through a pipe and ends at once. */
async function child(end: string, isRead: boolean): Promise<{ text: string; code: number | null }> {
  const code = `
    import { createLog } from './src/platform/log.ts';
    const log = createLog('info', 'child');
    process.stdin.once('data', () => {
      log[${JSON.stringify(end)} === 'fatal' ? 'fatal' : 'info']('last');
      if (${JSON.stringify(end)} === 'crash') throw new Error('crash');
      process.exit(3);
    });
    log.info('first');`;
  const process_ = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['pipe', 'pipe', 'ignore'] });
  let text = '';
  process_.stdout.on('data', (bytes) => {
    text += bytes;
  });
  await once(process_.stdout, 'data', { signal: AbortSignal.timeout(maxWaitMs) });
  if (!isRead) process_.stdout.destroy();
  process_.stdin.end('go');
  const [exitCode] = await once(process_, 'exit', { signal: AbortSignal.timeout(maxWaitMs) });
  return { text, code: exitCode };
}
