/** Schemas that the events and the outputs of the command share. */
import { z } from 'zod';
import type { Diagnostic } from '../../../compiler/diagnostics';
import type { Location } from '../../../compiler/ir/location';
import { SCHEDULE_FIELDS, type ScheduleDecision } from '../../../compiler/schedule';
import type { AdapterInfo } from '../../events';

export type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? number extends T['length']
    ? readonly DeepReadonly<Item>[]
    : { readonly [K in keyof T]: DeepReadonly<T[K]> }
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/**
 * `true` where a schema and a type describe the same values; else assigning `true` to it is a
 * compile error. The types of the program are the source, and a schema cannot stray from them.
 */
export type Same<Schema extends z.ZodType, Type> = [DeepReadonly<z.infer<Schema>>] extends [
  DeepReadonly<Type>,
]
  ? [DeepReadonly<Type>] extends [DeepReadonly<z.infer<Schema>>]
    ? true
    : { readonly 'in the type, not in the schema': Type }
  : { readonly 'in the schema, not in the type': z.infer<Schema> };

export const integer = z.number().int();
export const severity = z.enum(['error', 'warning', 'info']);

const place = {
  file: z.string(),
  line: integer,
  column: integer,
  endLine: integer,
  endColumn: integer,
};
export const location: z.ZodType<Location> = z
  .object({
    ...place,
    get inlinedAt(): z.ZodOptional<z.ZodType<Location>> {
      return location.optional();
    },
  })
  .meta({ id: 'Location', description: 'Lines and columns count from 1; the end is exclusive.' });

export const diagnostic = z
  .object({
    code: z.string().regex(/^HC\d{4}$/),
    severity,
    message: z.string(),
    location,
    notes: z.array(z.object({ message: z.string(), location: location.optional() })),
    fix: z.object({ title: z.string(), location, text: z.string() }).optional(),
  })
  .meta({ id: 'Diagnostic' });
true satisfies Same<typeof diagnostic, Diagnostic>;

export const scheduleDecision = z
  .object({
    field: z.enum(SCHEDULE_FIELDS),
    chosen: z.string(),
    why: z.string(),
    /** The next best; null where there is no other. */
    next: z.string().nullable(),
    /** The dot or the loop; null for the kernel as a whole. */
    location: location.nullable(),
  })
  .meta({ id: 'ScheduleDecision' });
true satisfies Same<typeof scheduleDecision, ScheduleDecision>;

export const adapter = z
  .object({
    kind: z.enum(['webgpu', 'interpreter', 'cuda']),
    name: z.string(),
    vendor: z.string(),
    architecture: z.string(),
    reason: z.string().nullable(),
    onCpu: z.boolean().optional(),
    flushesDenormals: z.boolean().optional(),
  })
  .meta({ id: 'Adapter' });
true satisfies Same<typeof adapter, AdapterInfo>;

/** A tuple, without `prefixItems`, which validators of older drafts do not know. */
export const grid = z.array(integer).length(3) as unknown as z.ZodType<[number, number, number]>;
export const site = z.object({ file: z.string(), line: integer });
export const operations = z.object({
  f64: z.number(),
  f32: z.number(),
  f16: z.number(),
  integer: z.number(),
});
export const resources = z.object({
  threads: z.number(),
  registers: z.number(),
  workgroupBytes: z.number(),
});
export const clock = z.enum(['gpu', 'cpu']);
