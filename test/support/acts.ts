import type { App, Reply } from './app.ts';

export type Act = {
  organization_id: string | null;
  actor: string;
  action: string;
  subject: string;
  address: string;
  details: object | null;
};

/** The rows of the audit log that a request left. */
export const actsOf = (app: App, { headers }: Pick<Reply, 'headers'>): Promise<Act[]> =>
  app.rows<Act>(
    'select organization_id, actor, action, subject, address, details from audit_log where request_id = $1 order by created_at',
    [headers.get('x-request-id')],
  );
