import type { GraphClient } from './client.ts';
import type { Account, MessagingApp, NewTemplate, ProviderTemplate } from './provider.ts';
import { checkDone, toNewTemplate, toTemplatePage } from './replies.ts';

const maxPages = 200;
/** The provider leaves the last two out where they are not asked for. */
const fields = 'id,name,language,status,category,components,quality_score,rejected_reason';

type Templates = Pick<MessagingApp, 'listTemplates' | 'findTemplate' | 'createTemplate' | 'editTemplate' | 'deleteTemplate'>;

const onWire = ({ category, components }: Partial<NewTemplate>) => ({
  ...(category && { category: category.toUpperCase() }),
  ...(components && { components }),
});

export function graphTemplates(client: GraphClient): Templates {
  async function pages({ accountId, accessToken }: Account, filter: Record<string, string> = {}): Promise<ProviderTemplate[]> {
    const templates: ProviderTemplate[] = [];
    let after: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const search = { fields, limit: '100', ...filter, ...(after && { after }) };
      const read = toTemplatePage(await client.get(`${accountId}/message_templates`, accessToken, search));
      templates.push(...read.templates);
      after = read.after;
      if (!after) break;
    }
    return templates;
  }

  return {
    listTemplates: (account) => pages(account),

    /** The provider's filter by name also finds names that contain it. */
    async findTemplate(account, { name, language }) {
      const found = await pages(account, { name, language });
      return found.find((one) => one.name === name && one.language === language);
    },

    async createTemplate({ accountId, accessToken }, { name, language, parameterFormat, ...content }) {
      const body = { name, language, parameter_format: parameterFormat.toUpperCase(), ...onWire(content) };
      return toNewTemplate(await client.post(`${accountId}/message_templates`, accessToken, body));
    },

    async editTemplate({ accessToken }, id, change) {
      checkDone(await client.post(id, accessToken, onWire(change)));
    },

    async deleteTemplate({ accountId, accessToken }, { id, name }) {
      const search = new URLSearchParams({ name, hsm_id: id });
      checkDone(await client.delete(`${accountId}/message_templates?${search}`, accessToken));
    },
  };
}
