import { type CompiledQuery, DummyDriver, Kysely, PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely';
import { type Runs, type Select, selectWithin } from './own.ts';

/** Stands for a value that is known only when the statement runs. */
class Parameter {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Compiles statements and runs none. */
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
const standIns = new Proxy({}, { get: (_, name) => new Parameter(String(name)) });

/** What a Kysely builder is, as far as it matters here. */
export type Compilable<Row> = { compile(): CompiledQuery<Row> };
export type Statement<Params extends object, Row> = (own: Runs, params: Params) => Promise<Row[]>;

/**
 * A statement over rows of one organization, compiled once a process: to build it anew costs more than PostgreSQL takes for a small read.
 * `build` is given a stand-in for each parameter, so it cannot look at their values.
 */
export function statement<Params extends object, Row>(
  build: (select: Select, params: Params) => Compilable<Row>,
): Statement<Params, Row> {
  let compiled: CompiledQuery<Row> | undefined;
  return (own, params) => {
    compiled ??= build(select, standIns as Params).compile();
    const given = params as Record<string, unknown>;
    const values = compiled.parameters.map((value) => {
      if (value === organization) return own.organizationId;
      return value instanceof Parameter ? given[value.name] : value;
    });
    return own.run<Row>(compiled.sql, values);
  };
}
