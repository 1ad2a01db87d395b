import { Migration } from '@mikro-orm/migrations';

/** The search of contacts finds the user names that the provider said. New ones are added as they come. */
export class UserNames extends Migration {
  override name = '20261205000020-user-names';

  override up() {
    this.addSql(`
      update contacts k
         set other_addresses = k.other_addresses || v.names
        from (
          select organization_id, contact_id, string_agg(distinct E'\\n' || fold(profile_username), '') as names
            from conversations
           where profile_username <> '' and contact_id is not null
           group by organization_id, contact_id) v
       where k.organization_id = v.organization_id and k.id = v.contact_id`);
  }

  override down() {
    this.addSql(`
      update contacts k
         set other_addresses = coalesce((
               select string_agg(
                        E'\\n' || case i.type when 'phone' then ltrim(i.value, '+') else fold(i.value) end, '' order by i.value)
                 from contact_identities i
                where i.organization_id = k.organization_id
                  and i.contact_id = k.id
                  and ((i.type = 'phone' and i.value <> k.phone_number) or (i.type = 'email' and i.value <> lower(k.email)))), '')
        from conversations v
       where v.organization_id = k.organization_id and v.contact_id = k.id and v.profile_username <> ''`);
  }
}
