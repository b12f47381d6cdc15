import { defineConfig } from 'prisma/config';

/** For `prisma generate` and, where Prisma's own binary can be had, `prisma migrate`. The services migrate themselves. */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
});
