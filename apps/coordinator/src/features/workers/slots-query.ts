import { z } from 'zod';

const words: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  yes: true,
  false: false,
  '0': false,
  no: false,
};

/** `GET /api/slots`: an authority, and whether to leave out free slots. */
export const slotsQuerySchema = z.object({
  wsproxy_host: z.string().max(255).nullable().default(null),
  in_use: z.preprocess(
    (text) => (typeof text === 'string' ? (words[text.toLowerCase()] ?? text) : text),
    z.boolean().default(true),
  ),
});
