import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import Joi from 'joi';
import { jobs } from '../src/jobs.ts';
import { handlers } from '../workers/index.ts';
import { circlesOf, domainsOf } from './support/circles.ts';
import { definitions } from './support/contract.ts';
import { crowdedIn } from './support/crowded-sql.ts';
import { splicedIn } from './support/spliced-sql.ts';
import { unboundedIn } from './support/unbounded.ts';

const root = join(import.meta.dirname, '..');
const filesIn = (...patterns: string[]) => globSync(patterns, { cwd: root }).sort();
const product = filesIn('{api,src,workers,cli,sandbox}/**/*.ts');
const tests = filesIn('test/**/*.ts');
const text = new Map(
  [...product, ...tests, ...filesIn('bench/**/*.ts')].map((file) => [file, readFileSync(join(root, file), 'utf8')]),
);
const having = (files: string[], pattern: RegExp) => files.filter((file) => pattern.test(text.get(file)!));

/** Sentences and parts of statements that begin like one. */
const noStatements = ['src/platform/listing/fields.ts'];

const specifier = /(?:from|import)\s*\(?\s*'([^']+)'/g;
const importsOf = (file: string) => [...text.get(file)!.matchAll(specifier)].map(([, name]) => name!);
/** What a file imports of our own, as paths from the root. */
const ownImportsOf = (file: string) =>
  importsOf(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(root, join(root, dirname(file), name)));

const imports = new Map(product.map((file) => [file, ownImportsOf(file)]));

test('there is something to look at', () => {
  expect(product.length).toBeGreaterThan(100);
  expect(ownImportsOf('api/app.ts')).toContain('api/http/endpoint.ts');
  expect(ownImportsOf('cli/openapi.ts')).toEqual(['api/openapi.ts']);
});

describe('imports point inwards', () => {
  const arrows: Record<string, string[]> = {
    api: ['api', 'src'],
    workers: ['workers', 'src'],
    src: ['src'],
    sandbox: ['sandbox'],
    cli: ['cli', 'src'],
  };
  /** The document is made of the endpoints; `npm start` shows the sandbox's own account. */
  const exceptions = [
    'cli/openapi.ts -> api/openapi.ts',
    'cli/start/bring-up.ts -> sandbox/demo-account.ts',
    'cli/start/demo-commerce.ts -> sandbox/tokens.ts',
    'cli/start/demo-flow.ts -> sandbox/demo-flow.ts',
    'cli/start/demo.ts -> sandbox/demo-account.ts',
  ];

  test.each(Object.entries(arrows))('%s imports only %j', (folder, allowed) => {
    const strangers = product
      .filter((file) => file.startsWith(`${folder}/`))
      .flatMap((file) => ownImportsOf(file).map((target) => ({ target, arrow: `${file} -> ${target}` })))
      .filter(({ target, arrow }) => !allowed.includes(target.split('/')[0]!) && !exceptions.includes(arrow));
    expect(strangers).toEqual([]);
  });

  test('platform knows no domain', () => {
    const arrows = product
      .filter((file) => file.startsWith('src/platform/'))
      .flatMap((file) =>
        ownImportsOf(file)
          .filter((target) => !target.startsWith('src/platform/'))
          .map((target) => `${file} -> ${target}`),
      );
    expect(arrows).toEqual([]);
  });

  test('api/http knows no resource', () => {
    const arrows = product
      .filter((file) => file.startsWith('api/http/'))
      .flatMap((file) =>
        ownImportsOf(file)
          .filter((target) => target.startsWith('api/') && !target.startsWith('api/http/'))
          .map((target) => `${file} -> ${target}`),
      );
    expect(arrows).toEqual([]);
  });

  test('domains know each other as docs/architecture.md draws it, and nothing else', () => {
    const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
    const drawn = [...page.matchAll(/^\| `([a-z-]+)` \| ((?:`[a-z-]+`(?:, )?)+|nothing) \|/gm)].flatMap(([, from, to]) =>
      [...to!.matchAll(/`([a-z-]+)`/g)].map(([, target]) => `${from} -> ${target}`),
    );
    const known = [...domainsOf(imports)]
      .filter(([from]) => !from.endsWith('.ts'))
      .flatMap(([from, targets]) => targets.filter((to) => to !== 'platform').map((to) => `${from} -> ${to}`));
    expect(known.sort()).toEqual(drawn.sort());
  });

  test('no domains know each other in a circle, types included', () => {
    expect(circlesOf(domainsOf(imports))).toEqual([]);
  });

  test('a circle of domains is found where no files are in one, and where a domain reaches up to what joins all', () => {
    const files = {
      'src/a/one.ts': ['src/b/one.ts'],
      'src/b/one.ts': ['src/platform/errors.ts'],
      'src/b/two.ts': ['src/c/one.ts', 'src/b/one.ts'],
      'src/c/one.ts': [] as string[],
    };
    const found = (more: Record<string, string[]>) => circlesOf(domainsOf(new Map(Object.entries({ ...files, ...more }))));
    expect(found({})).toEqual([]);
    const reachesBack = { 'src/c/two.ts': ['src/a/two.ts'], 'src/a/two.ts': [] };
    expect(circlesOf(new Map(Object.entries({ ...files, ...reachesBack })))).toEqual([]);
    expect(found(reachesBack)).toEqual(['a -> b -> c -> a']);
    expect(found({ 'src/jobs.ts': ['src/a/one.ts'], 'src/c/two.ts': ['src/jobs.ts'] })).toEqual(['a -> b -> c -> jobs.ts -> a']);
  });

  test('no files import each other in a circle, types included', () => {
    expect(circlesOf(imports)).toEqual([]);
  });

  test('a circle is found, wherever it begins', () => {
    const graph = { start: ['a'], a: ['b', 'x'], b: ['c'], c: ['a'], x: [] };
    expect(circlesOf(new Map(Object.entries(graph)))).toEqual(['a -> b -> c -> a']);
  });

  test('src knows neither Express nor celebrate', () => {
    const inSource = product.filter((file) => file.startsWith('src/'));
    expect(inSource.filter((file) => importsOf(file).some((name) => ['express', 'celebrate', 'helmet'].includes(name)))).toEqual(
      [],
    );
  });

  test('nothing of the product imports a test', () => {
    expect(product.filter((file) => ownImportsOf(file).some((target) => target.startsWith('test/')))).toEqual([]);
  });
});

describe('jobs', () => {
  const handled = handlers.map(({ contract }) => contract.name);

  test('one handler a job, one job a handler', () => {
    expect([...handled].sort()).toEqual(jobs.map(({ name }) => name).sort());
    expect(new Set(handled).size).toBe(handled.length);
  });

  test('each says `domain.verb` and names a field of its payload', () => {
    for (const { name, subject, payload } of jobs) {
      expect(name).toMatch(/^[a-z-]+\.[a-z-]+$/);
      expect(Object.keys((payload.describe() as { keys: object }).keys)).toContain(subject);
    }
  });
});

describe('endpoints', () => {
  test('operation ids are unique, and so are method and path', () => {
    const ids = definitions.map(({ operationId }) => operationId);
    const routes = definitions.map(({ method, path }) => `${method} ${path.replace(/:\w+/g, ':')}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(routes).size).toBe(routes.length);
  });

  test('every parameter of a path is declared, and nothing else', () => {
    for (const { operationId, path, params } of definitions) {
      const named = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect([operationId, Object.keys(params ?? {})]).toEqual([operationId, named]);
    }
  });

  test('each is under /v1, has a status for success and says what may go wrong', () => {
    for (const { operationId, path, responses, errors, scope } of definitions) {
      expect(path).toMatch(/^\/v1\//);
      // What phones ask for flows: the provider's protocol has an encrypted body for its 427.
      const replies = Object.keys(responses).filter(
        (status) => operationId !== 'provider-webhooks.flow-exchange' || status !== '427',
      );
      expect(replies.every((status) => Number(status) < 400)).toBe(true);
      expect([operationId, Object.keys(responses).length > 0]).toEqual([operationId, true]);
      if (scope !== 'public') expect([operationId, errors]).toEqual([operationId, expect.arrayContaining([401, 403])]);
    }
  });

  test('every list, open object and text of a body or a query has a maximum', () => {
    for (const { operationId, body, query } of definitions) {
      const found = [body, query].flatMap((schema) => (schema ? unboundedIn(schema) : []));
      // The provider may add to its handshake, its callback and its consent; a query is 16 kB at most.
      const isProviders = operationId.startsWith('provider-webhooks.') || operationId === 'connections.oauth.callback';
      const expected = isProviders ? ['it takes any number of names'] : [];
      expect([operationId, found]).toEqual([operationId, expected]);
    }
  });

  test('one without a maximum is found wherever it is', () => {
    const list = Joi.array().items(Joi.string().max(1));
    // biome-ignore lint/suspicious/noThenProperty: Joi's own word
    const conditional = Joi.any().when('a', { is: 1, then: list.max(2) });
    expect(unboundedIn(Joi.object({ a: list.max(3), b: Joi.object({ c: Joi.date() }) }))).toEqual([]);
    expect(unboundedIn(Joi.object({ a: Joi.string().trim() }))).toEqual(['it.a is a text without a maximum']);
    expect(unboundedIn(Joi.object({ a: list }))).toEqual(['it.a is a list without a maximum']);
    expect(unboundedIn(Joi.object({ a: Joi.array().items(list).max(1) }))).toEqual(['it.a[] is a list without a maximum']);
    for (const open of [Joi.object(), Joi.object({}).unknown(), Joi.object().pattern(/a/, Joi.date())])
      expect(unboundedIn(Joi.object({ a: open }))).toEqual(['it.a takes any number of names']);
    expect(unboundedIn(Joi.object({ a: Joi.alternatives(1, 2) }))).toEqual(['it.a is of type alternatives']);
    expect(unboundedIn(Joi.object({ b: conditional }))).toEqual(['it.b depends on a condition and is of type array then']);
  });

  test('every file that defines one is exported in api/index.ts, or in the index of its domain, and has a test file', () => {
    const defining = having(filesIn('api/*/**/*.ts'), /\bendpoint(<[\s\S]*?>)?\(\{/);
    expect(defining.length).toBeGreaterThan(4);
    // A large domain has an index for each of its rooms: `api/commerce/booking-index.ts`.
    const indexesIn = (file: string): string[] => [
      file,
      ...ownImportsOf(file)
        .filter((one) => /[/-]index\.ts$/.test(one))
        .flatMap(indexesIn),
    ];
    const listed = indexesIn('api/index.ts').flatMap(ownImportsOf);
    for (const file of defining) {
      expect(listed).toContain(file);
      const wanted = `test/${file.replace(/\.ts$/, '')}`;
      expect([file, tests.some((one) => one.startsWith(wanted) && one.endsWith('.test.ts'))]).toEqual([file, true]);
    }
  });
});

describe('house rules', () => {
  const inCode = product.filter((file) => !/^sandbox\/|\/migrations\//.test(file));

  test('the environment is read in one place', () => {
    expect(having(product, /process\.env|\benv\b[^;]*= process\b/)).toEqual(['sandbox/main.ts', 'src/platform/config/config.ts']);
  });

  test('only the clients of providers and the webhook sender talk to others', () => {
    const clients =
      /from '(@aws-sdk\/client-s3|got|undici|nodemailer|axios|ky|node-fetch|node:https?|node:http2|node:tls)'|(?<![.\w])fetch\(/;
    const serving = /import (type )?\{ (createServer(, type Server)?|STATUS_CODES) \} from 'node:http'/;
    const talking = having(
      product.filter((file) => !file.startsWith('sandbox/')),
      clients,
    ).filter((file) => !serving.test(text.get(file)!));
    const allowed = [
      /^src\/providers\/[^/]+\/client\.ts$/,
      /^src\/providers\/mail\/smtp\.ts$/,
      /^src\/webhooks\//,
      /^src\/media\/storage\/s3\.ts$/,
      /^cli\/start\/local-http\.ts$/,
      /^cli\/listen\/(api|forward)\.ts$/,
    ];
    expect(talking.filter((file) => !allowed.some((pattern) => pattern.test(file)))).toEqual([]);
    expect(talking).toEqual(expect.arrayContaining(['src/providers/messaging-app/client.ts', 'src/providers/mail/smtp.ts']));
  });

  test('only the backends know what carries the queue; the rate limits share their counts by the same Redis', () => {
    const known = /from '(ioredis|bullmq)'/;
    const allowed = ['src/platform/ledger/backends/', 'workers/worker.ts', 'src/platform/redis.ts'];
    const others = having(product, known).filter((file) => !allowed.some((place) => file.startsWith(place)));
    expect(others).toEqual([]);
  });

  test('only a statement runs text that nothing ties to an organization', () => {
    expect(having(product, /import (type )?\{[^}]*\brun\b[^}]*\} from '[^']*\/own\.ts'/)).toEqual([
      'src/platform/database/statement.ts',
    ]);
  });

  test('a file that has SQL text says why it has', () => {
    const statement = /[`'"]\s*(select\s|insert into\s|update\s+\S+(\s+\w+)?\s+set\s|delete from\s|with\s+\w+\s+as\s|copy\s)/i;
    const withText = having(inCode, statement).filter((file) => !noStatements.includes(file));
    expect(withText.length).toBeGreaterThan(50);
    expect(withText.filter((file) => !/\bSQL(:| \()/.test(text.get(file)!))).toEqual([]);
  });

  test('a line of SQL text holds at most two clauses', () => {
    const withSql = [...inCode, ...product.filter((file) => file.includes('/migrations/'))];
    expect(withSql.flatMap((file) => crowdedIn(text.get(file)!).map((line) => `${file}: ${line.trim()}`))).toEqual([]);
    const one = 'select id from jobs where id = $1';
    expect(crowdedIn(`run('${one}');`)).toHaveLength(1);
    expect(crowdedIn('  update jobs j set run = 1 where j.id = $1`')).toHaveLength(1);
    expect(crowdedIn(`  // ${one}\n  where('Rows to select from, where they are set')\n  and exists (${one})`)).toEqual([]);
  });

  test('SQL text is not taken apart, and its parameters are numbered in one place', () => {
    const splicing = inCode.filter((file) => splicedIn(text.get(file)!).length > 0);
    // A hash of a password has this form; MikroORM gives its statements with question marks.
    expect(splicing).toEqual([
      'src/accounts/password-hash.ts',
      'src/platform/database/binding-driver.ts',
      'src/platform/listing/bind.ts',
    ]);
    const place = 'text.replace(/\\$(\\d+)/g, later)';
    const looked = "condition.includes('$4')";
    const counted = '`id = $${first + 1}`';
    const columns = "messageColumns.replaceAll('m.', 'o.')";
    expect(splicedIn([place, looked, counted, columns].join('\n'))).toEqual([place, looked, counted, columns]);
    expect(splicedIn("`id = $1`\nid.replace(/^(.)(.)$/, '$1-$2')")).toEqual([]);
  });

  test('named exports only', () => {
    expect(having(product, /^export default/m)).toEqual([]);
  });

  test('no file of the product is over 300 lines', () => {
    expect(product.filter((file) => text.get(file)!.split('\n').length > 301)).toEqual([]);
  });

  test('no test is left out, and none is the only one', () => {
    const pattern = new RegExp(`\\b(describe|test|it)\\.(${['skip', 'only', 'todo'].join('|')})\\b|\\b[xf](test|it|describe)\\(`);
    // Where there is no browser the pages cannot be tested, nor the alerts without promtool: said aloud, and in CI a failure.
    expect(having(tests, pattern)).toEqual(['test/support/browser.ts', 'test/support/promtool.ts']);
  });

  test('no module is mocked: fakes are passed in', () => {
    expect(having(tests, new RegExp(`jest\\.${'mock'}\\(|unstable_${'mockModule'}`))).toEqual([]);
  });
});
