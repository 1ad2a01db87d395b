import type { AnyEndpoint } from '../http/endpoint.ts';
import { createOneCategory, deleteOneCategory, getOneCategory, listOfCategories, putOneCategory } from './categories.ts';
import {
  createDeliveryMethod,
  deleteDeliveryMethod,
  getDeliveryMethod,
  listOfDeliveryMethods,
  listOfTimeslots,
  patchDeliveryMethod,
} from './delivery-methods.ts';
import { createOneDiscount, deleteOneDiscount, getOneDiscount, listOfDiscounts, patchOneDiscount } from './discounts.ts';
import { createOneProduct, deleteOneProduct, getOneProduct, listOfProducts, patchOneProduct } from './products.ts';
import { getCommerceSettings, patchCommerceSettings } from './settings.ts';
import { createOneVariant, deleteOneVariant, getOneVariant, listOfVariants, patchOneVariant } from './variants.ts';
import { changeStockOfVariant, listOfMovements } from './variants-stock.ts';

/** In the order of the document. */
export const catalogueEndpoints: AnyEndpoint[] = [
  getCommerceSettings,
  patchCommerceSettings,
  listOfCategories,
  createOneCategory,
  getOneCategory,
  putOneCategory,
  deleteOneCategory,
  listOfProducts,
  createOneProduct,
  getOneProduct,
  patchOneProduct,
  deleteOneProduct,
  listOfVariants,
  createOneVariant,
  getOneVariant,
  patchOneVariant,
  deleteOneVariant,
  changeStockOfVariant,
  listOfMovements,
  listOfDiscounts,
  createOneDiscount,
  getOneDiscount,
  patchOneDiscount,
  deleteOneDiscount,
  listOfDeliveryMethods,
  createDeliveryMethod,
  getDeliveryMethod,
  patchDeliveryMethod,
  deleteDeliveryMethod,
  listOfTimeslots,
];
