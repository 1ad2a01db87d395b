import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { inheritedEnvironment } from '../src/platform/config/config.ts';
import { compileCacheFolder } from '../src/platform/process/compile-cache.ts';

const root = join(import.meta.dirname, '..');
const key = () => randomBytes(32).toString('base64');

/** Nothing listens there: a process starts without its database and its queue, and says so. */
const nowhere = { DATABASE_URL: 'postgres://127.0.0.1:1/none', QUEUE_URL: 'redis://127.0.0.1:1' };

const processes = [
  { script: 'api/main.ts', started: 'listening' },
  { script: 'workers/main.ts', started: 'worker started' },
];

/** The cache is best filled by a whole start: functions that have run are compiled, the others are only found. */
export async function compile(): Promise<void> {
  await Promise.all(processes.map(startOnce));
  console.log('The code is compiled');
}

const startOnce = ({ script, started }: (typeof processes)[number]) =>
  new Promise<void>((resolve, reject) => {
    const env = {
      NODE_COMPILE_CACHE: compileCacheFolder,
      ...inheritedEnvironment(),
      ...nowhere,
      SECRET_KEY: key(),
      HASH_KEY: key(),
      HOST: '127.0.0.1',
      PORT: '0',
      HEALTH_PORT: '',
      LOG_LEVEL: 'info',
    };
    const child = spawn(process.execPath, [join(root, script)], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let written = '';
    child.stdout.on('data', (chunk) => {
      written += chunk;
      if (written.includes(started)) child.kill('SIGTERM');
    });
    child.on('error', reject);
    child.on('exit', (code) =>
      code === 0 && written.includes(started) ? resolve() : reject(new Error(`${script} did not start and stop:\n${written}`)),
    );
  });
