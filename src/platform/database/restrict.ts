import {
  AndNode,
  BinaryOperationNode,
  ColumnNode,
  type IdentifierNode,
  type JoinNode,
  type KyselyPlugin,
  OnNode,
  type OperationNode,
  OperationNodeTransformer,
  OperatorNode,
  ParensNode,
  type QueryId,
  ReferenceNode,
  type RootOperationNode,
  type SelectionNode,
  type SelectQueryNode,
  TableNode,
  type UpdateQueryNode,
  ValueNode,
  WhereNode,
} from 'kysely';

export type JoinedEntity = { name: string; tableName: string; meta: { properties: object } };

const column = 'organization_id';
const equals = OperatorNode.create('=');
/** A condition in `on` does not restrict the joined table of another kind. */
const restrictable = ['InnerJoin', 'LeftJoin', 'LateralInnerJoin', 'LateralLeftJoin'];

const both = (condition: OperationNode, given: OperationNode | undefined) =>
  given ? AndNode.create(condition, ParensNode.create(given)) : condition;

/** A column in another shape than a name may be any. */
const mayBeOrganization = (changed: OperationNode) => !ColumnNode.is(changed) || changed.column.name === column;

/** Adds the organization to each table of a query and of the queries in it. Text of `sql` is left as it is. */
class Restriction extends OperationNodeTransformer {
  private entities: readonly JoinedEntity[] = [];
  private organization: OperationNode | undefined;
  /** A query in another one is transformed by both. */
  private readonly done = new WeakSet<OperationNode>();

  restrict(node: RootOperationNode, entities: readonly JoinedEntity[], organizationId: string, queryId: QueryId) {
    // A query that was refused leaves its nodes.
    this.nodeStack.length = 0;
    this.entities = entities;
    this.organization = ValueNode.create(organizationId);
    return this.transformNode(node, queryId);
  }

  /** Names hold no query: copying them would double the time. */
  override transformSelection(node: SelectionNode, queryId: QueryId) {
    return ReferenceNode.is(node.selection) ? node : super.transformSelection(node, queryId);
  }

  override transformColumn(node: ColumnNode) {
    return node;
  }
  override transformReference(node: ReferenceNode) {
    return node;
  }
  override transformTable(node: TableNode) {
    return node;
  }

  override transformSelectQuery(node: SelectQueryNode, queryId: QueryId): SelectQueryNode {
    if (this.done.has(node)) return node;
    const restricted = this.restricted(super.transformSelectQuery(node, queryId), node.from?.froms ?? []);
    this.done.add(restricted);
    return restricted;
  }

  override transformUpdateQuery(node: UpdateQueryNode, queryId: QueryId): UpdateQueryNode {
    if (node.updates?.some(({ column: changed }) => mayBeOrganization(changed)))
      throw new Error('A row stays in its organization');
    return this.restricted(super.transformUpdateQuery(node, queryId), [node.table!, ...(node.from?.froms ?? [])]);
  }

  private restricted<Query extends SelectQueryNode | UpdateQueryNode>(query: Query, sources: readonly OperationNode[]): Query {
    const [first, ...others] = sources.flatMap((source) => this.owned(source));
    const joins = query.joins?.map((join) => this.restrictedJoin(join, first));
    if (!first) return { ...query, joins };
    const conditions = [this.equal(first), ...others.map((other) => this.equal(other, first))];
    const where = WhereNode.create(
      both(
        conditions.reduce((all, one) => AndNode.create(all, one)),
        query.where?.where,
      ),
    );
    return { ...query, joins, where };
  }

  private restrictedJoin(join: JoinNode, first: OperationNode | undefined): JoinNode {
    const [table] = this.owned(join.table);
    if (!table) return join;
    if (!restrictable.includes(join.joinType)) throw new Error(`${join.joinType} cannot be restricted to the organization`);
    return { ...join, on: OnNode.create(both(this.equal(table, first), join.on?.on)) };
  }

  /** The organization of a table's name or alias; nothing for a table without organizations and for a query in the query. */
  private owned(source: OperationNode): OperationNode[] {
    const { node, alias } = source.kind === 'AliasNode' ? (source as unknown as Aliased) : { node: source };
    if (node.kind === 'SelectQueryNode') return [];
    const name = node.kind === 'TableNode' ? (node as TableNode).table.identifier.name : node.kind;
    const entity = this.entities.find(({ tableName }) => tableName === name);
    if (!entity) throw new Error(`${name} is not an entity given to this query`);
    if (!(column in entity.meta.properties)) return [];
    return [ReferenceNode.create(ColumnNode.create(column), TableNode.create(alias?.name ?? name))];
  }

  /** The same value twice would be two parameters, and nothing would tell the planner that they are equal. */
  private equal(one: OperationNode, other = this.organization!): OperationNode {
    return BinaryOperationNode.create(one, equals, other);
  }
}

type Aliased = { node: OperationNode; alias: IdentifierNode };

/** Shared: making one binds a hundred methods. */
const restriction = new Restriction();

export const restrictTo = (organizationId: string, entities: readonly JoinedEntity[]): KyselyPlugin => ({
  transformQuery: ({ node, queryId }) => restriction.restrict(node, entities, organizationId, queryId),
  transformResult: ({ result }) => Promise.resolve(result),
});
