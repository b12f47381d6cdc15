-- AlterTable
ALTER TABLE "circuits" ADD COLUMN     "acked_at" TIMESTAMPTZ(3),
ADD COLUMN     "requires_token" BOOLEAN NOT NULL DEFAULT true,
ADD COLUMN     "visibility" VARCHAR(16) NOT NULL DEFAULT 'public';

-- AlterTable
ALTER TABLE "endpoints" ADD COLUMN     "upstream_endpoint_id" UUID;

-- CreateTable
CREATE TABLE "tokens" (
    "id" UUID NOT NULL,
    "login_session_token" VARCHAR(127),
    "kernel_host" VARCHAR(255) NOT NULL,
    "kernel_port" INTEGER NOT NULL,
    "session_id" UUID NOT NULL,
    "user_uuid" UUID NOT NULL,
    "group_id" UUID NOT NULL,
    "access_key" VARCHAR(255) NOT NULL,
    "domain_name" VARCHAR(255) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "tokens_created_at_idx" ON "tokens"("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "circuits_worker_id_port_key" ON "circuits"("worker_id", "port");

-- CreateIndex
CREATE UNIQUE INDEX "circuits_worker_id_subdomain_key" ON "circuits"("worker_id", "subdomain");

-- CreateIndex
CREATE INDEX "endpoints_upstream_endpoint_id_idx" ON "endpoints"("upstream_endpoint_id");

-- AddForeignKey
ALTER TABLE "endpoints" ADD CONSTRAINT "endpoints_upstream_endpoint_id_fkey" FOREIGN KEY ("upstream_endpoint_id") REFERENCES "endpoints"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What earlier releases wrote: a public circuit needs a token unless it is open.
UPDATE "circuits" SET "requires_token" = NOT "open_to_public";
