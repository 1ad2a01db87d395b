import { Migration } from '@mikro-orm/migrations';

/** The digits of a phone in its longer form, where it has two, in the shorter one; null for all others. As `phone-spellings.ts`. */
const shortened = (digits: string) => `
  case
    when ${digits} ~ '^55[1-9][1-9]9[6-9][0-9]{7}$' then left(${digits}, 4) || substr(${digits}, 6)
    when ${digits} ~ '^521[2-9][0-9]{9}$' then '52' || substr(${digits}, 4)
    when ${digits} ~ '^549[1-3][0-9]{9}$' then '54' || substr(${digits}, 4)
    when ${digits} ~ '^225(01[04-9][0-3]|05[04-9][4-6]|07[04-9][7-9])[0-9]{6}$' then '225' || substr(${digits}, 6)
    when ${digits} ~ '^22901[2-9][0-9]{7}$' then '229' || substr(${digits}, 6)
  end`;

/** Contacts that have one phone in two forms are listed as duplicates. From now on both forms find one contact. */
export class PhoneSpellings extends Migration {
  override name = '20261205000000-phone-spellings';

  override up() {
    this.addSql(`
      insert into contact_duplicates (id, organization_id, contact_id, other_id, reason)
      select uuidv7(), p.organization_id, p.contact_id, p.other_id, 'same_phone'
        from (
          select distinct i.organization_id, least(i.contact_id, o.contact_id) as contact_id, greatest(i.contact_id, o.contact_id) as other_id
            from (
              select organization_id, contact_id, type, ${shortened(`ltrim(value, '+')`)} as short
                from contact_identities
               where type in ('phone', 'messaging_app')
                 and value ~ '^[+]?(55|521|549|225|229)') i
            join contact_identities o
              on o.organization_id = i.organization_id
             and o.type = i.type
             and o.source = ''
             and o.value = case i.type when 'phone' then '+' || i.short else i.short end
             and o.contact_id <> i.contact_id
           where i.short is not null) p
      on conflict on constraint contact_duplicates_pair do update set reason = excluded.reason`);
  }

  override down() {
    this.addSql(`
      update contact_duplicates
         set reason = 'same_person'
       where reason = 'same_phone'`);
  }
}
