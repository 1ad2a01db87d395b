import type { UrlRules } from '../../platform/network/address-guard.ts';

/** Of the process, set at its start: a rule is checked in places that know no settings. Until then as closed as can be. */
let rules: UrlRules = { allowHttp: false, allowNetworks: [] };

export const urlRules = (): UrlRules => rules;

type Settings = { webhookAllowHttp: boolean; webhookAllowNetworks: string[] };

/** What webhooks may call, rules may. */
export function setUrlRules({ webhookAllowHttp, webhookAllowNetworks }: Settings): void {
  rules = { allowHttp: webhookAllowHttp, allowNetworks: webhookAllowNetworks };
}
