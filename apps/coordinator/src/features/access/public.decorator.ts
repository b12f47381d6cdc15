import { SetMetadata } from '@nestjs/common';

export const IS_PUBLIC = 'penstock:public';

/** Opens a route to callers without the secret. */
export const Public = () => SetMetadata(IS_PUBLIC, true);
