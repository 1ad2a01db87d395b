import type { Body } from '../app.ts';

type App = { call(operation: string, input: object): Promise<{ body: Body }> };

export const options = (...values: string[]) => values.map((value) => ({ value, label: value }));

/** The field `state` of a kind, as the API shows it. */
export async function stateOf(app: App, objectKind: string): Promise<Body> {
  const { body } = await app.call('crm.object-types.get', { params: { objectKind } });
  return body.fields.find(({ name }: Body) => name === 'state');
}
