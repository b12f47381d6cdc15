import type { PipeTransform } from '@nestjs/common';
import type { z } from 'zod';

import { parseWith } from './parse-with.js';
import type { RequestPart } from './request-invalid.error.js';

/** `@Body(ZodBody(schema)) body: Foo` */
export function ZodBody<S extends z.ZodType>(schema: S): PipeTransform<unknown, z.output<S>> {
  return pipe(schema, 'body');
}

/** `@Query(ZodQuery(schema)) query: Foo`. Values arrive as text: use `z.coerce` for numbers. */
export function ZodQuery<S extends z.ZodType>(schema: S): PipeTransform<unknown, z.output<S>> {
  return pipe(schema, 'query');
}

/** `@Param(ZodParams(schema)) params: Foo` */
export function ZodParams<S extends z.ZodType>(schema: S): PipeTransform<unknown, z.output<S>> {
  return pipe(schema, 'params');
}

function pipe<S extends z.ZodType>(schema: S, part: RequestPart): PipeTransform<unknown, z.output<S>> {
  return { transform: (value) => parseWith(schema, value, part) };
}
