import { applyDecorators } from '@nestjs/common';
import { ApiBearerAuth, ApiBody, ApiHeader, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { z } from 'zod';

type ResponseContent = NonNullable<Parameters<typeof ApiResponse>[0]['content']>;
type DocumentedSchema = NonNullable<ResponseContent[string]['schema']>;

interface Documented {
  readonly summary?: string;
  readonly body?: z.ZodType;
  readonly query?: z.ZodObject;
  readonly params?: readonly string[];
  readonly answer?: z.ZodType;
  readonly status?: number;
}

const PROBLEM_STATUSES: readonly (readonly [number, string])[] = [
  [400, 'A field is wrong; `errors` names each.'],
  [401, 'No valid API token.'],
  [403, 'The role does not allow it.'],
  [404, 'Missing, or hidden from the caller.'],
  [409, 'In conflict with what exists.'],
  [503, 'A dependency is away; repeat the request.'],
];

/** Class decorator of a resource's controller. */
export function ApiResource(tag: string): ClassDecorator {
  const problems = PROBLEM_STATUSES.map(([status, description]) =>
    ApiResponse({ status, description, content: { 'application/problem+json': { schema: PROBLEM } } }),
  );
  return applyDecorators(ApiTags(tag), ApiBearerAuth(), ...problems);
}

/** Describes one route from the very schemas that check it. */
export function ApiRoute(route: Documented): MethodDecorator {
  const parts: MethodDecorator[] = [];
  for (const name of route.params ?? []) parts.push(ApiParam({ name, type: String }));
  if (route.body !== undefined) parts.push(ApiBody({ schema: inputSchema(route.body) }));
  if (route.query !== undefined) parts.push(...queryParameters(route.query));
  if (route.status === 201) parts.push(IDEMPOTENCY);
  parts.push(
    ApiResponse({
      status: route.status ?? 200,
      description: route.summary ?? 'Done.',
      ...(route.answer !== undefined && {
        content: { 'application/json': { schema: outputSchema(route.answer) } },
      }),
    }),
  );
  return applyDecorators(...parts);
}

const IDEMPOTENCY = ApiHeader({
  name: 'Idempotency-Key',
  required: false,
  description: 'Repeating the same request under the same key within a day answers what was answered first.',
});

function queryParameters(query: z.ZodObject): MethodDecorator[] {
  return Object.entries(query.shape).map(([name, schema]) =>
    ApiQuery({ name, required: false, schema: inputSchema(schema as z.ZodType) }),
  );
}

function inputSchema(schema: z.ZodType): DocumentedSchema {
  return toDocument(schema, 'input');
}

function outputSchema(schema: z.ZodType): DocumentedSchema {
  return toDocument(schema, 'output');
}

function toDocument(schema: z.ZodType, io: 'input' | 'output'): DocumentedSchema {
  const { $schema: _dialect, ...document } = z.toJSONSchema(schema, {
    io,
    target: 'openapi-3.0',
    unrepresentable: 'any',
  });
  return document as DocumentedSchema;
}

const PROBLEM = toDocument(
  z.object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.string(),
    code: z.string(),
    requestId: z.string(),
    errors: z.array(z.object({ field: z.string(), message: z.string() })).optional(),
  }),
  'output',
);
