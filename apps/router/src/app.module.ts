import { Global, Module, type DynamicModule } from '@nestjs/common';
import { LifecycleModule } from './features/lifecycle/index.js';
import { PROCESS_CONTEXT, type ProcessContext } from './process-context.js';

/** Composition root: hands every feature the context of this process. */
@Global()
@Module({ imports: [LifecycleModule] })
export class AppModule {
  static forProcess(context: ProcessContext): DynamicModule {
    return {
      module: AppModule,
      providers: [{ provide: PROCESS_CONTEXT, useValue: context }],
      exports: [PROCESS_CONTEXT],
    };
  }
}
