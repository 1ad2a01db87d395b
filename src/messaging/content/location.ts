import Joi from 'joi';

const degrees = (max: number) => Joi.number().strict().min(-max).max(max).required();
const words = Joi.string().max(1_000);

export const location = Joi.object({
  latitude: degrees(90),
  longitude: degrees(180),
  name: words,
  address: words,
});
