/** Asked for a price where the connection's settings name none. */
const usual = ['jne', 'sicepat', 'jnt', 'anteraja', 'ninja', 'idexpress', 'pos', 'tiki', 'lion', 'gojek', 'grab'];

/** `settings.couriers` of a shipper's connection: codes as the shipper writes them, comma-separated. */
export function couriersOf({ couriers }: Record<string, unknown>): string[] {
  const named = typeof couriers === 'string' ? couriers.split(',').map((code) => code.trim().toLowerCase()) : [];
  const known = named.filter((code) => code !== '');
  return known.length > 0 ? known : usual;
}
