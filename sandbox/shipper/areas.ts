/** province, city, district, postal code: enough to look for. */
const places = [
  ['DKI Jakarta', 'Jakarta Selatan', 'Cilandak', 12430],
  ['DKI Jakarta', 'Jakarta Selatan', 'Kebayoran Baru', 12110],
  ['DKI Jakarta', 'Jakarta Pusat', 'Menteng', 10310],
  ['DKI Jakarta', 'Jakarta Barat', 'Kebon Jeruk', 11530],
  ['Banten', 'Tangerang Selatan', 'Serpong', 15310],
  ['Jawa Barat', 'Bandung', 'Coblong', 40132],
  ['Jawa Barat', 'Bekasi', 'Bekasi Barat', 17133],
  ['Jawa Tengah', 'Semarang', 'Semarang Tengah', 50134],
  ['Jawa Timur', 'Surabaya', 'Gubeng', 60281],
  ['DI Yogyakarta', 'Yogyakarta', 'Gondokusuman', 55222],
  ['Bali', 'Denpasar', 'Denpasar Selatan', 80224],
  ['Sumatera Utara', 'Medan', 'Medan Baru', 20153],
  ['Sulawesi Selatan', 'Makassar', 'Panakkukang', 90231],
] as const;

const idOf = (province: string, position: number, postalCode: number) =>
  `IDNP${province.length}IDNC${position + 100}IDND${position + 800}IDZ${postalCode}`;

export const areas = places.map(([province, city, district, postalCode], position) => ({
  id: idOf(province, position, postalCode),
  name: `${district}, ${city}, ${province}. ${postalCode}`,
  country_name: 'Indonesia',
  country_code: 'ID',
  administrative_division_level_1_name: province,
  administrative_division_level_1_type: 'province',
  administrative_division_level_2_name: city,
  administrative_division_level_2_type: 'city',
  administrative_division_level_3_name: district,
  administrative_division_level_3_type: 'district',
  postal_code: postalCode,
}));

export type Area = (typeof areas)[number];

export const areaOf = (id: unknown): Area | undefined => areas.find((area) => area.id === id);

export function searchAreas(input: string): Area[] {
  const words = input
    .toLowerCase()
    .split(/[\s,.]+/)
    .filter(Boolean);
  return areas.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)));
}
