import type { Account } from '../accounts.ts';
import { pickFields } from './fields.ts';

/** A business account; numbers that share it name it alike. */
export function showBusinessAccount({ waba_id, verified_name }: Account, fields: unknown): object {
  const node = {
    id: waba_id,
    name: verified_name,
    timezone_id: '1',
    message_template_namespace: `kanal_sandbox_${waba_id}`,
  };
  return pickFields(node, fields, Object.keys(node), 'WhatsAppBusinessAccount');
}
