import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { placements } from '../../../../src/platform/database/placement.ts';

const textOf = (path: string) => readFileSync(path, 'utf8');
const filesOf = (...patterns: string[]) => globSync(patterns).sort();

const tables = new Set(
  filesOf('src/platform/migrations/*.ts').flatMap((path) =>
    [...textOf(path).matchAll(/create table (?:if not exists )?([a-z_]+)/g)].map(([, name]) => name!),
  ),
);
const isDistributed = (name: string) => tables.has(name) && !(name in placements);

/** Rooms that no request enters: sweep, purges, figures, the operator, work of jobs. */
const offRequests = [
  'src/platform/migrations/',
  'src/platform/retention/',
  'src/platform/metrics/',
  'src/operator/',
  'src/automation/schedule/',
  'src/campaigns/prepare/',
  'src/contacts/export/run.ts',
  'src/media/purge.ts',
];

/** Files with a statement that may read another node, or whose text this test cannot see: why no request waits for all nodes. */
const known: Record<string, string> = {
  'api/http/idempotency.ts': 'keys, by the organization of the caller: the conditions are in a text of their own',
  'api/operations/bull-board.ts': 'an operator promotes all delayed jobs of a queue',
  'src/platform/ledger/check.ts': 'jobs check: on no request',
  'src/platform/ledger/pace.ts': 'a claim, by the organization and id of its job',
  'src/platform/ledger/pools.ts': 'the filler, by the organization and id of a pool; the shared pools by a worker',
  'src/platform/ledger/sweep.ts': 'the sweep: on no request',
  'src/platform/ledger/write.ts': 'the ledger: the organization comes with each row (docs/scale.md, Tables)',
};

/** Tables after `from`, `join`, `into` and `update`. */
const tablesIn = (text: string) =>
  [...text.matchAll(/\b(?:from|join|into|update) ([a-z_]+)/g)].map(([, name]) => name!).filter(isDistributed);

/** The text of a constant of the file, with those it is made of; undefined when it is none. */
function constant(source: string, name: string): string | undefined {
  const text = new RegExp(`const ${name} = \`([^\`]*)\``).exec(source)?.[1];
  return text?.replace(/\$\{(\w+)\}/g, (_, inner: string) => constant(source, inner) ?? '');
}

/** What the calls of `query` in a file run; the whole file, where a text is not there to be seen. */
const textsOf = (source: string) =>
  [...source.matchAll(/\bquery(?:Planned)?(?:<[^(]*>)?\(\s*[\w.()]+,(?:\s*\/\/.*\n)?\s*(?:`([^`]*)`|(\w+))/g)].map(
    ([, text, name]) => text ?? constant(source, name!) ?? source,
  );

/** Distributed tables of each text that does not name the organization. */
const withoutOrganization = (source: string) =>
  [
    ...new Set(
      textsOf(source)
        .filter((text) => text === source || !/organization_id = \$\d/.test(text))
        .flatMap(tablesIn),
    ),
  ].sort();

const importsQuery = (text: string) => /import \{[^}]*\bquery(?:Planned)?\b[^}]*\} from '[^']*database\/query\.ts'/.test(text);

const found = new Map(
  filesOf('api/**/*.ts', 'src/**/*.ts')
    .filter((path) => !offRequests.some((room) => path.startsWith(room)))
    .map((path) => [path, textOf(path)] as const)
    .filter(([, text]) => importsQuery(text))
    .map(([path, text]) => [path, withoutOrganization(text)] as const)
    .filter(([, names]) => names.length > 0),
);

test('what a request asks of a distributed table names the organization; the exceptions are known', () => {
  expect([...found].filter(([path]) => !(path in known)).map(([path, names]) => `${path}: ${names}`)).toEqual([]);
});

test('every exception is one', () => {
  expect(Object.keys(known).filter((path) => !found.has(path))).toEqual([]);
});

describe('what is found', () => {
  test.each([
    ['a text', 'query(em, `select 1 from messages where id = $1`, [id])', ['messages']],
    [
      'a constant',
      'const one = `select 1 from channels c join flow_keys k on true`; query<Row>(source, one, [id])',
      ['flow_keys'],
    ],
    ['parts', 'const a = `from jobs`; const b = `select 1 $' + '{a}`; query<Row<"id">>(database.em(), b, [])', ['jobs']],
    ['a text that is made elsewhere', 'from messages query(em, text, params)', ['messages']],
    ['a text with the organization', 'query(em, `select 1 from messages where organization_id = $1`, [id])', []],
    ['a reference table', 'query(em, `select 1 from channels where id = $1`, [id])', []],
  ])('%s', (_, source, names) => {
    expect(withoutOrganization(source)).toEqual(names);
  });
});
