import { type CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { type Runs, run, type Select, selectWithin, type Update, updateWithin } from './own.ts';

class Parameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

const compiler = new Kysely<never>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (database) => new PostgresIntrospector(database),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

const organization = new Parameter('organizationId');
const select = selectWithin(compiler, organization as unknown as string);
const update = updateWithin(compiler, organization as unknown as string);
const standIns = new Proxy({}, { get: (_, name) => new Parameter(String(name)) });

export type Compilable<Row> = { compile(): CompiledQuery<Row> };

/** For a list that takes a place of the organization's share. */
export const runsThrough = (ask: <Row>(text: string, values: unknown[]) => Promise<Row[]>, organizationId: string): Runs => ({
  organizationId,
  [run]: (text, values) => ask(text, [...values]),
});

export type Statement<Params extends object, Row> = (own: Runs, params: Params) => Promise<Row[]>;

/** Compiled once a process: building costs more than a small read. `build` gets stand-ins, so it cannot look at values. */
export function statement<Params extends object, Row>(
  build: (select: Select, params: Params, update: Update) => Compilable<Row>,
): Statement<Params, Row> {
  let compiled: CompiledQuery<Row> | undefined;
  return (own, params) => {
    compiled ??= compiledOnce(build(select, standIns as Params, update));
    const given = params as Record<string, unknown>;
    const values = compiled.parameters.map((value) => {
      if (value === organization) return own.organizationId;
      return value instanceof Parameter ? given[value.name] : value;
    });
    return own[run]<Row>(compiled.sql, values);
  };
}

function compiledOnce<Row>(built: Compilable<Row>): CompiledQuery<Row> {
  const compiled = built.compile();
  if (!compiled.parameters.includes(organization)) throw new Error(`A statement without its organization: ${compiled.sql}`);
  return compiled;
}
