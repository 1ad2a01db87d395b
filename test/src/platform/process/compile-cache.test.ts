import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { cleanEnvironment, command, root } from '../../../cli/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'kanal-compiled-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(root, 'src/platform/process/compile-cache.ts');

/** What a process says that keeps its compiled code there. */
async function keepingIn(place: string): Promise<string> {
  const script = `
    import { getCompileCacheDir } from 'node:module';
    import { keepCompiledCode } from '${file}';
    keepCompiledCode('${place}');
    console.log(getCompileCacheDir() ?? 'nowhere');`;
  const run = promisify(execFile);
  const env = cleanEnvironment();
  delete env.NODE_COMPILE_CACHE;
  return (await run(process.execPath, ['--input-type=module', '-e', script], { env })).stdout.trim();
}

test('compiled code is kept where a process may write', async () => {
  expect(await keepingIn(folder)).toContain(folder);
});

test('a folder that cannot be made stops no start', async () => {
  expect(await keepingIn(`${file}/below-a-file`)).toBe('nowhere');
});

test('`kanal compile` fills it with the code of a start, without a database or a queue', async () => {
  const cache = join(folder, 'of-a-start');
  expect(await command(['compile'], { NODE_COMPILE_CACHE: cache })).toEqual({
    code: 0,
    stdout: 'The code is compiled\n',
    stderr: '',
  });
  expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(1_000);
});
