import { existsSync, globSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { configSchema, readConfig } from '../../src/platform/config/config.ts';
import { compileCacheFolder } from '../../src/platform/process/compile-cache.ts';
import { testHashKey, testSecretKey } from '../support/secrets.ts';
import { compose, dockerStages, finalStage, interpolated, procfile, root, type Service, textOf } from './files.ts';

const { services } = compose;
const own = Object.entries(services).filter(([, { image }]) => image === 'kanal');
const product = own.filter(([name]) => name !== 'sandbox');
const given = {
  POSTGRES_PASSWORD: 'letters1',
  SECRET_KEY: testSecretKey,
  HASH_KEY: testHashKey,
  PUBLIC_URL: 'https://kanal.example',
};
const environmentOf = ({ environment = {} }: Service, set: Record<string, string> = given) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, interpolated(value, set)]));
const seconds = (text = '') => Number(text.replace(/m$/, '') === text ? text.replace('s', '') : Number(text.slice(0, -1)) * 60);
const imageCommand = JSON.parse(finalStage.findLast(({ name }) => name === 'CMD')!.rest) as string[];

describe('variables', () => {
  test('every one the processes are given is one they read', () => {
    const known = Object.keys((configSchema.describe() as { keys: object }).keys);
    expect(product.map(([name]) => name)).toEqual(['release', 'web', 'worker']);
    for (const [, service] of product) expect(known).toEqual(expect.arrayContaining(Object.keys(environmentOf(service))));
    const sandboxReads = [...textOf('sandbox/main.ts').matchAll(/env\.(\w+)/g)].map(([, name]) => name);
    expect(sandboxReads).toEqual(expect.arrayContaining(Object.keys(environmentOf(services.sandbox!))));
    const inDockerfile = [...textOf('Dockerfile').matchAll(/process\.env\.(\w+)/g)].map(([, name]) => name);
    expect(inDockerfile).not.toEqual([]);
    expect(known).toEqual(expect.arrayContaining(inDockerfile));
  });

  test('with the two required ones the configuration is valid, and on Redis', () => {
    for (const [, service] of product) expect(readConfig(environmentOf(service)).queueUrl).toBe('redis://redis:6379');
  });

  test('secrets come from outside and have no default', () => {
    for (const name of Object.keys(given)) {
      const without = Object.fromEntries(Object.entries(given).filter(([other]) => other !== name));
      expect(() => environmentOf(services.web!, without)).toThrow(name);
    }
    const text = ['Dockerfile', 'docker-compose.yml'].map(textOf).join('\n');
    for (const [, name, , value] of text.matchAll(/\$\{(\w*(?:SECRET|PASSWORD|TOKEN|KEY)\w*):([-?])([^}]*)\}/g))
      if (value && !value.startsWith('set ')) throw new Error(`${name} has a default`);
    expect(textOf('Dockerfile')).not.toMatch(/^(ENV|ARG) .*(SECRET|PASSWORD|TOKEN|KEY)/m);
  });
});

describe('commands', () => {
  test('each names a file that is there, and compose, image and Procfile agree', () => {
    const commandOf = (name: string) => (services[name]!.command ?? imageCommand).join(' ');
    expect({ web: commandOf('web'), worker: commandOf('worker'), release: commandOf('release') }).toEqual(procfile);
    for (const [name] of own) expect([name, existsSync(join(root, commandOf(name).split(' ')[1]!))]).toEqual([name, true]);
  });

  test('migrations are over before anything serves', () => {
    expect(services.release!.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    for (const name of ['web', 'worker'])
      expect(services[name]!.depends_on).toMatchObject({
        release: { condition: 'service_completed_successfully' },
        redis: { condition: 'service_healthy' },
      });
  });

  test('a stop may take as long as the processes give themselves', () => {
    for (const [name, service] of product) {
      const { shutdownTimeoutMs } = readConfig(environmentOf(service));
      expect([name, seconds(service.stop_grace_period) * 1_000 > shutdownTimeoutMs + 5_000]).toEqual([name, true]);
    }
  });
});

describe('shape', () => {
  test('two workers; web and workers are asked for their health; the sandbox only on request', () => {
    expect(services.worker!.deploy!.replicas).toBe(2);
    for (const name of ['web', 'worker']) expect(services[name]!.healthcheck?.disable).toBeUndefined();
    expect(readConfig(environmentOf(services.worker!)).healthPort).toBeGreaterThan(0);
    expect(finalStage.some(({ name, rest }) => name === 'HEALTHCHECK' && rest.includes('/healthz'))).toBe(true);
    expect(Object.entries(services).flatMap(([name, { profiles }]) => (profiles ? [[name, profiles]] : []))).toEqual([
      ['sandbox', ['sandbox']],
    ]);
  });

  test('what must survive has a volume, Redis keeps everything, PostgreSQL is new enough', () => {
    expect(services.redis!.command!.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
    expect(Number(services.postgres!.image.split(':')[1])).toBeGreaterThanOrEqual(18);
    // The image of 18 and later keeps its data in a folder a version below this one.
    expect(services.postgres!.volumes).toEqual(['postgres:/var/lib/postgresql']);
    expect(services.redis!.volumes).toEqual(['redis:/data']);
    const used = Object.values(services).flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0]));
    expect(new Set(used)).toEqual(new Set(Object.keys(compose.volumes)));
  });

  test('the image: the pinned Node, no root, no development packages, no litter', () => {
    const { devDependencies } = JSON.parse(textOf('package.json'));
    for (const stage of dockerStages) expect(stage[0]!.rest).toMatch(new RegExp(`^node:${devDependencies.node}-slim\\b`));
    expect(finalStage.findLast(({ name }) => name === 'USER')!.rest).toBe('node');
    const runs = dockerStages.flat().filter(({ name }) => name === 'RUN');
    for (const { rest } of runs.filter((run) => run.rest.includes('npm '))) expect(rest).toContain('npm ci --omit=dev');
    expect(finalStage.filter(({ name }) => name === 'RUN').map(({ rest }) => rest)).not.toContainEqual(
      expect.stringContaining('npm'),
    );
    const ignored = textOf('.dockerignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['.git', '.kanal', '.env*', 'node_modules', 'test', 'bench', 'docs']));
  });

  test('its code is compiled by the user who runs it, with the same options: Node keeps a folder of compiled code for each', () => {
    const compiled = dockerStages.find((stage) => stage.some(({ rest }) => rest.includes('cli/main.ts compile')))!;
    const of = (stage: typeof finalStage, name: string) => stage.filter((one) => one.name === name).map(({ rest }) => rest);
    // What the install has made in the cache is not that user's, who may not change its mode.
    const folders = [/chown node:node (\S+)/, /chmod -R a\+rX (\S+)/].map(
      (change) => change.exec(of(compiled, 'RUN').join('\n'))![1],
    );
    expect(new Set(folders)).toEqual(new Set([relative(root, compileCacheFolder)]));
    for (const name of ['ENV', 'USER', 'WORKDIR']) expect([name, of(compiled, name)]).toEqual([name, of(finalStage, name)]);
    expect(of(finalStage, 'COPY').at(-1)).toBe('--from=compiled /app/node_modules/.cache ./node_modules/.cache');
    expect(compileCacheFolder).toBe(join(root, 'node_modules/.cache/kanal'));
  });

  test('what production runs imports no development package', () => {
    const { dependencies } = JSON.parse(textOf('package.json'));
    const files = globSync('{api,workers,src,sandbox}/**/*.ts', { cwd: root }).concat(globSync('cli/*.ts', { cwd: root }));
    const nameOf = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
    const imported = files.flatMap((file) =>
      [...textOf(file).matchAll(/^import (?!type )(?:[^;]*? from )?'([^'.][^']*)'/gm)].map(([, name]) => nameOf(name!)),
    );
    const packages = new Set(imported.filter((name) => !isBuiltin(name)));
    expect(packages.size).toBeGreaterThan(10);
    expect([...packages].filter((name) => !(name in dependencies))).toEqual([]);
  });
});
