import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

/**
 * Serves `/openapi.json` and a page to read it at `/docs`. The page's scripts come from this process: a site
 * without internet access has documentation too.
 */
export function serveApiDocs(app: INestApplication): void {
  const config = new DocumentBuilder()
    .setTitle('Penstock manager')
    .setDescription('Projects, deployments, publications and model API keys of a Penstock installation.')
    .setVersion('1')
    .addBearerAuth()
    .build();
  const document = SwaggerModule.createDocument(app, config);
  SwaggerModule.setup('docs', app, document, {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Penstock manager API',
  });
}
